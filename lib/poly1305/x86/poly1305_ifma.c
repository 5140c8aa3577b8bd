/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 by multipliers of 52 by 52 bits in eight lanes: a lane has every eighth block, and is
 * multiplied by r^8 from one group of eight blocks to the next.  Prototypes: poly1305.h. */
#include "../../aes/aes_kernel.h"
#include "../poly1305.h"
#include "poly1305_step.h"

#include <immintrin.h>

#define TARGET LEAF __attribute__((target("avx512f,avx512vl,avx512ifma,bmi2")))

enum { LANES = 8, LIMB = 44, TOP = 42, FACTORS = 5 };
#define LIMB_MASK ((UINT64_C(1) << LIMB) - 1)

#define VEC __m256i
#define OP(name) _mm256_##name
#define NAME(stem) stem##_4
#include "poly1305_ifma_field.h"
#undef VEC
#undef OP
#undef NAME

#define _mm512_set1_epi64x _mm512_set1_epi64
#define VEC __m512i
#define OP(name) _mm512_##name
#define NAME(stem) stem
#include "poly1305_ifma_field.h"
typedef __m512i vec;

/* The layout of poly1305_key.powers: the entries of multipliers.  The order of lanes is that of
 * blocks in loaded vectors. */
struct powers {
    alignas(64) uint64_t lanes[FACTORS][LANES];  /* r^8, r^4, r^7, r^3, r^6, r^2, r^5, r */
    alignas(64) uint64_t groups[FACTORS][LANES]; /* the same powers of r^8 */
};
static_assert(sizeof(struct powers) <= POLY1305_WORDS * 8, "room in a key");

/* ---- powers of r ---- */

INLINE TARGET void split_number(uint64_t limb[3], const uint64_t x[3])
{
    limb[0] = x[0] & LIMB_MASK;
    limb[1] = (x[0] >> LIMB | x[1] << (64 - LIMB)) & LIMB_MASK;
    limb[2] = x[1] >> (2 * LIMB - 64) | x[2] << (128 - 2 * LIMB);
}

/* Computes x^8, x^4, x^7, x^3, x^6, x^2, x^5, x from x in all lanes.  Vectors of four lanes are
 * enough for that, and their products take half the time.  Each product waits for the one before,
 * and so blocks of `front`, if there are any, take no time of their own. */
INLINE TARGET void powers_of(vec out[3], const __m256i x[3], struct poly1305_front *front)
{
    const vec order = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    __m256i square[3], low[3], high[3];
    struct factor_4 f;
    make_factor_4(&f, x);
    multiply_4(square, x, &f);
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        low[b] = _mm256_blend_epi32(square[b], x[b], 0xcc); /* x^2, x, x^2, x */
    poly1305_front_blocks(front, 2);
    make_factor_4(&f, square);
    multiply_4(high, low, &f);
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++) {
        low[b] = _mm256_blend_epi32(high[b], low[b], 0xf0); /* x^4, x^3, x^2, x */
        high[b] = _mm256_broadcastq_epi64(_mm256_castsi256_si128(high[b]));
    }
    poly1305_front_blocks(front, 2);
    make_factor_4(&f, high);
    multiply_4(high, low, &f);
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        out[b] = _mm512_permutex2var_epi64(_mm512_castsi256_si512(high[b]), order,
                                           _mm512_castsi256_si512(low[b]));
}

INLINE TARGET void store_factor(uint64_t out[FACTORS][LANES], const vec x[3])
{
    struct factor f;
    make_factor(&f, x);
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        _mm512_store_si512(out[b], f.r[b]);
#pragma GCC unroll 2
    for (int b = 0; b < 2; b++)
        _mm512_store_si512(out[3 + b], f.s[b]);
}

INLINE TARGET void powers_of_r(vec out[3], const uint64_t r[2], struct poly1305_front *front)
{
    uint64_t limb[3];
    split_number(limb, (const uint64_t[3]){ r[0], r[1], 0 });
    powers_of(out, (const __m256i[3]){ spread_4(limb[0]), spread_4(limb[1]), spread_4(limb[2]) },
              front);
}

