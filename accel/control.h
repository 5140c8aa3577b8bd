/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages that a client and the service exchange over /run/headrace/accel.sock, a
 * SOCK_SEQPACKET socket.  A request is one struct control_request, followed by key_len bytes only
 * in CONTROL_KEY_LEND, and gets one answer: a struct control_reply and the `more` bytes that it
 * announces.  Unused members are zero.  A peer that
 * sends anything else is disconnected.  When a client's connection ends, the service frees its ring
 * and its keys.
 */
#ifndef HR_CONTROL_H
#define HR_CONTROL_H

#include "ring.h"

#define CONTROL_PATH "/run/headrace/accel.sock"

enum {
    CONTROL_MAGIC = 0x68723033, /* "hr03": the version of the ring and of these messages */
    CONTROL_NAME = 64,          /* length of a key's or a rule's name, with its final 0 */
    CONTROL_KEY = 256,          /* length of the longest key that can be imported */
    CONTROL_LENT = 8192,        /* length of the components of a key that is lent */
    CONTROL_KEYS = 128,         /* most named keys of a service */
    CONTROL_LISTED = 16,        /* most keys that one answer to CONTROL_KEY_LIST has */
    CONTROL_DIGESTS = 16,       /* most digests of a key's terms */
    CONTROL_SPKI = 3072,        /* length of the longest SubjectPublicKeyInfo of a named key */
};

enum control_type {
    CONTROL_ATTACH = 1, /* the answer has three descriptors: requests, completions, doorbell */
    CONTROL_KEY_IMPORT,
    CONTROL_KEY_GENERATE,
    /* Opens a named long-term key.  With one of public key the answer has a struct control_public
     * behind it, and the handle is one of the unit; without CONTROL_UNIT before, HR_ESTATE. */
    CONTROL_KEY_OPEN,
    CONTROL_KEY_CLOSE,
    CONTROL_CROSSOVER, /* asks for the crossover table: see crossover.h */
    /* only for administrators: */
    CONTROL_STATUS, /* asks for one struct control_status, which follows the reply.  `handle` is 0
                     * at first, then `handle` of the last reply, until that is 0 */
    CONTROL_REVOKE, /* revokes the client with the number `handle`, or all if that is 0; never the
                     * client that asks */
    CONTROL_RELOAD, /* reads the policy, the crossover table and the directory of keys again */
    /* The unit for public keys: */
    CONTROL_UNIT, /* the answer is like that to CONTROL_ATTACH: a second ring, which the unit serves
                   */
    /* Lends a key to the service, for this client's use.  `key_len` bytes follow the request in the
     * same message, at most CONTROL_LENT: the key's components, in the order in which its class's
     * call takes them.  Each has its length before it, in two bytes, the lower one first.  RSA: n
     * and e, or n, e, d, p, q, dp, dq and qinv.  Others: the private and the public key, one of
     * which may be empty. */
    CONTROL_KEY_LEND,
    CONTROL_KEY_TAKE_BACK, /* ends the loan `handle`, or closes a named key of public key */
    /* asks for the struct control_public of the key `name`, whose users and administrators get it
     */
    CONTROL_KEY_PUBLIC,
    /* Moves the client with the number `handle`, or the one that asks if that is 0, to the
     * accelerator `number`.  A client may move itself where its policy lets it be served, and only
     * administrators may move others, to any accelerator.  HR_EINVAL: there is no such accelerator;
     * HR_EBUFFER: it has no room, or the client's requests do not end: nothing has changed */
    CONTROL_MOVE,
    /* Asks for the named keys that the process could open: some struct control_named, perhaps none,
     * follow the reply.  `handle` is 0 at first, then `handle` of the last reply, until that is 0.
     * HR_ESTATE: the keys were read again meanwhile, so that the list begins anew; HR_EACCESS: the
     * process may not attach */
    CONTROL_KEY_LIST,
};

struct control_request {
    uint32_t magic, type;
    uint64_t handle;
    uint16_t alg;
    uint16_t key_len;
    uint32_t number; /* of an accelerator */
    char name[CONTROL_NAME];
    uint8_t key[CONTROL_KEY];
};

