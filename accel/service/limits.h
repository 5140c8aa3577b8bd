/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a client.  The policy sets them, a reload changes them, and the accelerator reads
 * them.  Each field is atomic by itself; nothing depends on two of them. */
#ifndef HR_LIMITS_H
#define HR_LIMITS_H

#include "../numbers.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { LIMIT_WEIGHT = 100, LIMIT_MAX_WEIGHT = 10000 };

struct limits {
    /* One bit for each number of hr_alg; bit 0: copies. */
    _Atomic uint64_t algorithms[ROW_NUMBERS / 64];
    _Atomic uint32_t weight; /* 1 to LIMIT_MAX_WEIGHT: share among clients that compete */
    _Atomic uint64_t rate;   /* requests a second; 0: no limit */
    _Atomic uint64_t bytes;  /* bytes a second; 0: no limit */
    _Atomic uint32_t lent;   /* keys that it may lend to the unit for public keys */
    bool private_lanes;      /* not changed while the client is attached */
};

static inline bool limits_allow(struct limits *l, unsigned alg)
{
    const unsigned i = alg % ROW_NUMBERS / 64;
    const uint64_t word = atomic_load_explicit(&l->algorithms[i], memory_order_relaxed);
    return alg < ROW_NUMBERS && word >> (alg & 63) & 1;
}

static inline void limits_set(struct limits *l, unsigned alg, bool allow)
{
    const uint64_t bit = UINT64_C(1) << (alg & 63);
    if (allow)
        atomic_fetch_or(&l->algorithms[alg % ROW_NUMBERS / 64], bit);
    else
        atomic_fetch_and(&l->algorithms[alg % ROW_NUMBERS / 64], ~bit);
}

#endif
