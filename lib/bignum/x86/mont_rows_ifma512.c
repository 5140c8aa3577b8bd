/* SPDX-License-Identifier: Apache-2.0 */
/* One power or two, whose numbers lie in rows: eight digits in each vector.
 *
 * A product is computed by digits of x from the lowest on (mont_lanes.h has the same by columns,
 * for many numbers at once).  Each adds its multiple of y, and a multiple of n' + 1 clears the
 * lowest digit, which then leaves.  n' = n (-1/n mod 2^52) ends with the digit 2^52 - 1, so that
 * the factor is that lowest digit itself, and adding n' to it only moves it: what is added is (n' +
 * 1) / 2^52, one digit further.  The last digit is cleared by a multiple of n instead, which keeps
 * numbers below 2.4 n without a subtraction.
 *
 * One number is as fast as one factor follows another, and two, whose steps are mixed, as fast as
 * the CPU begins multiplications.  Therefore the sums that need no new factor are made beside the
 * row that is shifted, for the first `early` vectors. */
#include "../mont_lanes_words.h"
#include <assert.h>
#include <immintrin.h>
#include <stddef.h>

#define TARGET __attribute__((target("avx512f,avx512ifma,bmi2")))
#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL _Pragma("GCC unroll 16")

enum { LANES = 8, MOST_VECTORS = LANES_DIGITS / LANES, MOST_ROWS = 2 };

typedef __m512i vec;

struct row {
    uint64_t unused[LANES_V];
    uint64_t zero, v[LANES_DIGITS]; /* (n' + 1) / 2^52 */
    uint64_t w[LANES_DIGITS + 1], k, unused_too[LANES_POWER - LANES_K - 1];
    uint64_t power[LANES_DIGITS], factor[LANES_DIGITS], u[LANES_DIGITS];
    uint64_t table[LANES_POWERS][LANES_DIGITS];
};
static_assert(sizeof(struct row) == LANES_WORDS * sizeof(uint64_t) &&
                  offsetof(struct row, power) == LANES_POWER * sizeof(uint64_t) &&
                  offsetof(struct row, w) == LANES_W * sizeof(uint64_t) &&
                  offsetof(struct row, v) % sizeof(vec) == 0 &&
                  offsetof(struct row, w) % sizeof(vec) == 0 &&
                  offsetof(struct row, power) % sizeof(vec) == 0 &&
                  offsetof(struct row, table) % sizeof(vec) == 0,
              "mont_lanes_words.h");

/* The numbers of vectors and of rows are constants in each function that these are inlined in. */
struct sums {
    vec sum[MOST_VECTORS]; /* of the products, from the lowest digit that is left */
    vec digit, factor;
};

INLINE vec at(const uint64_t *number, int j)
{
    return _mm512_load_si512(number + (ptrdiff_t)LANES * j);
}

INLINE vec lowest(vec x)
{
    return _mm512_broadcastq_epi64(_mm512_castsi512_si128(x));
}

/* carry_of returns the carry of the lowest digit, which is about to leave. */
INLINE vec carry_of(vec lowest)
{
    return _mm512_maskz_srli_epi64(1, lowest, LANES_DIGIT);
}

/* Leaves out the lowest digit. */
INLINE void shift(vec *sum, int vectors)
{
    UNROLL for (int j = 0; j < vectors; j++) sum[j] =
        _mm512_alignr_epi64(j + 1 < vectors ? sum[j + 1] : _mm512_setzero_si512(), sum[j], 1);
}

/* Adds what belongs to a place whose digit of x is new: the high halves of the products that the
 * digit before and the factor before that have, and the low halves of its own. */
INLINE vec add_known(vec sum, const struct sums *s, vec new_digit, vec y, vec v)
{
    sum = _mm512_madd52hi_epu64(sum, s->digit, y);
    sum = _mm512_madd52lo_epu64(sum, new_digit, y);
    return _mm512_madd52hi_epu64(sum, s->factor, v);
}

