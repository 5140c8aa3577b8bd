/* SPDX-License-Identifier: Apache-2.0 */
/* The unit for public keys: threads that serve the rings of all clients together.  Its design is in
 * docs/public-key-unit.md. */
#ifndef HR_UNIT_H
#define HR_UNIT_H

#include "../../config/policy.h"
#include "../client.h"
#include "custody.h"
#include "pk_request.h"

enum {
    UNIT_MANY = 8,        /* requests of a batch */
    UNIT_OPERATIONS = 64, /* rows with an operation, as far as they are used */
    UNIT_THREADS = POLICY_MAX_THREADS,
};

struct unit;

/* A user, whose clients share what the user gets. */
struct unit_user {
    struct unit_user *next;
    uint32_t uid, num_clients;
    uint64_t had; /* virtual time: ns by weight, and never less than what is lost by absence */
    uint64_t keys_until; /* ns: when the time that its keys took will be paid for */
};

/* A client's ring for the unit. */
struct unit_client {
    struct client ring;    /* its memories, positions and counts */
    struct limits *limits; /* the client's, which outlive this */
    struct lent_keys keys;
    struct unit_client *next;
    struct unit_user *user;
    uint64_t had;                         /* as its user's */
    uint64_t requests_until, bytes_until; /* ns: when the allowed rates will have caught up */
    bool is_warm;                         /* see unit_sleep.c */
    uint32_t running;                     /* requests taken, whose thread still needs the client */
    uint32_t uid;                         /* for log_use, with pid */
    int32_t pid;
    /* is called without the lock after each use of a named key whose terms ask for a log; NULL: no
     * log */
    void (*log_use)(const struct unit_client *c, const struct hr_job *job,
                    const struct custody_key *key);
};

/* What is counted of an operation; `fill[i]`: batches of i + 1 requests; `wait[i]`: requests that
 * waited 2^i to 2^(i+1) - 1 us, as the client says; `load`: how many waited when one was taken, of
 * all requests. */
struct unit_operation {
    uint16_t alg, op;
    uint64_t requests, failed, batches, ns, wait_us, load;
    uint64_t fill[UNIT_MANY], wait[COUNT_LATENCIES];
    uint64_t mean;           /* ns of a request, lately */
    uint32_t waiting, lanes; /* requests that wait, as far as a thread has looked; 0: unknown */
    uint32_t together;       /* threads that compute a batch of several */
};

struct unit_counts {
    uint32_t threads, asleep, clients, keys;
    uint64_t requests, batches, busy_ns, idle_ns, asleep_ns;
    uint32_t num_operations;
    struct unit_operation operations[UNIT_OPERATIONS];
};

/* ---- the control thread ---- */

/* unit_start starts the threads.  Returns NULL with errno on failure. */
struct unit *unit_start(const struct policy_unit *settings);
/* unit_stop ends the threads; the unit has no clients any more. */
void unit_stop(struct unit *u);
/* unit_add lets the unit serve a client, whose ring was made.  Returns 0 or HR_ESYSTEM. */
int unit_add(struct unit *u, struct unit_client *c, uint32_t uid);
/* unit_remove returns when no thread will touch the client any more, and frees its keys. */
void unit_remove(struct unit *u, struct unit_client *c);
/* unit_lend makes a key of its components and gives it to the client.  Returns 0 or HR_E.... */
HR_MUST_CHECK int unit_lend(struct unit *u, struct unit_client *c, uint64_t *handle, hr_alg alg,
                            const uint8_t *bytes, size_t len);
/* unit_open gives a named key to the client. */
HR_MUST_CHECK int unit_open(struct unit *u, struct unit_client *c, uint64_t *handle,
                            struct custody_key *key);
/* unit_review takes back the client's named keys that do not stay.  `stays` is called under the
 * lock. */
void unit_review(struct unit *u, struct unit_client *c,
                 bool (*stays)(void *arg, const struct custody_key *key), void *arg);
HR_MUST_CHECK int unit_take_back(struct unit *u, struct unit_client *c, uint64_t handle);
/* unit_count copies what is counted. */
void unit_count(struct unit *u, struct unit_counts *out);
/* unit_client_counts copies the counts of a client, and returns the number of its keys. */
uint32_t unit_client_counts(struct unit *u, struct unit_client *c, struct client_counts *out);

#endif
