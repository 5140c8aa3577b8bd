/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of a client and of an accelerator, which the accelerator writes and the control thread
 * reads.  Each field is atomic by itself; nothing depends on two of them. */
#ifndef HR_COUNTS_H
#define HR_COUNTS_H

#include <stdatomic.h>
#include <stdint.h>

enum { COUNT_LATENCIES = 32, COUNT_BATCHES = 12 };

struct client_counts {
    _Atomic uint64_t requests; /* answered, with whatever result */
    _Atomic uint64_t bytes;    /* of payload in them */
    _Atomic uint64_t rejected; /* requests that were malformed, or not allowed by the policy */
    /* [i]: 2^i to 2^(i+1) - 1 ns from when a request was taken until it was answered */
    _Atomic uint64_t latency[COUNT_LATENCIES];
    /* [i]: requests that were computed together with 2^i - 1 to 2^(i+1) - 2 others */
    _Atomic uint64_t batch[COUNT_BATCHES];
    _Atomic uint64_t latency_sum, batch_sum; /* sums of the values in both histograms */
};

struct accelerator_counts {
    _Atomic uint64_t requests, bytes;
    _Atomic uint64_t busy_ns; /* computing */
    _Atomic uint64_t idle_ns; /* looking at rings in vain */
    _Atomic uint64_t asleep;  /* time in which the thread sleeps: see asleep_ns */
};

/* count_add needs no locked instruction, because each count has one writer. */
static inline void count_add(_Atomic uint64_t *count, uint64_t n)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* A word says how long the accelerator has slept and whether it sleeps now.  Without the bit ASLEEP
 * it is the sum in ns.  With it, it is the time when the present sleep began less the sum at that
 * time, so that the clock less the word is the sum including the present sleep. */
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

/* count_answers counts num requests that have their latency and batch in common. */
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