struct control_reply {
    uint32_t magic, type;
    int32_t result; /* 0 or HR_E... */
    uint16_t alg;
    uint16_t more; /* number of bytes that follow this struct in the message */
    uint64_t handle;
    /* answer to CONTROL_ATTACH: */
    struct ring_geometry geometry;
    uint32_t client; /* the client's number: see CONTROL_REVOKE */
    /* how many accelerators serve the ring, at most RING_MAX_SPREAD: number i of them the sub-rings
     * whose number modulo `spread` is i */
    uint32_t spread;
};

/* struct control_public holds what anybody may know of a named key of public key.  It is sent
 * without unused bytes. */
struct control_public {
    uint32_t result_len; /* bytes of a signature, or of a decrypted message at most */
    uint32_t spki_len;
    uint8_t spki[CONTROL_SPKI];
};

/* struct control_named says what a named key may be used for.  Unused members are zero. */
struct control_named {
    char name[CONTROL_NAME];
    uint16_t alg;
    uint16_t uses;                     /* bits of enum hr_use */
    uint16_t paddings;                 /* of RSA: bit i is padding i of enum hr_rsa_padding */
    uint16_t num_digests;              /* that the key signs, or of its paddings */
    uint16_t digests[CONTROL_DIGESTS]; /* their rows */
};

/* ---- CONTROL_STATUS ---- */

enum { CONTROL_LATENCIES = 32, CONTROL_BATCHES = 12, CONTROL_UNIT_MANY = 8 };
enum control_status_kind {
    STATUS_SERVICE,
    STATUS_ACCELERATOR,
    STATUS_CLIENT,
    STATUS_NOTHING,
    STATUS_UNIT,      /* the unit for public keys, if there is one */
    STATUS_OPERATION, /* an operation of a row that the unit has computed */
};

struct control_service_status {
    char version[16];
    uint64_t up; /* seconds */
    uint64_t attached, refused, revoked, reloads;
    uint32_t clients, accelerators, kernels; /* kernels that passed the self-test */
    uint32_t named_keys;
    uint64_t memory, memory_limit; /* bytes: of all clients, and what they may take */
};

struct control_accelerator_status {
    uint32_t number;
    int32_t cpu; /* -1: not bound to a CPU */
    uint32_t clients, reserved;
    uint64_t requests, bytes, busy_ns, idle_ns, asleep_ns;
};

/* struct control_unit_status is that of the unit for public keys; its threads' times are added up.
 */
struct control_unit_status {
    uint32_t threads, asleep, clients, keys; /* asleep: threads that sleep now */
    uint64_t requests, batches, busy_ns, idle_ns, asleep_ns;
};

/* fill[i]: batches of i + 1 requests; wait[i]: requests that waited 2^i to 2^(i+1) - 1 us in their
 * ring, as the client says; load: for each request, how many of its operation waited when it was
 * taken, added up. */
struct control_operation_status {
    uint16_t alg, op;
    uint32_t reserved;
    uint64_t requests, failed, batches, ns, wait_us;
    uint64_t fill[CONTROL_UNIT_MANY], wait[CONTROL_LATENCIES];
    uint64_t load;
};

/* The counts from `requests` on are those of struct client_counts in service/counts.h. */
struct control_client_status {
    char rule[CONTROL_NAME]; /* the section of the policy that applies */
    uint32_t number, pid, uid, accelerator;
    uint32_t weight, keys;
    uint64_t up; /* seconds */
    uint64_t requests, bytes, rejected;
    uint64_t latency[CONTROL_LATENCIES], batch[CONTROL_BATCHES];
    uint64_t latency_sum, batch_sum;
    uint64_t away, left; /* of struct ring_client_words: what the client says */
    uint64_t moves;      /* from one accelerator to another */
    uint64_t spread;     /* accelerators that serve it; `accelerator` is the first */
};

struct control_status {
    uint32_t kind, reserved;
    union {
        struct control_service_status service;
        struct control_accelerator_status accelerator;
        struct control_client_status client;
        struct control_unit_status unit;
        struct control_operation_status operation;
    } u;
};

#endif
