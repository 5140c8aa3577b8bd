/* SPDX-License-Identifier: Apache-2.0 */
/* One message under a key without powers, in eight lanes.  Powers of r are computed in vectors,
 * and only those that pairs of groups of eight blocks need: r to r^8, R = r^8 and R^2. */

/* The multipliers of a message. */
struct once {
    uint64_t one[2][5], two[2][5]; /* R and R^2: limbs, and five times that */
    uint64_t rows[4][5];           /* R 2^(32 a) */
    uint64_t sum[5];               /* 2^128 (1 + R) */
    vec lanes[5];                  /* r^8, r^4, r^7, r^3, r^6, r^2, r^5, r */
};

#define QUAD __m256i

INLINE TARGET QUAD quad(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

INLINE TARGET void carry_quad(QUAD *from, QUAD *to)
{
    *to = _mm256_add_epi64(*to, _mm256_srli_epi64(*from, 26));
    *from = _mm256_and_si256(*from, quad((1 << 26) - 1));
}

INLINE TARGET QUAD five_times(QUAD x)
{
    return _mm256_add_epi64(x, _mm256_slli_epi64(x, 2));
}

/* Reduces sums of up to 64 bits, as reduce() does. */
INLINE TARGET void reduce_quad(QUAD x[5])
{
    QUAD above = quad(0);
    carry_quad(&x[0], &x[1]);
    carry_quad(&x[3], &x[4]);
    carry_quad(&x[1], &x[2]);
    carry_quad(&x[4], &above);
    x[0] = _mm256_add_epi64(x[0], five_times(above));
    carry_quad(&x[2], &x[3]);
    carry_quad(&x[0], &x[1]);
    carry_quad(&x[3], &x[4]);
}

INLINE TARGET void multiply_quad(QUAD out[5], const QUAD x[5], const QUAD r[5])
{
    QUAD s[5], sum[5];
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        s[b] = five_times(r[b]);
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++) {
        sum[b] = _mm256_mul_epu32(x[0], r[b]);
#pragma GCC unroll 4
        for (int a = 1; a < 5; a++)
            sum[b] =
                _mm256_add_epi64(sum[b], _mm256_mul_epu32(x[a], a <= b ? r[b - a] : s[b - a + 5]));
    }
    reduce_quad(sum);
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        out[b] = sum[b];
}

INLINE TARGET void split_number(uint64_t limb[5], const uint64_t x[3])
{
    const uint64_t mask = (1 << 26) - 1;
    limb[0] = x[0] & mask;
    limb[1] = x[0] >> 26 & mask;
    limb[2] = (x[0] >> 52 | x[1] << 12) & mask;
    limb[3] = x[1] >> 14 & mask;
    limb[4] = x[1] >> 40 | x[2] << 24;
}

/* Computes x 2^32 = x 2^26 2^6. */
INLINE TARGET void shift_quad(QUAD x[5])
{
    const QUAD last = _mm256_slli_epi64(x[4], 6);
#pragma GCC unroll 4
    for (int b = 4; b; b--)
        x[b] = _mm256_slli_epi64(x[b - 1], 6);
    x[0] = five_times(last);
    QUAD above = quad(0);
    carry_quad(&x[4], &above);
    carry_quad(&x[3], &x[4]);
    carry_quad(&x[2], &x[3]);
    carry_quad(&x[1], &x[2]);
    carry_quad(&x[0], &x[1]);
    x[0] = _mm256_add_epi64(x[0], five_times(above));
}

INLINE TARGET void store_first(uint64_t out[5], const QUAD x[5])
{
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        _mm_storel_epi64((void *)(out + b), _mm256_castsi256_si128(x[b]));
}

INLINE TARGET void store_factor(uint64_t out[2][5], const QUAD x[5])
{
    QUAD s[5];
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        s[b] = five_times(x[b]);
    store_first(out[0], x);
    store_first(out[1], s);
}

/* Computes r to r^8, and R in all lanes of `out`.  Each product waits for the one before, and so
 * blocks of `front` take no time of their own. */
