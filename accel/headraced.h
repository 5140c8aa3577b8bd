/* SPDX-License-Identifier: Apache-2.0 */
/* The service's process and its control thread: everything that is not done on a ring. */
#ifndef HR_HEADRACED_H
#define HR_HEADRACED_H

#include "control.h"
#include "crossover.h"
#include "keys.h"
#include "policy.h"
#include "service.h"
#include <sys/types.h>

struct options {
    const char *socket, *policy, *keys, *crossover, *user;
    bool policy_named, keys_named; /* asked for, and so they have to be there */
    int cpus[64];                  /* of accelerators; -1: anywhere */
    unsigned num_accelerators;
    bool verbose, no_sandbox;
};

/* ---- options.c ---- */

/* Ends the process where an option is wrong, or asked for nothing else. */
void options_parse(struct options *o, int argc, char **argv);

/* ---- log.c: lines on stderr, with a priority for the journal where that is ---- */

void log_begin(bool verbose);
__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);
/* As log_info, but not more than once a second: of what anybody can bring about. */
__attribute__((format(printf, 1, 2))) void log_denial(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_verbose(const char *format, ...);

/* ---- listen.c ---- */

/* The socket that systemd hands over, or one at `path` where nobody answers any more.  -1 after a
 * message. */
int listen_open(const char *path);
/* Tells systemd (sd_notify(3)): "READY=1".  The socket for that is opened at the first call. */
void listen_notify(const char *state);

/* ---- file.c ---- */

/* Reads a whole file that only root and this user could have written, of at most max bytes.  Its
 * length, or -1 after a message; `missing` is set, and there is no message, where none is there. */
ssize_t file_read(int folder, const char *name, void *out, size_t max, bool secret, bool *missing);
/* 0, or -1 after a message: others could put files into this folder, or rename those in it. */
int file_folder(int folder, const char *name);

/* ---- peer.c ---- */

enum { PEER_GROUPS = 64 };

/* Who connected.  The process may have handed the socket on; it answers for that. */
struct peer {
    pid_t pid;
    uint32_t uid;
    unsigned num_gids;
    uint32_t gids[PEER_GROUPS];
    int pidfd; /* readable when it has ended */
};

/* 0, or -1: it is gone already, or has more groups than are looked at. */
int peer_ask(struct peer *p, int socket);

/* ---- connections.c ---- */

struct connection;

/* What epoll watches, and what is done then. */
struct watch {
    void (*ready)(struct watch *w);
    struct connection *connection;
};

struct handle {
    uint64_t handle;         /* 0: none */
    char name[CONTROL_NAME]; /* of a named key; or "" */
};

struct connection {
    struct connection *next, **back; /* of all */
    struct watch on_socket, on_pidfd;
    struct peer peer;
    char rule[CONTROL_NAME];
    bool attached;
    bool leaving;      /* hung up on once its message was answered */
    uint64_t deadline; /* while it is not attached: seconds of the monotonic clock */
    uint64_t since;
    unsigned accelerator;
    struct client client;
    struct handle handles[KEYTABLE_MAX];
};

struct service {
    const struct options *options;
    struct policy policy;
    struct named_keys *keys;
    struct crossover crossover;
    struct accelerator *accelerators[64];
    unsigned clients[64]; /* of each accelerator */
    int epoll, listener;
    struct connection *connections;
    unsigned num_connections, num_pending;
    unsigned max_connections; /* by the limit of descriptors */
    uint32_t last_number;
    uint32_t kernels; /* that the self-test found right */
    uint64_t started, attached, refused, revoked, reloads;
};
extern struct service service;

/* 0, or -1: errno. */
/* From here on signals wait until connections_serve looks at them: before anybody can know that
 * this process is there. */
void connections_hold_signals(void);
int connections_begin(int listener);
/* Serves until a signal says that this is the end. */
void connections_serve(void);
/* Gives a client an accelerator and its memories: fds.  0 or HR_E.... */
int connection_attach(struct connection *c, const struct policy_rule *rule, int fds[3]);
/* Tells the client that the service has left it, and hangs up. */
void connection_revoke(struct connection *c);
/* Hangs up, and forgets it. */
void connection_end(struct connection *c);
uint64_t seconds_now(void);

/* ---- messages.c ---- */

/* Answers a message of n bytes; -1: it is to be hung up on. */
int message_answer(struct connection *c, const struct control_request *request);

/* ---- handles.c ---- */

/* Reads all files of the folder; where it need not be there, none.  0, or -1 after a message. */
int handles_load(struct named_keys *keys, const char *path, bool needed);
/* Each 0 or HR_E..., with what the client shall know in the reply. */
int handle_import(struct connection *c, const struct control_request *q,
                  struct control_reply *reply);
int handle_generate(struct connection *c, const struct control_request *q,
                    struct control_reply *reply);
int handle_open(struct connection *c, const struct control_request *q, struct control_reply *reply);
int handle_close(struct connection *c, const struct control_request *q,
                 struct control_reply *reply);
/* After service.keys has changed: closes named keys that are others now, or not this client's. */
void handles_review(struct connection *c, const struct named_keys *before);

/* ---- status.c ---- */

/* What stands at the cursor; returns the next cursor, 0 after the last.  The first is 0. */
uint64_t status_get(struct control_status *out, uint64_t cursor);

/* ---- reload.c ---- */

/* Reads what the files say now.  0, or -1 after a message: what held before holds on. */
int reload_files(void);
/* Applies it to clients that are served; the one that asked, or NULL, has its answer first. */
void reload_clients(struct connection *asker);

#endif
