/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring: the memory that a client and the service share.  Neither trusts the other.
 *
 *   requests     a memfd that the client may write.  It has a page of words, then RING_DEPTH
 *                descriptors for each sub-ring, then a window of data for each sub-ring.  It is
 *                sealed against shrinking, growing and further seals.  A client can punch holes:
 *                what happens if there is no memory for them, the service's fault.h tells.
 *   completions  a memfd of fixed size that the client may only read: its descriptor is read-only,
 *                and the memfd belongs to the service.  It has a page of words, then RING_DEPTH
 *                completions for each sub-ring.
 *
 * No other client has access to them.  A sub-ring is for one thread of the client.  Its requests
 * are numbered from 0, modulo 2^32.  Request n lies in slot n % RING_DEPTH and is valid once its
 * `seq` is n + 1.  Completions have numbers m of their own, as they come in any order; completion m
 * is valid once its `seq` is m + 1.  At most RING_DEPTH requests are outstanding, so that neither
 * side needs the other's indices: each keeps its own in private memory.
 *
 * Memory that the other side may write is read once into a local, and the local is checked.
 */
#ifndef HR_RING_H
#define HR_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* APART keeps a rare case out of line, so that the usual case need not save registers for it. */
#define APART __attribute__((noinline))

enum {
    RING_DEPTH = 128,
    RING_MAX_RINGS = 64,
    RING_INLINE = 48,
    RING_MAX_PARTS = 32,
    RING_MAX_SPREAD = 8, /* accelerators of one client */
    RING_MAX_CHAIN = 4,
    RING_MAX_BYTES =
        1 << 18,      /* data and AAD of a whole chain: so no client waits long for another */
    RING_PAGE = 8192, /* length of the words before the descriptors */
};

enum ring_flags {
    RING_FAR = 1, /* u.far says where the payload is in the window; else it is in u.bytes */
    RING_HANDLE =
        2, /* the key is a handle: u.far.handle, or the first 8 bytes of u.bytes; key_len is 0 */
    RING_MORE = 4, /* u.far.more is the offset of a struct ring_more; only with RING_FAR */
};

/* The places of a request's payload, as offsets from the start of the sub-ring's window.  An output
 * must not overlap anything else of its request, not even its own input (HR_EOVERLAP), so that
 * every request can be repeated. */
struct ring_far {
    uint32_t in;  /* len bytes; with parts: 0 */
    uint32_t out; /* len bytes, or a digest or MAC longer than RING_INLINE; with parts: 0 */
    uint32_t aad, aad_len;
    uint64_t handle; /* 0 without RING_HANDLE */
    uint8_t iv[16];
    uint32_t key;  /* key_len bytes */
    uint32_t more; /* a struct ring_more, at a multiple of 8; 0 without RING_MORE */
};

/* The options of a request of public key, which are its 16 bytes of IV.  Members that the algorithm
 * does not have are 0.  They are those of struct hr_rsa_options and struct hr_sign_options. */
struct ring_options {
    uint8_t padding; /* enum hr_rsa_padding */
    uint8_t flags;   /* enum hr_sign_flags; of RSA: enum ring_rsa_flags */
    uint16_t digest, mgf_digest;
    uint16_t client_version, negotiated_version;
    uint16_t reserved; /* 0 */
    int32_t salt_len;
};
enum ring_rsa_flags { RING_RAISE_ERRORS = 1, RING_STRICT = 2 };

/* A request of public key is in a sub-ring of a ring that the unit serves (CONTROL_UNIT), and no
 * other request is.  It has RING_FAR and RING_HANDLE, a key that was lent, `iv_len` 16, and 0 as
 * key_len, tag_len, key_slot and far.more.  far.aad is the label of OAEP or the context of a
 * signature.  A signature to verify, as long as the key's are, follows the message.  At far.out is
 * room for the longest result of the key and operation; an encapsulation's secret follows its
 * ciphertext.  far.key is the clock when the request was submitted, in microseconds modulo 2^32, or
 * 0; for people.  The completion's bytes are the result's length, and how many requests of this
 * operation were there when the unit took it, each an uint32_t. */
enum { RING_UNIT_RINGS = 32, RING_UNIT_WINDOW = 32 << 10 };

/* What `asleep` says of the unit: a thread sleeps that would take ... */
enum ring_unit_asleep { RING_ASLEEP_SHORT = 1, RING_ASLEEP_LONG = 2 };

/* A request.  Without RING_FAR, `bytes` has, one after the other: the handle or key_len bytes of
 * key, iv_len bytes of IV, len bytes of data, and tag_len bytes of tag if the tag is an input (enum
 * hr_job_op).  With RING_FAR, an input tag follows the data, at far.in + len. */
struct ring_request {
    uint16_t alg;
    uint8_t op;    /* enum hr_job_op */
    uint8_t flags; /* enum ring_flags */
    uint8_t key_len, iv_len, tag_len;
    uint8_t key_slot; /* a hint: requests with equal keys have equal numbers, so that the service
                       * can find an expanded key */
    uint32_t len;
    _Atomic uint32_t seq; /* stored last: number of the request + 1 */
    union {
        uint8_t bytes[RING_INLINE];
        struct ring_far far;
    } u;
};

struct ring_part {
    uint32_t in, out, len;
};