TARGET void poly1305_setup_ifma(struct poly1305_key *key)
{
    struct powers *p = (void *)key->powers;
    __m256i x[3];
    vec y[3];
    struct poly1305_front none = { .left = 0 };
    powers_of_r(y, key->r, &none);
    store_factor(p->lanes, y);
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        x[b] = _mm256_broadcastq_epi64(_mm512_castsi512_si128(y[b]));
    powers_of(y, x, &none);
    store_factor(p->groups, y);
    _mm256_zeroupper();
}

/* ---- blocks ---- */

/* Splits eight blocks, and adds 2^128 (`top`) to each. */
INLINE TARGET void split(vec x[3], vec low, vec high, vec top)
{
    x[0] = low & spread(LIMB_MASK);
    x[1] = (_mm512_srli_epi64(low, LIMB) | _mm512_slli_epi64(high, 64 - LIMB)) & spread(LIMB_MASK);
    x[2] = _mm512_srli_epi64(high, 2 * LIMB - 64) | top;
}

/* Loads eight blocks; their order is 0, 4, 1, 5, 2, 6, 3, 7. */
INLINE TARGET void load(vec x[3], const uint8_t *in)
{
    const vec a = _mm512_loadu_si512(in), b = _mm512_loadu_si512(in + 64);
    split(x, _mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b), spread(UINT64_C(1) << 40));
}

/* Adds h to the lanes of `mask`. */
INLINE TARGET void add_hash(vec x[3], __mmask8 mask, const uint64_t h[3])
{
    uint64_t limb[3];
    split_number(limb, h);
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        x[b] = _mm512_mask_add_epi64(x[b], mask, x[b], spread(limb[b]));
}

/* Puts eight values, numbered as blocks, into the order of blocks in a vector. */
#define IN_ORDER(b0, b1, b2, b3, b4, b5, b6, b7) _mm512_set_epi64(b7, b3, b6, b2, b5, b1, b4, b0)

/* Loads the first `num` blocks into the last lanes; h is added to the first of them. */
INLINE TARGET void load_front(vec x[3], const uint64_t h[3], const uint8_t *in, size_t num)
{
    const unsigned words = (unsigned)(0xffff << (16 - 2 * num)) & 0xffff;
    const vec a = _mm512_maskz_expandloadu_epi64((__mmask8)words, in);
    const vec b =
        _mm512_maskz_expandloadu_epi64((__mmask8)(words >> 8), in + (num > 4 ? 16 * (num - 4) : 0));
    /* for each lane: whether it has a block; whether that is the first */
    const vec lane = IN_ORDER(7, 6, 5, 4, 3, 2, 1, 0), last = spread(num - 1);
    const __mmask8 has = _mm512_cmple_epu64_mask(lane, last);
    const __mmask8 first = _mm512_cmpeq_epu64_mask(lane, last);
    split(x, _mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b),
          _mm512_maskz_set1_epi64(has, 1LL << 40));
    add_hash(x, first, h);
}

/* Starts a sum with eight blocks, which are multiplied by 1. */
INLINE TARGET void load_sum(struct sums *sum, const uint8_t *in)
{
    clear(sum);
    load(sum->low, in);
}

INLINE TARGET void add_blocks(struct sums *sum, const uint8_t *in, const struct factor *f)
{
    vec y[3];
    load(y, in);
    add_product(sum, y, f);
}

