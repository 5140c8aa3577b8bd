/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes over /run/headrace/accel.sock, a SOCK_SEQPACKET socket: one struct a message, an
 * answer for each request.  The rest of a struct is zero.  Whoever sends anything else is hung up
 * on.  The connection is the client: when it ends, its memory and its keys go.
 */
#ifndef HR_CONTROL_H
#define HR_CONTROL_H

#include "ring.h"

#define CONTROL_PATH "/run/headrace/accel.sock"

enum {
    CONTROL_MAGIC = 0x68723031, /* "hr01": the version of ring and messages */
    CONTROL_NAME = 64,          /* of a key or a client, with its final 0 */
    CONTROL_KEY = 256,          /* longest key that can be imported */
};

enum control_type {
    CONTROL_ATTACH = 1, /* answered with three descriptors: requests, completions, doorbell */
    CONTROL_KEY_IMPORT,
    CONTROL_KEY_GENERATE,
    CONTROL_KEY_OPEN, /* a named long-term key */
    CONTROL_KEY_CLOSE,
    CONTROL_CROSSOVER, /* where the accelerator wins: see crossover.h */
    /* for administrators */
    CONTROL_STATUS, /* a struct control_status follows: the first of `handle` or above; the reply's
                     * `handle` is what to ask for next, 0 after the last.  First: 0 */
    CONTROL_REVOKE, /* `handle`: the client's number, 0 for all */
    CONTROL_RELOAD, /* the policy and the directory of keys */
};

struct control_request {
    uint32_t magic, type;
    uint64_t handle;
    uint16_t alg;
    uint16_t key_len;
    uint32_t reserved;
    char name[CONTROL_NAME];
    uint8_t key[CONTROL_KEY];
};

struct control_reply {
    uint32_t magic, type;
    int32_t result; /* 0 or HR_E... */
    uint16_t alg;
    uint16_t more; /* bytes that follow this struct in the message */
    uint64_t handle;
    /* CONTROL_ATTACH */
    struct ring_geometry geometry;
    uint32_t client; /* its number, for people */
    uint32_t reserved;
};

/* ---- CONTROL_STATUS ---- */

enum { CONTROL_LATENCIES = 32, CONTROL_BATCHES = 12 };
enum control_status_kind { STATUS_SERVICE, STATUS_ACCELERATOR, STATUS_CLIENT };

struct control_service_status {
    char version[16];
    uint64_t up; /* seconds */
    uint64_t attached, refused, revoked, reloads;
    uint32_t clients, accelerators, kernels; /* that the self-test found right */
    uint32_t named_keys;
};

struct control_accelerator_status {
    uint32_t number;
    int32_t cpu; /* -1: not bound */
    uint32_t clients, reserved;
    uint64_t requests, bytes, busy_ns, idle_ns, asleep_ns;
};

/* As struct client_counts of served.h. */
struct control_client_status {
    char rule[CONTROL_NAME]; /* the policy's section */
    uint32_t number, pid, uid, accelerator;
    uint32_t weight, keys;
    uint64_t up; /* seconds */
    uint64_t requests, bytes, rejected;
    uint64_t latency[CONTROL_LATENCIES], batch[CONTROL_BATCHES];
    uint64_t latency_sum, batch_sum;
};

struct control_status {
    uint32_t kind, reserved;
    union {
        struct control_service_status service;
        struct control_accelerator_status accelerator;
        struct control_client_status client;
    } u;
};

#endif