/* Rarely used properties of a request, at least one of which must be there.  A property that is an
 * offset in the window is 0 if it is not there.  With parts, none of which is empty, `len` of the
 * request is the sum of their lengths, and an input tag is at `tag`.
 *
 * `next` makes a chain of at most RING_MAX_CHAIN requests, which run in their order.  All of them
 * are copied before the first runs.  Only their data, AAD and input tags are read later, just
 * before their own request runs, because an earlier request may have written them. */
struct ring_more {
    uint32_t state_in, state_in_len; /* exported states of digests and HMACs; never with a handle */
    /* The place for an exported state, HR_DIGEST_MAX_EXPORT bytes, which the service writes instead
     * of a tag (tag_len is 0).  At most one request of a chain may have it. */
    uint32_t state_out;
    uint32_t iv;   /* iv_len bytes, if far.iv is too short */
    uint32_t tag;  /* a tag that is not after the data (input) or in the completion (output) */
    uint32_t next; /* a struct ring_request at a multiple of 8 that runs after this one; seq 0 */
    uint32_t num_parts;
    uint32_t reserved; /* 0 */
    struct ring_part parts[RING_MAX_PARTS];
};

struct ring_completion {
    int32_t result;       /* 0 or HR_E...; for a chain the first error */
    uint32_t request;     /* number of the request */
    uint16_t len;         /* how many of `bytes` are used; the others are zero */
    uint8_t state_len;    /* length of the state at state_out */
    uint8_t done;         /* number of requests without an error: 0 or 1, for a chain more */
    _Atomic uint32_t seq; /* stored last: number of the completion + 1 */
    /* Outputs that have no place in the window, in the order of the chain: for each request the
     * data if it was inline, then its digest, MAC or tag.  Empty if the result is an error. */
    uint8_t bytes[RING_INLINE];
};

_Static_assert(sizeof(struct ring_options) == 16, "an IV");
_Static_assert(sizeof(struct ring_request) == 64 && sizeof(struct ring_completion) == 64,
               "a cache line each");
_Static_assert(offsetof(struct ring_request, u) == 16 && sizeof(struct ring_far) == RING_INLINE,
               "layout between processes");

/* ---- the words before the descriptors ---- */

struct ring_client_words {
    alignas(64) _Atomic uint64_t claimed; /* bit i: sub-ring i is in use (a hint) */
    /* for people: queues that compute their jobs themselves now, because the service was slower,
     * and how often one began to */
    _Atomic uint32_t away, left;
    struct {
        alignas(64) _Atomic uint32_t
            sleeping; /* the thread sleeps; the service clears it before it wakes the thread */
    } ring[RING_MAX_RINGS];
};

enum ring_state { RING_LIVE = 1, RING_REVOKED = 2 };

struct ring_service_words {
    alignas(64) _Atomic uint32_t state;  /* enum ring_state */
    alignas(64) _Atomic uint32_t asleep; /* bit i: accelerator i of the client sleeps: write to the
                                          * doorbell; of the unit: enum ring_unit_asleep */
    struct {
        alignas(64) _Atomic uint32_t wake; /* the futex on which a sleeping thread waits */
    } ring[RING_MAX_RINGS];
};
_Static_assert(sizeof(struct ring_client_words) <= RING_PAGE &&
                   sizeof(struct ring_service_words) <= RING_PAGE,
               "words fit");

/* ---- the layout of both memories ---- */

struct ring_geometry {
    uint32_t num_rings;  /* 1 to RING_MAX_RINGS */
    uint32_t window_len; /* of each sub-ring, a multiple of 4096 */
};

static inline size_t ring_descriptors_len(const struct ring_geometry *g)
{
    return (size_t)g->num_rings * RING_DEPTH * 64;
}
static inline size_t ring_requests_len(const struct ring_geometry *g)
{
    return RING_PAGE + ring_descriptors_len(g) + (size_t)g->num_rings * g->window_len;
}
static inline size_t ring_completions_len(const struct ring_geometry *g)
{
    return RING_PAGE + ring_descriptors_len(g);
}
static inline struct ring_request *ring_requests(void *base, uint32_t ring)
{
    return (struct ring_request *)((uint8_t *)base + RING_PAGE) + (size_t)ring * RING_DEPTH;
}
static inline struct ring_completion *ring_completions(void *base, uint32_t ring)
{
    return (struct ring_completion *)((uint8_t *)base + RING_PAGE) + (size_t)ring * RING_DEPTH;
}
static inline uint8_t *ring_window(void *base, const struct ring_geometry *g, uint32_t ring)
{
    return (uint8_t *)base + RING_PAGE + ring_descriptors_len(g) + (size_t)ring * g->window_len;
}

/* ---- barriers ---- */

/* ring_publish stores a sequence number after everything that was written before it. */
static inline void ring_publish(_Atomic uint32_t *seq, uint32_t value)
{
    atomic_store_explicit(seq, value, memory_order_release);
}
/* ring_look reads a sequence number before everything that is read after it. */
static inline uint32_t ring_look(_Atomic uint32_t *seq)
{
    return atomic_load_explicit(seq, memory_order_acquire);
}
/* ring_fence stands between a side's store and its following load.  One side announces that it
 * sleeps and then looks at the ring once more; the other publishes and then looks whether its
 * partner sleeps.  So at least one of them sees the other's store. */
static inline void ring_fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

#endif
