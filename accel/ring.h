/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring: how a client and the service meet in memory.  Neither trusts the other.
 *
 *   requests     a memfd that the client may write: its page of words, then for each sub-ring
 *                RING_DEPTH descriptors, then each sub-ring's window of data.  Sealed against
 *                shrinking, growing and further seals, so that no access can fault.
 *   completions  a memfd that only the service may write (F_SEAL_FUTURE_WRITE after it was mapped):
 *                its page of words, then for each sub-ring RING_DEPTH completions.
 *
 * Both are one client's alone.  A sub-ring is for one thread; n counts its requests from 0, modulo
 * 2^32.  Request n lies in slot n % RING_DEPTH and is there once its `seq` is n + 1; completion m,
 * of whichever request, likewise.  Not more than RING_DEPTH requests are ever outstanding, so that
 * no side needs the other's indices: each keeps its own, in memory of its own.
 *
 * What the other side may write is read once, into a local, and the local is judged.
 */
#ifndef HR_RING_H
#define HR_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* A function apart, so that what is more usual has no registers to save for it. */
#define APART __attribute__((noinline))

enum {
    RING_DEPTH = 128,
    RING_MAX_RINGS = 64,
    RING_INLINE = 48,
    RING_MAX_PARTS = 32,
    RING_MAX_CHAIN = 4,
    RING_MAX_BYTES = 1 << 18, /* of data and AAD, of a whole chain: what others wait for at most */
    RING_PAGE = 8192,         /* of the words before the descriptors */
};

enum ring_flags {
    RING_FAR = 1, /* `far` says where the payload is; else it is in `bytes` */
    RING_HANDLE =
        2, /* the key is a handle: far.handle, or the first 8 bytes of `bytes`; no key_len */
    RING_MORE = 4, /* far.more is the offset of a struct ring_more; with RING_FAR only */
};

/* Offsets are from the start of the sub-ring's window.  An output that overlaps anything else of
 * its request is refused (HR_EOVERLAP), in place too, so that every request can be done again. */
struct ring_far {
    uint32_t in;  /* len bytes; with parts: 0 */
    uint32_t out; /* len bytes, or a digest or MAC that is longer than RING_INLINE; with parts: 0 */
    uint32_t aad, aad_len;
    uint64_t handle; /* 0 without RING_HANDLE */
    uint8_t iv[16];
    uint32_t key;  /* key_len bytes */
    uint32_t more; /* a struct ring_more, at a multiple of 8; 0 without RING_MORE */
};

/* A request.  In `bytes`, one after the other: the handle or key_len bytes of key, iv_len bytes of
 * IV, len bytes of data, and tag_len bytes of tag where the tag is an input (enum hr_job_op).  Far,
 * an input tag follows the data at far.in + len. */
struct ring_request {
    uint16_t alg;
    uint8_t op;    /* enum hr_job_op */
    uint8_t flags; /* enum ring_flags */
    uint8_t key_len, iv_len, tag_len;
    uint8_t key_slot; /* a hint: equal keys have equal numbers, so that the service finds them */
    uint32_t len;
    _Atomic uint32_t seq; /* stored last */
    union {
        uint8_t bytes[RING_INLINE];
        struct ring_far far;
    } u;
};

struct ring_part {
    uint32_t in, out, len;
};

/* What is rarely wanted; all offsets again, 0 where there is none, and not all of them 0.  With
 * parts, none of which is empty, `len` of the request is their sum, and an input tag is at `tag`.
 *
 * A chain is of RING_MAX_CHAIN requests at most and runs in its order.  All of it is copied before
 * the first runs, but data, AAD and input tags only before their own request does: they may be what
 * an earlier one wrote. */
struct ring_more {
    uint32_t state_in,
        state_in_len; /* exported states of digests and HMACs; never under a handle */
    uint32_t
        state_out; /* HR_DIGEST_MAX_EXPORT bytes; instead of a tag (tag_len 0); of one request */
    uint32_t iv;   /* iv_len bytes, where far.iv is too short */
    uint32_t tag;  /* a tag, in or out: one not after the data, or not in the completion */
    uint32_t next; /* a struct ring_request at a multiple of 8, that runs after this (seq 0) */
    uint32_t num_parts;
    uint32_t reserved; /* 0 */
    struct ring_part parts[RING_MAX_PARTS];
};

struct ring_completion {
    int32_t result;       /* 0 or HR_E...; of a chain: the first error */
    uint32_t request;     /* n */
    uint16_t len;         /* bytes used of `bytes`; the others are zero */
    uint8_t state_len;    /* written at state_out */
    uint8_t done;         /* requests that ended well: 1, or of a chain how many */
    _Atomic uint32_t seq; /* stored last: m + 1 */
    /* What has no other place, in the chain's order: an inline request's output; then its digest,
     * MAC or tag.  Nothing where the result is an error. */
    uint8_t bytes[RING_INLINE];
};

_Static_assert(sizeof(struct ring_request) == 64 && sizeof(struct ring_completion) == 64,
               "a cache line each");
_Static_assert(offsetof(struct ring_request, u) == 16 && sizeof(struct ring_far) == RING_INLINE,
               "layout between processes");

/* ---- the words before the descriptors ---- */

struct ring_client_words {
    alignas(64) _Atomic uint64_t claimed; /* bit i: sub-ring i is in use (a hint) */
    struct {
        alignas(64) _Atomic uint32_t sleeping; /* wake me: the client sets it, the service clears */
    } ring[RING_MAX_RINGS];
};

enum ring_state { RING_LIVE = 1, RING_REVOKED = 2 };

struct ring_service_words {
    alignas(64) _Atomic uint32_t state;  /* enum ring_state */
    alignas(64) _Atomic uint32_t asleep; /* the accelerator sleeps: ring its doorbell */
    struct {
        alignas(64) _Atomic uint32_t wake; /* the futex that a sleeping thread waits at */
    } ring[RING_MAX_RINGS];
};
_Static_assert(sizeof(struct ring_client_words) <= RING_PAGE &&
                   sizeof(struct ring_service_words) <= RING_PAGE,
               "words fit");

/* ---- where things lie ---- */

struct ring_geometry {
    uint32_t num_rings;  /* 1 to RING_MAX_RINGS */
    uint32_t window_len; /* a multiple of 4096, of each sub-ring */
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

/* ---- barriers, by what they order ---- */

/* What was written before becomes visible no later than the number. */
static inline void ring_publish(_Atomic uint32_t *seq, uint32_t value)
{
    atomic_store_explicit(seq, value, memory_order_release);
}
/* What is read after is no older than the number. */
static inline uint32_t ring_look(_Atomic uint32_t *seq)
{
    return atomic_load_explicit(seq, memory_order_acquire);
}
/* Orders "I sleep" before the last look at the ring, and "it is there" before the look whether the
 * other sleeps; so one of the two sees the other. */
static inline void ring_fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

#endif
