/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 in eight lanes by the method of poly1305_words.h; a kernel's file defines the type `vec`
 * and its operations. */
#include "../poly1305_scalar.h"

/* Computes sum += x times the limbs of a row, in each lane; `step` is the distance of limbs. */
INLINE TARGET void add_row(vec sum[5], vec x, const uint32_t *row, int step)
{
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++) {
        sum[b] = add(sum[b], mul(x, spread32(row + step * b)));
        keep(&sum[b]);
    }
}

/* Adds the products of eight blocks, without their 2^128, and four rows. */
INLINE TARGET void add_group(vec sum[5], const void *in, const uint32_t *rows, int step)
{
    vec low, high;
    load(&low, &high, in);
    add_row(sum, low, rows, step);
    add_row(sum, shr(low, 32), rows + 5 * step, step);
    add_row(sum, high, rows + 10 * step, step);
    add_row(sum, shr(high, 32), rows + 15 * step, step);
}

/* Adds eight blocks times 1: their words at 2^32, 2^64 and 2^96 are shifted to their places in
 * limbs. */
INLINE TARGET void add_last_group(vec sum[5], const uint8_t *in)
{
    const vec word = spread64(0xffffffff);
    vec low, high;
    load(&low, &high, in);
    sum[0] = add(sum[0], and(low, word));
    sum[1] = add(sum[1], shl(shr(low, 32), 6));
    sum[2] = add(sum[2], shl(and(high, word), 12));
    sum[3] = add(sum[3], shl(shr(high, 32), 18));
}

INLINE TARGET void carry(vec *from, vec *to)
{
    *to = add(*to, shr(*from, 26));
    *from = and(*from, spread64((1 << 26) - 1));
}

/* Reduces sums of up to 64 bits to limbs that are at most a little above 26 bits. */
INLINE TARGET void reduce(vec x[5])
{
    carry(&x[0], &x[1]);
    carry(&x[3], &x[4]);
    carry(&x[1], &x[2]);
    const vec above = shr(x[4], 26);
    x[4] = and(x[4], spread64((1 << 26) - 1));
    x[0] = add(x[0], add(above, shl(above, 2)));
    carry(&x[2], &x[3]);
    carry(&x[0], &x[1]);
    carry(&x[3], &x[4]);
}

/* Computes sum += x r; s is five times r. */
INLINE TARGET void add_product(vec sum[5], const vec x[5], const vec r[5], const vec s[5])
{
#pragma GCC unroll 5
    for (int a = 0; a < 5; a++)
#pragma GCC unroll 5
        for (int b = 0; b < 5; b++) {
            const vec product = mul(x[a], a + b < 5 ? r[b] : s[b]);
            sum[(a + b) % 5] = add(sum[(a + b) % 5], product);
            keep(&sum[(a + b) % 5]);
        }
}

/* The first one to eight blocks, in the last lanes; h is added to the first of them. */
struct front {
    alignas(64) uint64_t block[WORDS_LANES][2], top[WORDS_LANES][2];
};

INLINE TARGET void fill_front(struct front *front, const uint64_t h[3], const uint8_t *in,
                              size_t num_blocks)
{
    memset(front, 0, sizeof *front);
    size_t lane = WORDS_LANES - num_blocks;
    poly1305_wide x = (poly1305_wide)load_le64(in) + h[0];
    front->block[lane][0] = (uint64_t)x;
    x = (poly1305_wide)load_le64(in + 8) + h[1] + (uint64_t)(x >> 64);
    front->block[lane][1] = (uint64_t)x;
    front->top[lane][0] = 1 + h[2] + (uint64_t)(x >> 64);
    while (++lane < WORDS_LANES) {
        in += 16;
        _mm_store_si128((void *)front->block[lane], _mm_loadu_si128((const void *)in));
        front->top[lane][0] = 1;
    }
}

/* Computes h, the sum of all lanes, each times its power of r. */
INLINE TARGET void join(uint64_t h[3], const vec x[5], const vec r[5])
{
    vec s[5], sum[5];
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++) {
        s[b] = add(r[b], shl(r[b], 2));
        sum[b] = spread64(0);
    }
    add_product(sum, x, r, s);
    poly1305_wide y = (poly1305_wide)total(sum[0]) + ((poly1305_wide)total(sum[1]) << 26) +
                      ((poly1305_wide)total(sum[2]) << 52);
    const uint64_t h0 = (uint64_t)y;
    y = (y >> 64) + ((poly1305_wide)total(sum[3]) << 14) + ((poly1305_wide)total(sum[4]) << 40);
    const uint64_t above = (uint64_t)(y >> 64);
    const poly1305_wide z = (poly1305_wide)h0 + (above >> 2) * 5;
    h[0] = (uint64_t)z;
    y = (poly1305_wide)(uint64_t)y + (uint64_t)(z >> 64);
    h[1] = (uint64_t)y;
    h[2] = (above & 3) + (uint64_t)(y >> 64);
}

TARGET void KERNEL(poly1305_blocks)(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                                    const struct poly1305_key *key)
{
    const struct poly1305_words *w = (const void *)key->powers;
    if (!num_blocks)
        return;
    size_t num_groups = (num_blocks + WORDS_LANES - 1) / WORDS_LANES;
    const size_t first = (num_blocks - 1) % WORDS_LANES + 1;
    size_t j = (num_groups - 1) % WORDS_GROUPS;
    struct front front;
    vec sum[5], top, none;
    fill_front(&front, h, in, first);
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        sum[b] = spread64(w->sums[j][b]);
    add_group(sum, front.block, w->rows[j][0], 1);
    load(&top, &none, front.top);
    add_row(sum, top, w->rows[j][4], 1);
    in += 16 * first;
    for (num_groups -= j + 1; j; in += 16 * WORDS_LANES)
        add_group(sum, in, w->rows[--j][0], 1);
    for (; num_groups; num_groups -= WORDS_GROUPS) {
        vec x[5], r[5], s[5];
#pragma GCC unroll 5
        for (int b = 0; b < 5; b++) {
            x[b] = sum[b];
            sum[b] = spread64(w->sums[WORDS_GROUPS][b]);
        }
        reduce(x);
        for (j = WORDS_GROUPS - 1; j; j--, in += 16 * WORDS_LANES)
            add_group(sum, in, w->rows[j][0], 1);
#pragma GCC unroll 5
        for (int b = 0; b < 5; b++) {
            r[b] = spread32(&w->turn[0][b]);
            s[b] = spread32(&w->turn[1][b]);
        }
        add_product(sum, x, r, s); /* added late, when the reduction of x has long finished */
        add_last_group(sum, in);
        in += 16 * WORDS_LANES;
    }
    reduce(sum);
    vec lanes[5];
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        lanes[b] = widen(w->lanes[b]);
    join(h, sum, lanes);
    WIPE(&front);
    leave();
}