INLINE TARGET void powers_of_r(QUAD out[5], vec lanes[5], const uint64_t r[2],
                               struct poly1305_front *front)
{
    uint64_t limb[5];
    QUAD x[5], square[5], low[5], high[5];
    split_number(limb, (const uint64_t[3]){ r[0], r[1], 0 });
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        x[b] = quad(limb[b]);
    multiply_quad(square, x, x);
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        low[b] = _mm256_blend_epi32(square[b], x[b], 0xf0); /* r^2, r^2, r, r */
    poly1305_front_blocks(front, 2);
    multiply_quad(high, low, square);
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++) {
        low[b] = _mm256_blend_epi32(low[b], high[b], 0x33); /* r^4, r^2, r^3, r */
        x[b] = _mm256_broadcastq_epi64(_mm256_castsi256_si128(high[b]));
    }
    poly1305_front_blocks(front, 2);
    multiply_quad(high, low, x);
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++) {
        lanes[b] =
            pair(_mm256_unpacklo_epi64(high[b], low[b]), _mm256_unpackhi_epi64(high[b], low[b]));
        out[b] = _mm256_broadcastq_epi64(_mm256_castsi256_si128(high[b]));
    }
}

/* Computes what pairs of groups need. */
INLINE TARGET void make_pair(struct once *p, QUAD x[5])
{
    QUAD square[5];
    multiply_quad(square, x, x);
    store_factor(p->two, square);
#pragma GCC unroll 4
    for (int a = 0; a < 4; a++) {
        store_first(p->rows[a], x);
        shift_quad(x);
    }
    x[4] = _mm256_add_epi64(x[4], quad(1 << 24));
    store_first(p->sum, x);
}

/* Adds eight blocks, with their 2^128. */
INLINE TARGET void add_ones(vec sum[5], const uint8_t *in)
{
    add_last_group(sum, in);
    sum[4] = add(sum[4], spread64(1 << 24));
}

/* Computes sum += x f. */
INLINE TARGET void turn(vec sum[5], const uint64_t f[2][5], const vec x[5])
{
    vec r[5], s[5];
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++) {
        r[b] = spread64(f[0][b]);
        s[b] = spread64(f[1][b]);
    }
    add_product(sum, x, r, s);
}

/* Keeps the compiler from loading multipliers ahead of a loop, for which there are not enough
 * registers. */
INLINE void keep_in_memory(const struct once *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

/* Groups are reduced in pairs, if there are many.  The blocks that do not fill a group come first.
 */
TARGET void KERNEL(poly1305_once)(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                                  const uint64_t r[2])
{
    enum { GROUP = 16 * WORDS_LANES };
    struct poly1305_front front = { { h[0], h[1], h[2] }, in, num_blocks % WORDS_LANES, r };
    struct once p;
    uint64_t limb[5];
    vec x[5], sum[5];
    const size_t left = num_blocks / WORDS_LANES - 1, pairs = left > 3 ? left / 2 : 0;
    QUAD R[5];
    powers_of_r(R, p.lanes, r, &front);
    poly1305_front_blocks(&front, WORDS_LANES - 1);
    store_factor(p.one, R);
    if (pairs)
        make_pair(&p, R);

    split_number(limb, front.h);
    in = front.in;
#pragma GCC unroll 5
    for (int b = 0; b < 5; b++)
        x[b] = first_lane(limb[b]);
    add_ones(x, in);
    reduce(x);
    in += GROUP;
    for (size_t i = left - 2 * pairs; i; i--, in += GROUP) {
#pragma GCC unroll 5
        for (int b = 0; b < 5; b++)
            sum[b] = spread64(0);
        turn(sum, (const uint64_t(*)[5])p.one, x);
        add_ones(sum, in);
        reduce(sum);
#pragma GCC unroll 5
        for (int b = 0; b < 5; b++)
            x[b] = sum[b];
    }
    for (size_t i = pairs; i; i--, in += 2 * GROUP) {
        keep_in_memory(&p);
#pragma GCC unroll 5
        for (int b = 0; b < 5; b++)
            sum[b] = spread64(p.sum[b]);
        add_group(sum, in, (const uint32_t *)p.rows, 2);
        turn(sum, (const uint64_t(*)[5])p.two, x);
        add_last_group(sum, in + GROUP);
        reduce(sum);
#pragma GCC unroll 5
        for (int b = 0; b < 5; b++)
            x[b] = sum[b];
    }
    join(h, x, p.lanes);
    WIPE(&p);
    WIPE(&front.h);
    leave();
}
