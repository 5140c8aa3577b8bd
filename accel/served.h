/* SPDX-License-Identifier: Apache-2.0 */
/* What the control thread and an accelerator tell each other of a client while it is served: limits
 * one way, counts the other.  Each field is atomic by itself; nothing depends on two of them. */
#ifndef HR_SERVED_H
#define HR_SERVED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- the policy's word, which a reload changes ---- */

enum { LIMIT_WEIGHT = 100, LIMIT_MAX_WEIGHT = 10000 };

struct limits {
    /* One bit for each number of hr_alg: class below 16, number below 256; bit 0: copies. */
    _Atomic uint64_t algorithms[64];
    _Atomic uint32_t weight; /* 1 to LIMIT_MAX_WEIGHT: share among those who want the same */
    _Atomic uint64_t rate;   /* requests a second; 0: no limit */
    _Atomic uint64_t bytes;  /* bytes a second; 0: no limit */
    bool private_lanes;      /* of an attached client: as it was then */
};

static inline bool limits_allow(struct limits *l, unsigned alg)
{
    const uint64_t word = atomic_load_explicit(&l->algorithms[alg >> 6 & 63], memory_order_relaxed);
    return alg < 4096 && word >> (alg & 63) & 1;
}

static inline void limits_set(struct limits *l, unsigned alg, bool allow)
{
    const uint64_t bit = UINT64_C(1) << (alg & 63);
    if (allow)
        atomic_fetch_or(&l->algorithms[alg >> 6 & 63], bit);
    else
        atomic_fetch_and(&l->algorithms[alg >> 6 & 63], ~bit);
}

/* ---- counts, which only the accelerator writes ---- */

enum { COUNT_LATENCIES = 32, COUNT_BATCHES = 12 };

struct client_counts {
    _Atomic uint64_t requests; /* answered, with whatever result */
    _Atomic uint64_t bytes;    /* of payload in them */
    _Atomic uint64_t rejected; /* of the requests: answered by an error of request_decode */
    /* [i]: 2^i to 2^(i+1) - 1 ns from when a request was taken until it was answered */
    _Atomic uint64_t latency[COUNT_LATENCIES];
    /* [i]: requests that shared a turn of the queue with 2^i - 1 to 2^(i+1) - 2 others */
    _Atomic uint64_t batch[COUNT_BATCHES];
    _Atomic uint64_t latency_sum, batch_sum; /* of what the two are histograms of */
};

struct accelerator_counts {
    _Atomic uint64_t requests, bytes;
    _Atomic uint64_t busy_ns; /* computing */
    _Atomic uint64_t idle_ns; /* looking at rings in vain */
    _Atomic uint64_t asleep;  /* in the kernel: see asleep_ns */
};

/* One writer: a plain addition, and no bus lock. */
static inline void count_add(_Atomic uint64_t *count, uint64_t n)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* Time asleep so far, and whether it sleeps now, in one word: the sum; or, with this bit, the
 * moment less the sum as it was then, so that whoever has a clock knows the sum of now. */
#define ASLEEP (UINT64_C(1) << 63)

static inline void asleep_since(_Atomic uint64_t *word, uint64_t now)
{
    const uint64_t sum = atomic_load_explicit(word, memory_order_relaxed);
    atomic_store_explicit(word, ASLEEP | (now - sum), memory_order_relaxed);
}

static inline uint64_t asleep_ns(_Atomic uint64_t *word, uint64_t now)
{
    const uint64_t sum = atomic_load_explicit(word, memory_order_relaxed), from = sum & ~ASLEEP;
    return sum == from ? sum : now < from ? 0 : now - from;
}

static inline void asleep_until(_Atomic uint64_t *word, uint64_t now)
{
    atomic_store_explicit(word, asleep_ns(word, now), memory_order_relaxed);
}

static inline uint32_t count_bucket(uint64_t x, uint32_t num)
{
    const uint32_t i = x ? 63 - (uint32_t)__builtin_clzll(x) : 0;
    return i < num ? i : num - 1;
}

/* num requests that have this in common. */
static inline void count_answers(struct client_counts *c, uint64_t num, uint64_t bytes,
                                 uint64_t latency, uint32_t batch)
{
    count_add(&c->requests, num);
    count_add(&c->bytes, bytes);
    count_add(&c->latency[count_bucket(latency, COUNT_LATENCIES)], num);
    count_add(&c->latency_sum, num * latency);
    count_add(&c->batch[count_bucket(batch, COUNT_BATCHES)], num);
    count_add(&c->batch_sum, num * batch);
}

#endif
