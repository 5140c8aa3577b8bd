/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 by multipliers of 52 by 52 bits in eight lanes.  As in poly1305_words.h, pieces of the
 * message (52, 52 and 24 bits of a block) are multiplied as they are by a power of r that has been
 * multiplied by 2^0, 2^52 and 2^104 in advance.  Prototypes: poly1305.h. */
#include "../poly1305_ifma.h"
#include "../../aes/aes_kernel.h"
#include "../poly1305_scalar.h"

#include <immintrin.h>

#define TARGET LEAF __attribute__((target("avx512f,avx512ifma,bmi2")))

typedef __m512i vec;

/* Sums at 2^0, 2^52, 2^104 (lower halves of products) and 2^52, 2^104, 2^156 (upper halves).  They
 * are kept apart to shorten the chains of additions. */
struct sums {
    vec low[3], high[3];
};

INLINE TARGET vec spread(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

/* Returns entry b of a row in the table of r's powers: one number for all lanes (step 1), or one
 * for each lane (step 8). */
INLINE TARGET vec entry(const uint64_t *row, int b, int step)
{
    return step == 1 ? spread(row[b]) : _mm512_load_si512(row + 8 * b);
}

INLINE TARGET void add_row(struct sums *sum, vec x, const uint64_t *row, int step)
{
    for (int b = 0; b < 3; b++) {
        const vec r = entry(row, b, step);
        sum->low[b] = _mm512_madd52lo_epu64(sum->low[b], x, r);
        sum->high[b] = _mm512_madd52hi_epu64(sum->high[b], x, r);
    }
}

INLINE TARGET void add_product(struct sums *sum, const vec x[3], const uint64_t *rows, int step)
{
    for (int a = 0; a < 3; a++)
        add_row(sum, x[a], rows + 3 * a * step, step);
}

/* Loads eight blocks and adds 2^128 (`top`) to each; the order of blocks is 0, 4, 1, 5, 2, 6, 3, 7.
 */
INLINE TARGET void load(vec x[3], const void *in, vec top)
{
    const vec a = _mm512_loadu_si512(in), b = _mm512_loadu_si512((const uint8_t *)in + 64);
    const vec low = _mm512_unpacklo_epi64(a, b), high = _mm512_unpackhi_epi64(a, b);
    x[0] = low; /* its upper bits are ignored by the multiplication */
    x[1] = _mm512_or_si512(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12));
    x[2] = _mm512_or_si512(_mm512_srli_epi64(high, 40), top);
}

INLINE TARGET vec carry(vec *x, int bits)
{
    const vec above = _mm512_srli_epi64(*x, (unsigned)bits);
    *x = _mm512_and_si512(*x, spread((UINT64_C(1) << bits) - 1));
    return above;
}

/* Reduces sums to limbs of 52, 52 and 26 bits; the last one may be a little larger. */
INLINE TARGET void reduce(vec x[3], const struct sums *a, const struct sums *b)
{
    vec s[4] = { _mm512_add_epi64(a->low[0], b->low[0]),
                 _mm512_add_epi64(_mm512_add_epi64(a->low[1], b->low[1]),
                                  _mm512_add_epi64(a->high[0], b->high[0])),
                 _mm512_add_epi64(_mm512_add_epi64(a->low[2], b->low[2]),
                                  _mm512_add_epi64(a->high[1], b->high[1])),
                 _mm512_add_epi64(a->high[2], b->high[2]) };
    s[0] = _mm512_add_epi64(s[0], _mm512_slli_epi64(s[3], 26)); /* 2^156 = 5 2^26 */
    s[0] = _mm512_add_epi64(s[0], _mm512_slli_epi64(s[3], 28));
    s[1] = _mm512_add_epi64(s[1], carry(&s[0], 52));
    s[2] = _mm512_add_epi64(s[2], carry(&s[1], 52));
    const vec above = carry(&s[2], 26);
    s[0] = _mm512_add_epi64(s[0], _mm512_add_epi64(above, _mm512_slli_epi64(above, 2)));
    s[1] = _mm512_add_epi64(s[1], carry(&s[0], 52));
    s[2] = _mm512_add_epi64(s[2], carry(&s[1], 52));
    x[0] = s[0], x[1] = s[1], x[2] = s[2];
}

INLINE TARGET void clear(struct sums *sum)
{
    for (int b = 0; b < 3; b++)
        sum->low[b] = sum->high[b] = _mm512_setzero_si512();
}