/* One digit of one row. */
INLINE void step(struct sums *s, const uint64_t *x, const uint64_t *y, const uint64_t *v,
                 int vectors, int early)
{
    const vec zero = _mm512_setzero_si512(), new_digit = _mm512_set1_epi64((long long)x[1]);
    vec next[MOST_VECTORS];
    UNROLL for (int j = 0; j < early; j++) next[j] =
        add_known(zero, s, new_digit, at(y, j), at(v, j));
    const vec new_factor = lowest(s->sum[0]);
    next[0] = _mm512_add_epi64(next[0], carry_of(s->sum[0]));
    shift(s->sum, vectors);
    UNROLL for (int j = 0; j < vectors; j++) s->sum[j] =
        j < early ? _mm512_add_epi64(s->sum[j], next[j])
                  : add_known(s->sum[j], s, new_digit, at(y, j), at(v, j));
    UNROLL for (int j = 0; j < vectors; j++) s->sum[j] =
        _mm512_madd52lo_epu64(s->sum[j], new_factor, at(v, j));
    s->factor = new_factor;
    s->digit = new_digit;
}

/* The last digit, by a multiple of n. */
INLINE void last_step(struct sums *s, const struct row *row, const uint64_t *y, int vectors)
{
    const vec k = _mm512_set1_epi64((long long)row->k),
              factor = lowest(_mm512_madd52lo_epu64(_mm512_setzero_si512(), s->sum[0], k));
    UNROLL for (int j = 0; j < vectors; j++) s->sum[j] =
        _mm512_madd52lo_epu64(s->sum[j], factor, at(row->w, j));
    const vec carry = carry_of(s->sum[0]);
    shift(s->sum, vectors);
    s->sum[0] = _mm512_add_epi64(s->sum[0], carry);
    UNROLL for (int j = 0; j < vectors; j++)
    {
        s->sum[j] = _mm512_madd52hi_epu64(s->sum[j], s->digit, at(y, j));
        s->sum[j] = _mm512_madd52hi_epu64(s->sum[j], s->factor, at(row->v, j));
        s->sum[j] = _mm512_madd52hi_epu64(s->sum[j], factor, at(row->w, j));
    }
}

/* Carries, so that digits have 52 bits.  After the carry of each to its neighbour one bit is left
 * at most, and it goes through digits whose bits are all ones, as carries go through the bits of
 * a sum. */
INLINE void carry_on(uint64_t *z, vec *sum, int vectors)
{
    const vec mask = _mm512_set1_epi64((long long)LANES_MASK);
    unsigned __int128 makes = 0, passes = 0;
    vec carry[MOST_VECTORS];
    UNROLL for (int j = 0; j < vectors; j++)
    {
        carry[j] = _mm512_srli_epi64(sum[j], LANES_DIGIT);
        sum[j] = _mm512_and_si512(sum[j], mask);
    }
    UNROLL for (int j = 0; j < vectors; j++)
    {
        const vec below = j ? carry[j - 1] : _mm512_setzero_si512();
        sum[j] = _mm512_add_epi64(sum[j], _mm512_alignr_epi64(carry[j], below, LANES - 1));
        makes |= (unsigned __int128)_mm512_cmpgt_epu64_mask(sum[j], mask) << (LANES * j);
        passes |= (unsigned __int128)_mm512_cmpeq_epu64_mask(sum[j], mask) << (LANES * j);
    }
    const unsigned __int128 takes = (2 * makes + passes) ^ passes;
    UNROLL for (int j = 0; j < vectors; j++)
    {
        const __mmask8 more = (__mmask8)(takes >> (LANES * j));
        sum[j] = _mm512_mask_sub_epi64(sum[j], more, sum[j], _mm512_set1_epi64(-1));
        _mm512_store_si512(z + (ptrdiff_t)LANES * j, _mm512_and_si512(sum[j], mask));
    }
}

