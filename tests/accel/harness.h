/* SPDX-License-Identifier: Apache-2.0 */
/* The harness of the tests with a service of their own: clients that send it anything, and a
 * neighbour, a well-behaved client that must not be harmed by the others. */
#ifndef HR_HARNESS_H
#define HR_HARNESS_H

#include "../test.h"
#include "control.h"
#include <headrace/number.h>
#include <headrace/queue.h>
#include <pthread.h>
#include <sys/types.h>

/* ---- the service ---- */

struct service {
    pid_t pid;
    char folder[64], socket[96], policy[96];
    char *const *arguments; /* its program, and options besides socket and policy */
};

/* service_begin starts the service, and returns when it answers; if it cannot, it ends the test.
 * `arguments` end in NULL. */
void service_begin(struct service *s, char *const *arguments, const char *policy);
/* service_again starts the service again on the same socket. */
void service_again(struct service *s);
/* service_listens does the same, but returns as soon as the service listens, before its self-test,
 * which may take long. */
void service_listens(struct service *s);
/* service_spawn starts the service without waiting for it, and returns its process id. */
pid_t service_spawn(struct service *s);
int service_alive(const struct service *s); /* complains if not */
void service_kill(struct service *s);
/* service_end asks the service to end, and complains unless it exits with success.  It removes the
 * folder. */
void service_end(struct service *s);
/* service_pages and service_descriptors return the number of the service's pages in memory and of
 * its open descriptors, or -1 if the kernel does not permit this. */
long service_pages(const struct service *s);
long service_descriptors(const struct service *s);

/* ---- a client, by ring.h and control.h alone ---- */

struct raw {
    int socket, fds[2], doorbell; /* requests, completions */
    struct ring_geometry geometry;
    void *requests;
    struct ring_completion *completions; /* mapped read-only; begins with the service's words */
    uint32_t next[RING_MAX_RINGS], completed[RING_MAX_RINGS];
};

/* raw_connect returns a connected socket, not attached, or -1 if nobody listens. */
int raw_connect(const struct service *s);
/* raw_ask sends a message, and receives a reply and up to num_fds descriptors.  It returns 0, or -1
 * if the service hung up. */
int raw_ask(int socket, const void *message, size_t len, struct control_reply *reply, int *fds,
            size_t num_fds);
/* raw_attach returns 0, or the service's error, or -1 if it hung up. */
int raw_attach(struct raw *c, const struct service *s);
void raw_detach(struct raw *c);
/* raw_attach_unit makes `unit` the client's ring for public keys.  Returns as raw_attach does. */
int raw_attach_unit(struct raw *unit, const struct raw *c);
/* raw_lend lends a key of `num` components.  Returns the result of the service, or -1 if it hung
 * up. */
int raw_lend(const struct raw *c, uint64_t *handle, hr_alg alg, const struct hr_number *parts,
             size_t num);
/* pk_request returns a request of public key with `len` bytes of data at `in`. */
struct ring_request pk_request(hr_alg alg, int op, uint64_t handle, uint32_t in, uint32_t len,
                               uint32_t out, const struct ring_options *options);
struct ring_request *raw_slot(struct raw *c, uint32_t ring, uint32_t n);
uint8_t *raw_window(struct raw *c, uint32_t ring);
/* raw_put puts the next request into the sub-ring, sets its seq, and rings the doorbell if the
 * accelerator sleeps. */
void raw_put(struct raw *c, uint32_t ring, const struct ring_request *r);
void raw_ring(struct raw *c);
/* raw_take takes the next completion, and complains of values that no completion may have.  It
 * returns -1 if none comes within a long time. */
int raw_take(struct raw *c, uint32_t ring, struct ring_completion *out);
/* raw_run does raw_put and raw_take, and returns the result, or HR_EGONE if no completion comes. */
int raw_run(struct raw *c, uint32_t ring, const struct ring_request *r,
            struct ring_completion *out);

/* ---- requests ---- */

/* far_request returns a request with `len` bytes of data at `in`, output at `out` and a key of
 * key_len bytes at `key`, all in the window. */
struct ring_request far_request(hr_alg alg, int op, uint32_t in, uint32_t len, uint32_t out,
                                uint32_t key, uint8_t key_len);

/* ---- the neighbour ---- */

struct neighbour {
    const struct service *service;
    pthread_t thread;
    _Atomic int stop;
    _Atomic uint64_t done, wrong, failed;
};
void neighbour_begin(struct neighbour *n, const struct service *s);
/* neighbour_goes_on waits long for `min` more operations of the neighbour, and complains unless
 * they end with right results. */
void neighbour_goes_on(struct neighbour *n, uint64_t min);
void neighbour_end(struct neighbour *n);

/* ---- the groups of checks ---- */

extern struct service service;
extern struct neighbour neighbour;
/* unharmed prints one result: the service lives, and the neighbour goes on. */
void unharmed(const char *format, ...) PRINTF(1, 2);
void hostile_ring(void);
void hostile_fetch(void);
void hostile_memory(void);
void hostile_control(void);

#endif