/* Computes h, the sum of all lanes, each times its power of r. */
INLINE TARGET void join(uint64_t h[3], const vec x[3], const uint64_t lanes[FACTORS][LANES])
{
    struct sums sum;
    struct factor f;
    vec t[3];
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        f.r[b] = _mm512_load_si512(lanes[b]);
#pragma GCC unroll 2
    for (int b = 0; b < 2; b++)
        f.s[b] = _mm512_load_si512(lanes[3 + b]);
    clear(&sum);
    add_product(&sum, x, &f);
    join_halves(t, &sum);
    const uint64_t y0 = (uint64_t)_mm512_reduce_add_epi64(t[0]),
                   y1 = (uint64_t)_mm512_reduce_add_epi64(t[1]),
                   y2 = (uint64_t)_mm512_reduce_add_epi64(t[2]);
    const poly1305_wide low = (poly1305_wide)y0 + ((poly1305_wide)y1 << LIMB);
    const poly1305_wide high = (low >> 64) + ((poly1305_wide)y2 << (2 * LIMB - 64));
    const uint64_t above = (uint64_t)(high >> 64);
    const poly1305_wide z = (poly1305_wide)(uint64_t)low + (above >> 2) * 5;
    h[0] = (uint64_t)z;
    const poly1305_wide w = (poly1305_wide)(uint64_t)high + (uint64_t)(z >> 64);
    h[1] = (uint64_t)w;
    h[2] = (above & 3) + (uint64_t)(w >> 64);
}

/* Returns the power j of r^8 in all lanes. */
INLINE TARGET void load_group_power(struct factor *f, const struct powers *p, size_t j)
{
    const size_t lane = (j > 4 ? 16 : 9) - 2 * j;
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        f->r[b] = spread(p->groups[b][lane]);
#pragma GCC unroll 2
    for (int b = 0; b < 2; b++)
        f->s[b] = spread(p->groups[3 + b][lane]);
}

/* Up to eight groups are multiplied by a power of r^8 each, and reduced together. */
TARGET void poly1305_blocks_ifma(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                                 const struct poly1305_key *key)
{
    enum { MOST = 8 };
    const struct powers *p = (const void *)key->powers;
    if (!num_blocks)
        return;
    const size_t first = (num_blocks - 1) % LANES + 1;
    vec x[3];
    load_front(x, h, in, first);
    in += 16 * first;
    for (size_t left = (num_blocks - first) / LANES; left;) {
        const size_t j = (left - 1) % MOST + 1;
        struct factor f;
        struct sums sum;
        load_sum(&sum, in + 16 * LANES * (j - 1));
        for (size_t i = j - 1; i; i--, in += 16 * LANES) {
            load_group_power(&f, p, i);
            add_blocks(&sum, in, &f);
        }
        in += 16 * LANES;
        load_group_power(&f, p, j);
        add_product(&sum, x, &f);
        reduce(x, &sum);
        left -= j;
    }
    join(h, x, p->lanes);
    _mm256_zeroupper();
}

/* Groups are reduced in pairs, for which r^8 and r^16 are enough.  The blocks that do not fill a
 * group come first. */
TARGET void poly1305_once_ifma(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                               const uint64_t r[2])
{
    struct poly1305_front front = { { h[0], h[1], h[2] }, in, num_blocks % LANES, r };
    alignas(64) uint64_t lanes[FACTORS][LANES];
    struct factor one, two;
    struct sums sum;
    vec x[3];
    powers_of_r(x, r, &front);
    poly1305_front_blocks(&front, LANES - 1);
    store_factor(lanes, x);
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        x[b] = _mm512_broadcastq_epi64(_mm512_castsi512_si128(x[b]));
    const size_t left = num_blocks / LANES - 1, pairs = left > 3 ? left / 2 : 0;
    make_factor(&one, x);
    two = one;
    if (pairs) {
        multiply(x, x, &one);
        make_factor(&two, x);
    }

    in = front.in;
    load(x, in);
    add_hash(x, 1, front.h);
    in += 16 * LANES;
    for (size_t i = left - 2 * pairs; i; i--, in += 16 * LANES) {
        load_sum(&sum, in);
        add_product(&sum, x, &one);
        reduce(x, &sum);
    }
    for (size_t i = pairs; i; i--, in += 32 * LANES) {
        load_sum(&sum, in + 16 * LANES);
        add_blocks(&sum, in, &one);
        add_product(&sum, x, &two);
        reduce(x, &sum);
    }
    join(h, x, (const uint64_t(*)[LANES])lanes);
    WIPE(&lanes);
    WIPE(&front.h);
    _mm256_zeroupper();
}