/* power = power * y / R in each row, for y at an offset of words. */
INLINE void multiply(struct row *rows, size_t y_at, size_t digits, int vectors, int num, int early)
{
    struct sums sums[MOST_ROWS];
    UNROLL for (int l = 0; l < num; l++)
    {
        const uint64_t *const y = (const uint64_t *)&rows[l] + y_at;
        sums[l].digit = _mm512_set1_epi64((long long)rows[l].power[0]);
        sums[l].factor = _mm512_setzero_si512();
        UNROLL for (int j = 0; j < vectors; j++) sums[l].sum[j] =
            _mm512_madd52lo_epu64(_mm512_setzero_si512(), sums[l].digit, at(y, j));
    }
    _Pragma("GCC unroll 1") for (size_t i = 0; i + 1 < digits; i++)
    {
        UNROLL for (int l = 0; l < num; l++)
            step(&sums[l], rows[l].power + i, (const uint64_t *)&rows[l] + y_at, rows[l].v, vectors,
                 early);
    }
    UNROLL for (int l = 0; l < num; l++)
    {
        last_step(&sums[l], &rows[l], (const uint64_t *)&rows[l] + y_at, vectors);
        carry_on(rows[l].power, sums[l].sum, vectors);
    }
}

/* factor = table[index], from a look at all powers. */
INLINE void look_up(struct row *row, uint64_t index, int vectors)
{
    const vec chosen = _mm512_set1_epi64((long long)index);
    vec found[MOST_VECTORS];
    UNROLL for (int j = 0; j < vectors; j++) found[j] = _mm512_setzero_si512();
    _Pragma("GCC unroll 1") for (int i = 0; i < LANES_POWERS; i++)
    {
        const __mmask8 is_it = _mm512_cmpeq_epu64_mask(chosen, _mm512_set1_epi64(i));
        const vec mask = _mm512_maskz_set1_epi64(is_it, -1);
        UNROLL for (int j = 0; j < vectors; j++) found[j] = /* found | (power & mask) */
            _mm512_ternarylogic_epi64(found[j], at(row->table[i], j), mask, 0xf8);
    }
    UNROLL for (int j = 0; j < vectors; j++)
        _mm512_store_si512(row->factor + (ptrdiff_t)LANES * j, found[j]);
}

typedef void steps_fn(struct row *rows, size_t digits, unsigned squarings, const uint64_t *index);

INLINE void steps(struct row *rows, size_t digits, unsigned squarings, const uint64_t *index,
                  int vectors, int num, int early)
{
    while (squarings--)
        multiply(rows, LANES_POWER, digits, vectors, num, early);
    for (int l = 0; l < num && index; l++)
        look_up(&rows[l], index[l], vectors);
    multiply(rows, LANES_FACTOR, digits, vectors, num, early);
}

/* The last two are `early` of one row and of two: as many vectors as registers suffice for. */
#define STEPS(vectors, early_of_one, early_of_two)                                        \
    TARGET static void one_##vectors(struct row *rows, size_t digits, unsigned squarings, \
                                     const uint64_t *index)                               \
    {                                                                                     \
        steps(rows, digits, squarings, index, vectors, 1, early_of_one);                  \
    }                                                                                     \
    TARGET static void two_##vectors(struct row *rows, size_t digits, unsigned squarings, \
                                     const uint64_t *index)                               \
    {                                                                                     \
        steps(rows, digits, squarings, index, vectors, 2, early_of_two);                  \
    }
STEPS(2, 2, 2)
STEPS(3, 3, 3)
STEPS(4, 4, 1)
STEPS(5, 5, 1)
STEPS(8, 4, 1)
STEPS(10, 4, 1)

/* The least of these lengths that suffices. */
static const struct length {
    size_t most_digits;
    steps_fn *one, *two;
} lengths[] = {
    { 2 * LANES, one_2, two_2 }, { 3 * LANES, one_3, two_3 }, { 4 * LANES, one_4, two_4 },
    { 5 * LANES, one_5, two_5 }, { 8 * LANES, one_8, two_8 }, { LANES_DIGITS, one_10, two_10 },
};

static const struct length *length_of(size_t digits)
{
    const struct length *length = lengths;
    while (length->most_digits < digits)
        length++;
    return length;
}

void mont_rows_one_ifma512(uint64_t *words, size_t digits, unsigned squarings,
                           const uint64_t *index)
{
    length_of(digits)->one((struct row *)words, digits, squarings, index);
}

void mont_rows_ifma512(uint64_t *words, size_t digits, unsigned squarings, const uint64_t *index)
{
    length_of(digits)->two((struct row *)words, digits, squarings, index);
}
