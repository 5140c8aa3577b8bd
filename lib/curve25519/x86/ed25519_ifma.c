/* SPDX-License-Identifier: Apache-2.0 */
/* Multiples of Ed25519's base point by multipliers of 52 by 52 bits: the four coordinates of a
 * point lie in the lanes of a vector, and are multiplied at once (Hisil, Wong, Carter and Dawson,
 * section 4.2).  A vector has limb i of each, a number is the sum of limb i times 2^(51 i);
 * multiplicands have limbs below 2^52.  Prototypes: ed25519.h. */
#include "../../proven/bignum.h"
#include "../ed25519_comb.h"
#include "../x25519.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl,avx512ifma,avx2,bmi2")))
#define INLINE static inline __attribute__((always_inline)) TARGET
/* Loops are unrolled, so that vectors stay in registers. */
#define UNROLLED(num) _Pragma("GCC unroll 25") for (int i = 0; i < (num); i++)
#define EACH UNROLLED(5)

typedef __m256i vec;

struct four {
    vec v[5]; /* lanes X, Y, T, Z */
};

INLINE vec all(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

/* Brings limbs below 2^60 below 2^51 + 2^14. */
INLINE void carry(struct four *a)
{
    const vec mask = all((UINT64_C(1) << 51) - 1);
    vec c[5];
    EACH c[i] = _mm256_srli_epi64(a->v[i], 51);
    /* 2^255 = 19 = 16 + 2 + 1 */
    const vec top = _mm256_add_epi64(_mm256_add_epi64(_mm256_slli_epi64(c[4], 4), c[4]),
                                     _mm256_add_epi64(c[4], c[4]));
    EACH a->v[i] = _mm256_add_epi64(_mm256_and_si256(a->v[i], mask), i ? c[i - 1] : top);
}

/* The low halves of products have the weights of limbs, the high ones twice the next limb's. */
INLINE void multiply(struct four *out, const struct four *a, const struct four *b)
{
    vec low[10], high[10];
    UNROLLED(10)
    low[i] = high[i] = _mm256_setzero_si256();
    UNROLLED(25)
    {
        const int j = i / 5, k = i % 5;
        low[j + k] = _mm256_madd52lo_epu64(low[j + k], a->v[j], b->v[k]);
        high[j + k + 1] = _mm256_madd52hi_epu64(high[j + k + 1], a->v[j], b->v[k]);
    }
    UNROLLED(10)
    low[i] = _mm256_add_epi64(low[i], _mm256_add_epi64(high[i], high[i]));
    EACH
    {
        const vec x = low[i + 5];
        const vec x19 =
            _mm256_add_epi64(_mm256_add_epi64(_mm256_slli_epi64(x, 4), x), _mm256_add_epi64(x, x));
        out->v[i] = _mm256_add_epi64(low[i], x19);
    }
    carry(out);
}

/* 2 p, whose limbs are not below those of a number after carry(). */
INLINE vec twice_p(int i)
{
    return all((UINT64_C(1) << 52) - (i ? 2 : 38));
}

/* p += q for q as y - x, x + y, 2 d x y and 2. */
INLINE void add(struct four *p, const struct four *q)
{
    const vec e_g_e_f = _mm256_setr_epi64x(0, 6, 0, 2), f_h_h_g = _mm256_setr_epi64x(2, 4, 4, 6);
    struct four left, right, m;
    EACH left.v[i] = _mm256_add_epi64(_mm256_mask_sub_epi64(p->v[i], 1, twice_p(i), p->v[i]),
                                      _mm256_maskz_permutex_epi64(3, p->v[i], 0x01));
    carry(&left); /* Y - X, X + Y, T, Z */
    multiply(&m, &left, q);
    struct four sum, difference; /* H H G G, and E . F . */
    EACH
    {
        const vec swapped = _mm256_shuffle_epi32(m.v[i], 0x4e);
        sum.v[i] = _mm256_add_epi64(m.v[i], swapped);
        difference.v[i] = _mm256_add_epi64(swapped, _mm256_sub_epi64(twice_p(i), m.v[i]));
    }
    carry(&sum);
    carry(&difference);
    EACH
    {
        left.v[i] = _mm256_permutex2var_epi64(difference.v[i], e_g_e_f, sum.v[i]);
        right.v[i] = _mm256_permutex2var_epi64(difference.v[i], f_h_h_g, sum.v[i]);
    }
    multiply(p, &left, &right);
}

/* out = the entry of a digit, and reads all of the window. */
INLINE void choose(struct four *out, const uint64_t window[COMB_ENTRIES][12],
                   const struct comb_digit *digit)
{
    const vec wanted = all(digit->abs), mask = all((UINT64_C(1) << 51) - 1);
    const __mmask8 neutral = _mm256_cmpeq_epi64_mask(wanted, _mm256_setzero_si256()),
                   negative =
                       _mm256_cmpneq_epi64_mask(all(digit->negative), _mm256_setzero_si256());
    const vec one = _mm256_setr_epi64x(1, 0, 0, 0), two = _mm256_setr_epi64x(2, 0, 0, 0);
    vec a = _mm256_maskz_mov_epi64(neutral, one), b = a, c = _mm256_setzero_si256();
    for (uint64_t i = 0; i < COMB_ENTRIES; i++) {
        const __mmask8 is = _mm256_cmpeq_epi64_mask(wanted, all(i + 1));
        a = _mm256_mask_loadu_epi64(a, is, window[i]);
        b = _mm256_mask_loadu_epi64(b, is, window[i] + 4);
        c = _mm256_mask_loadu_epi64(c, is, window[i] + 8);
    }
    const vec first = _mm256_mask_mov_epi64(a, negative, b),
              second = _mm256_mask_mov_epi64(b, negative, a);
    /* Words of the four numbers to vectors of words, and these to limbs. */
    const vec ab0 = _mm256_unpacklo_epi64(first, second),
              ab1 = _mm256_unpackhi_epi64(first, second), cd0 = _mm256_unpacklo_epi64(c, two),
              cd1 = _mm256_unpackhi_epi64(c, two), w0 = _mm256_permute2x128_si256(ab0, cd0, 0x20),
              w1 = _mm256_permute2x128_si256(ab1, cd1, 0x20),
              w2 = _mm256_permute2x128_si256(ab0, cd0, 0x31),
              w3 = _mm256_permute2x128_si256(ab1, cd1, 0x31);
    const vec limbs[5] = {
        w0,
        _mm256_or_si256(_mm256_srli_epi64(w0, 51), _mm256_slli_epi64(w1, 13)),
        _mm256_or_si256(_mm256_srli_epi64(w1, 38), _mm256_slli_epi64(w2, 26)),
        _mm256_or_si256(_mm256_srli_epi64(w2, 25), _mm256_slli_epi64(w3, 39)),
        _mm256_srli_epi64(w3, 12),
    };
    EACH
    {
        const vec x = _mm256_and_si256(limbs[i], mask);
        out->v[i] = _mm256_mask_sub_epi64(x, negative & 4, twice_p(i), x);
    }
}

/* Words below p of the number in one lane. */
static inline void to_words(uint64_t out[4], const uint64_t limbs[5][4], int lane)
{
    unsigned __int128 sum = 0;
    uint64_t words[4];
    int at = 0;
    for (int i = 0; i < 4; i++) {
        /* limb k begins at bit 51 k - 64 i of this word */
        for (; at < 5 && 51 * at < 64 * (i + 1); at++)
            sum += (unsigned __int128)limbs[at][lane] << (51 * at - 64 * i);
        words[i] = (uint64_t)sum;
        sum >>= 64;
    }
    hr_proven_bignum_mod_p25519_4(out, words);
}

/* out = X, Y, Z of scalar B. */
static TARGET __attribute__((noinline)) void comb(uint64_t out[12], const uint64_t scalar[4])
{
    struct comb_digit digits[COMB_WINDOWS];
    struct four p, q;
    uint64_t limbs[5][4];
    comb_digits(digits, scalar);
    EACH p.v[i] = i ? _mm256_setzero_si256() : _mm256_setr_epi64x(0, 1, 0, 1);
    for (int i = 0; i < COMB_WINDOWS; i++) {
        choose(&q, ed25519_comb_table[i], &digits[i]);
        add(&p, &q);
    }
    EACH _mm256_storeu_si256((__m256i *)limbs[i], p.v[i]);
    _mm256_zeroupper();
    to_words(out, limbs, 0);
    to_words(out + 4, limbs, 1);
    to_words(out + 8, limbs, 3);
    WIPE(&digits);
    WIPE(&limbs);
}

void ed25519_base_ifma(uint64_t out[8], const uint64_t scalar[4])
{
    uint64_t xyz[12], inverse[4];
    comb(xyz, scalar);
    hr_proven_bignum_inv_p25519(inverse, xyz + 8);
    hr_proven_bignum_mul_p25519(out, xyz, inverse);
    hr_proven_bignum_mul_p25519(out + 4, xyz + 4, inverse);
    WIPE(&xyz);
    WIPE(&inverse);
}

uint64_t ed25519_differs_ifma(const uint64_t point[8], const uint64_t scalar[4])
{
    uint64_t xyz[12], x[4], y[4], differs = 0;
    comb(xyz, scalar);
    hr_proven_bignum_mul_p25519(x, point, xyz + 8);
    hr_proven_bignum_mul_p25519(y, point + 4, xyz + 8);
    for (int i = 0; i < 4; i++)
        differs |= (x[i] ^ xyz[i]) | (y[i] ^ xyz[i + 4]);
    WIPE(&xyz);
    WIPE(&x);
    WIPE(&y);
    return differs;
}

/* u = (1 + y) / (1 - y) = (Z + Y) / (Z - Y), RFC 7748 section 4.1. */
void ed25519_x25519_ifma(uint64_t out[4], const uint64_t scalar[4])
{
    uint64_t k[4], xyz[12], sum[4], difference[4];
    memcpy(k, scalar, sizeof k);
    k[0] &= ~UINT64_C(7);
    k[3] = (k[3] & ~(UINT64_C(1) << 63)) | UINT64_C(1) << 62;
    comb(xyz, k);
    hr_proven_bignum_add_p25519(sum, xyz + 8, xyz + 4);
    hr_proven_bignum_sub_p25519(difference, xyz + 8, xyz + 4);
    hr_proven_bignum_inv_p25519(difference, difference);
    hr_proven_bignum_mul_p25519(out, sum, difference);
    WIPE(&k);
    WIPE(&xyz);
    WIPE(&sum);
    WIPE(&difference);
}