/* Computes h, the sum of all lanes, each times its power of r. */
INLINE TARGET void join(uint64_t h[3], const vec x[3], const struct poly1305_ifma *p)
{
    struct sums sum, none;
    vec y[3];
    clear(&sum);
    clear(&none);
    add_product(&sum, x, p->lanes[0], 8);
    reduce(y, &sum, &none);
    const uint64_t y0 = (uint64_t)_mm512_reduce_add_epi64(y[0]),
                   y1 = (uint64_t)_mm512_reduce_add_epi64(y[1]),
                   y2 = (uint64_t)_mm512_reduce_add_epi64(y[2]);
    const poly1305_wide low = (poly1305_wide)y0 + ((poly1305_wide)y1 << 52);
    const poly1305_wide high = (low >> 64) + ((poly1305_wide)y2 << 40);
    const uint64_t above = (uint64_t)(high >> 64);
    const poly1305_wide z = (poly1305_wide)(uint64_t)low + (above >> 2) * 5;
    h[0] = (uint64_t)z;
    const poly1305_wide w = (poly1305_wide)(uint64_t)high + (uint64_t)(z >> 64);
    h[1] = (uint64_t)w;
    h[2] = (above & 3) + (uint64_t)(w >> 64);
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
    const vec low = _mm512_unpacklo_epi64(a, b), high = _mm512_unpackhi_epi64(a, b);
    /* for each lane: whether it has a block; whether that is the first */
    const vec lane = IN_ORDER(7, 6, 5, 4, 3, 2, 1, 0), last = spread(num - 1);
    const __mmask8 has = _mm512_cmple_epu64_mask(lane, last);
    const __mmask8 first = _mm512_cmpeq_epu64_mask(lane, last);
    const uint64_t mask = (UINT64_C(1) << 52) - 1;
    x[0] = _mm512_and_si512(low, spread(mask));
    x[1] = _mm512_or_si512(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12));
    x[1] = _mm512_and_si512(x[1], spread(mask));
    x[2] = _mm512_mask_or_epi64(_mm512_srli_epi64(high, 40), has, _mm512_srli_epi64(high, 40),
                                spread(1 << 24));
    x[0] = _mm512_mask_add_epi64(x[0], first, x[0], spread(h[0] & mask));
    x[1] = _mm512_mask_add_epi64(x[1], first, x[1], spread((h[0] >> 52 | h[1] << 12) & mask));
    x[2] = _mm512_mask_add_epi64(x[2], first, x[2], spread(h[1] >> 40 | h[2] << 24));
    x[1] = _mm512_add_epi64(x[1], carry(&x[0], 52));
    x[2] = _mm512_add_epi64(x[2], carry(&x[1], 52));
}

TARGET void poly1305_blocks_ifma(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                                 const struct poly1305_key *key)
{
    const struct poly1305_ifma *p = (const void *)key->powers;
    if (!num_blocks)
        return;
    const vec top = spread(1 << 24);
    size_t num_groups = (num_blocks + IFMA_LANES - 1) / IFMA_LANES;
    const size_t first = (num_blocks - 1) % IFMA_LANES + 1;
    vec x[3];
    load_front(x, h, in, first);
    in += 16 * first;
    num_groups--;
    while (num_groups) {
        /* multiplies x by r^(8 j), then processes j more groups */
        const size_t j = (num_groups - 1) % IFMA_GROUPS + 1;
        struct sums even, odd;
        clear(&even);
        clear(&odd);
        const uint64_t *rows = p->rows[j];
        num_groups -= j;
        size_t left = j;
        if (left % 2 == 0) {
            vec y[3];
            rows -= 9;
            load(y, in, top);
            add_product(&odd, y, rows, 1);
            in += 16 * IFMA_LANES;
            left--;
        }
        for (; left > 1; left -= 2, in += 32 * IFMA_LANES) {
            vec y[3];
            rows -= 9;
            load(y, in, top);
            add_product(&even, y, rows, 1);
            rows -= 9;
            load(y, in + 16 * IFMA_LANES, top);
            add_product(&odd, y, rows, 1);
        }
        add_product(&even, x, p->rows[j], 1);
        load(x, in, top); /* the last group is multiplied by 1 */
        in += 16 * IFMA_LANES;
        const vec mask = spread((UINT64_C(1) << 52) - 1);
        even.low[0] = _mm512_add_epi64(even.low[0], _mm512_and_si512(x[0], mask));
        even.low[1] = _mm512_add_epi64(even.low[1], _mm512_and_si512(x[1], mask));
        even.low[2] = _mm512_add_epi64(even.low[2], x[2]);
        reduce(x, &even, &odd);
    }
    join(h, x, p);
    _mm256_zeroupper();
}
