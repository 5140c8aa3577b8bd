/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the service's process and its control thread, which does everything but the work
 * on rings. */
#ifndef HR_HEADRACED_H
#define HR_HEADRACED_H

#include "../config/keyfile.h"
#include "../config/owners.h"
#include "../config/policy.h"
#include "../control.h"
#include "../crossover.h"
#include "client.h"
#include "unit/unit.h"
#include <sys/types.h>

struct options {
    const char *socket, *policy, *keys, *crossover, *user;
    const char *credentials;       /* the folder of systemd's, NULL: none */
    bool policy_named, keys_named; /* named by an option, so it must exist */
    int cpus[64];                  /* of accelerators; -1: anywhere */
    unsigned num_accelerators;
    uint64_t memory; /* for all clients */
    bool verbose, no_sandbox;
};

/* ---- options.c ---- */

/* options_parse ends the process if an option is wrong, and after --help and --version. */
void options_parse(struct options *o, int argc, char **argv);

/* ---- log.c: lines on stderr, with a priority if stderr is the journal ---- */

struct watch;

void log_begin(bool verbose);
/* log_watch lets epoll report when lines that nobody has read yet may be written, to log_ready.
 * Before it such lines wait for the next one. */
void log_watch(void);
void log_ready(struct watch *w);
__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);
/* log_denial is log_info at most once a second, because any user can cause denials. */
__attribute__((format(printf, 1, 2))) void log_denial(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_verbose(const char *format, ...);

/* ---- listen.c ---- */

/* listen_open returns the socket that systemd hands over.  Without one it makes a socket at `path`,
 * where it replaces one at which no process listens.  Returns -1 after a message. */
int listen_open(const char *path);
/* listen_notify tells systemd a state such as "READY=1" (sd_notify(3)).  The first call opens the
 * socket for that. */
void listen_notify(const char *state);

/* ---- file.c ---- */

/* file_read reads a whole file, shorter than max bytes, that only root and the service's user can
 * write, and that has no permission of the set `secret`.  Returns its length, or -1 after a
 * message. If the file does not exist, it sets `missing` and returns -1 without a message. */
ssize_t file_read(int folder, const char *name, void *out, size_t max, mode_t secret,
                  bool *missing);
/* file_folder returns 0, or -1 after a message if other users could add or rename files in the
 * folder. */
int file_folder(int folder, const char *name);

/* ---- peer.c ---- */

/* The process that connected.  Its rights hold for the connection even if it passes the socket on
 * to another process. */
struct peer {
    pid_t pid;
    uint32_t uid, gid;
    uint32_t user; /* the owner of uid (owners.h), whose limits and share it counts to */
    int socket;    /* the connection */
    int pidfd;     /* readable when the process has ended */
};

/* peer_begin finds out, before files are out of reach, whether this user namespace knows all users.
 * Programs of users whom it does not know have no rule, and own nothing. */
void peer_begin(void);
/* peer_ask returns 0, or -1 if the process is gone. */
int peer_ask(struct peer *p, int socket);
/* peer_is_trusted recognises root and the service's own user, whom the limits of pending sessions
 * do not keep out. */
bool peer_is_trusted(const struct peer *p);
/* peer_rule returns the first rule of the policy for the process, or NULL: none. */
const struct policy_rule *peer_rule(const struct peer *p);
/* peer_is_one_of tells whether `who` contains the process's user or one of its groups. */
bool peer_is_one_of(const struct peer *p, const struct who *who);

/* peer_is_admin tells whether the process may ask for status, revoke and reload. */
bool peer_is_admin(const struct peer *p);

/* ---- sessions.c ---- */

struct session;

/* A descriptor that epoll watches, and the function that handles its events. */
struct watch {
    void (*ready)(struct watch *w);
    struct session *session;
};

struct handle {
    uint64_t handle;         /* 0: none */
    char name[CONTROL_NAME]; /* of a named key, else "" */
};

struct session {
    struct session *next, **back; /* list of all sessions */
    struct watch on_socket, on_pidfd;
    struct peer peer;
    char rule[CONTROL_NAME];
    bool attached;
    bool lingers;      /* was attached; the client has not hung up, and may read its memories */
    bool leaving;      /* hung up on after the answer to its message */
    uint64_t deadline; /* until it is attached: when to hang up, by ticks_seconds */
    uint64_t since;
    struct client *parts[RING_MAX_SPREAD];  /* of an attached client; the first one is &client */
    unsigned accelerators[RING_MAX_SPREAD]; /* of these parts */
    uint64_t moves;                         /* to another accelerator */
    uint64_t may_move; /* ns, by ticks_clock: when the client may ask for the next one */
    struct client client;
    struct unit_client *unit; /* NULL until it asks for it */
    struct handle handles[KEYTABLE_MAX];
};

struct service {
    const struct options *options;
    struct policy policy;
    struct named_keys *keys;
    struct owners owners;
    struct crossover crossover;
    struct accelerator *accelerators[64];
    struct unit *unit;    /* NULL: the policy wants none */
    unsigned clients[64]; /* of each accelerator */
    int epoll, listener;
    struct session *sessions;
    unsigned num_sessions, num_pending;
    unsigned max_sessions; /* as the limit of descriptors allows */
    uint64_t memory;       /* for all clients */
    uint32_t last_number;
    uint32_t kernels; /* that passed the self-test */
    uint64_t started, attached, refused, revoked, reloads;
};
extern struct service service; /* state.c */

/* sessions_hold_signals blocks SIGTERM, SIGINT and SIGHUP, which sessions_serve reads from a
 * descriptor, and ignores SIGPIPE.  It is called before any other process can know of this one. */
void sessions_hold_signals(void);
/* sessions_begin returns 0, or -1 with errno. */
int sessions_begin(int listener);
/* sessions_serve serves until a signal ends the service. */
void sessions_serve(void);
/* session_begin makes the session of a new connection, and closes its descriptors if it cannot. */
void session_begin(int socket, const struct peer *peer);
/* session_attach gives a client an accelerator and its memories, whose descriptors it stores in
 * fds.  Returns 0 or HR_E.... */
int session_attach(struct session *c, const struct policy_rule *rule, int fds[3]);
/* session_attach_unit makes a second ring for the client, which the unit for public keys serves. */
int session_attach_unit(struct session *c, const struct policy_rule *rule, int fds[3]);
/* session_limit sets the limits of an attached client as a rule says. */
void session_limit(struct session *c, const struct policy_rule *rule);
/* session_move moves an attached client to another accelerator.  Returns as accelerator_move does;
 * with HR_ESYSTEM the caller has to revoke the client. */
int session_move(struct session *c, unsigned accelerator, unsigned wait_ms);
/* session_settle moves a client to an accelerator that its rule allows, if its own is none. Returns
 * 0, or HR_ESYSTEM: no accelerator has it, and the caller has to revoke it. */
int session_settle(struct session *c, const struct policy_rule *rule);
/* session_revoke ends the session and, if it is attached, counts it as revoked. */
void session_revoke(struct session *c);
/* session_end marks the ring of an attached client as revoked and hangs up.  It frees the session,
 * or keeps it and the client's memories until the client hangs up too. */
void session_end(struct session *c);
/* session_is_pending tells whether the client has not attached. */
bool session_is_pending(const struct session *c);

/* ---- quota.c ---- */

/* quota_begin finds out how much memory clients may take: as an option says, but no more than the
 * limit of the control group permits. */
void quota_begin(void);
/* quota_allows tells whether the process may attach as a client now, and counts this. */
bool quota_allows(const struct policy_rule *rule, const struct peer *peer);
/* quota_allows_move tells whether a client may move itself now, and counts this as an attach of its
 * user. */
bool quota_allows_move(const struct policy_rule *rule, const struct peer *peer);
/* quota_allows_unit tells whether a client may have a ring of this geometry for public keys. */
bool quota_allows_unit(const struct policy_rule *rule, const struct peer *peer,
                       const struct ring_geometry *geometry);
/* quota_memory returns the memory of all clients, in bytes, with those that have been revoked and
 * have not hung up. */
uint64_t quota_memory(void);

/* ---- accept.c ---- */

/* accept_begin accepts from now on what connects to this socket.  Returns 0, or -1 with errno. */
int accept_begin(int listener);
/* accept_is_deaf tells whether connections wait, because the system had no descriptor or memory for
 * one; accept_again accepts them again. */
bool accept_is_deaf(void);
void accept_again(void);

/* ---- messages.c ---- */

/* message_answer answers a message, and with CONTROL_KEY_LEND the bytes after it.  Returns 0, or -1
 * if the caller has to hang up. */
int message_answer(struct session *c, const struct control_request *request, const uint8_t *lent);

/* ---- handles.c ---- */

/* handles_load reads all keys of the folder, and of the credentials those whose names begin with
 * "key.".  If there is no folder and `needed` is not set, it has no keys.  Returns 0, or -1 after a
 * message. */
int handles_load(struct named_keys *keys, const struct options *options, bool needed);
/* The next six answer a message: they return 0 or HR_E..., and fill the reply; reply->more bytes
 * at *more follow it. */
int handle_import(struct session *c, const struct control_request *q, struct control_reply *reply);
int handle_generate(struct session *c, const struct control_request *q,
                    struct control_reply *reply);
int handle_open(struct session *c, const struct control_request *q, struct control_reply *reply,
                const void **more);
int handle_public(struct session *c, const struct control_request *q, struct control_reply *reply,
                  const void **more);
int handle_list(struct session *c, const struct control_request *q, struct control_reply *reply,
                const void **more);
int handle_close(struct session *c, const struct control_request *q, struct control_reply *reply);
/* handles_clear ends the use of all keys of public key, and wipes the others. */
void handles_clear(struct named_keys *keys);
/* handles_log logs a use of a named key of public key. */
void handles_log(const struct unit_client *c, const struct hr_job *job,
                 const struct custody_key *key);
/* handles_review closes the client's named keys that are gone, have changed, or are not for it any
 * more, after service.keys was replaced.  `before` has the old keys. */
void handles_review(struct session *c, const struct named_keys *before);

/* ---- status.c ---- */

/* status_get fills in the entry at a cursor and returns the next cursor, 0 after the last.  The
 * first cursor is 0. */
uint64_t status_get(struct control_status *out, uint64_t cursor);

/* ---- reload.c ---- */

/* reload_files reads all files again.  Returns 0, or -1 after a message; then nothing changes. */
int reload_files(void);
/* reload_clients applies the new settings to all clients, and revokes those that may not attach any
 * more.  `asker` is the session that asked for the reload, or NULL: if it is revoked, it gets its
 * answer first. */
void reload_clients(struct session *asker);

#endif
