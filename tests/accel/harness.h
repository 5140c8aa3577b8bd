/* SPDX-License-Identifier: Apache-2.0 */
/* A service of the test's own, clients that speak to it as they like, and a neighbour who speaks to
 * it as one should, whom nothing that the others do may harm. */
#ifndef HR_HARNESS_H
#define HR_HARNESS_H

#include "../test.h"
#include "control.h"
#include <headrace/queue.h>
#include <pthread.h>
#include <sys/types.h>

/* ---- the service ---- */

struct service {
    pid_t pid;
    char folder[64], socket[96], policy[96];
    char *const *arguments; /* its program, and options beside the socket and the policy */
};

/* Starts it, and returns when it listens; ends the test where it cannot.  arguments end in NULL. */
void service_begin(struct service *s, char *const *arguments, const char *policy);
/* Starts it again, on the same socket. */
void service_again(struct service *s);
/* What service_again starts, not waited for. */
pid_t service_spawn(struct service *s);
int service_alive(const struct service *s); /* else it complains */
void service_kill(struct service *s);
/* Asks it to end; complains unless it does so well.  Takes its folder away. */
void service_end(struct service *s);
/* Pages in memory, and open descriptors; -1 where the kernel tells only others. */
long service_pages(const struct service *s);
long service_descriptors(const struct service *s);

/* ---- a client, by ring.h and control.h alone ---- */

struct raw {
    int socket, fds[2], doorbell; /* requests, completions */
    struct ring_geometry geometry;
    void *requests;
    struct ring_completion *completions; /* read only: its page of words */
    uint32_t next[RING_MAX_RINGS], completed[RING_MAX_RINGS];
};

/* A connection, not attached.  -1: nobody answers. */
int raw_connect(const struct service *s);
/* Sends a message, and receives a reply and up to num_fds descriptors.  -1: hung up on. */
int raw_ask(int socket, const void *message, size_t len, struct control_reply *reply, int *fds,
            size_t num_fds);
/* 0, or what the service said, or -1 where it hung up. */
int raw_attach(struct raw *c, const struct service *s);
void raw_detach(struct raw *c);
struct ring_request *raw_slot(struct raw *c, uint32_t ring, uint32_t n);
uint8_t *raw_window(struct raw *c, uint32_t ring);
/* Puts the next request; its seq is filled in.  The doorbell is rung where it should be. */
void raw_put(struct raw *c, uint32_t ring, const struct ring_request *r);
void raw_ring(struct raw *c);
/* Takes the next completion, waiting long: -1 when none comes.  Complains of what no completion may
 * hold. */
int raw_take(struct raw *c, uint32_t ring, struct ring_completion *out);
/* Both; HR_EGONE where no completion comes. */
int raw_run(struct raw *c, uint32_t ring, const struct ring_request *r,
            struct ring_completion *out);

/* ---- requests ---- */

/* A far request: data of len at `in`, output at `out`; a key of key_len at `key`. */
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
/* Complains unless at least `min` more operations of it end, all of them right, within long. */
void neighbour_goes_on(struct neighbour *n, uint64_t min);
void neighbour_end(struct neighbour *n);

/* ---- the groups of checks ---- */

extern struct service service;
extern struct neighbour neighbour;
/* One result: the service lives, and the neighbour goes on. */
void unharmed(const char *format, ...) PRINTF(1, 2);
void hostile_ring(void);
void hostile_fetch(void);
void hostile_memory(void);
void hostile_control(void);
void hostile_keys(void);

#endif
