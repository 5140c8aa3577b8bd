/* SPDX-License-Identifier: Apache-2.0 */
/* Big numbers by doubling and halving: an implementation that shares no code with sem_mont.c. */
#include "run.h"
#include <string.h>

int num_less(const uint64_t *a, const uint64_t *b, unsigned words)
{
    while (words-- > 0)
        if (a[words] != b[words])
            return a[words] < b[words];
    return 0;
}

/* a += b. Returns the carry. */
static unsigned add(uint64_t *a, const uint64_t *b, unsigned words)
{
    unsigned carry = 0;
    for (unsigned i = 0; i < words; i++) {
        const uint64_t sum = a[i] + b[i];
        const unsigned out = sum < a[i];
        a[i] = sum + carry;
        carry = out | (a[i] < sum);
    }
    return carry;
}

static void subtract(uint64_t *a, const uint64_t *b, unsigned words)
{
    unsigned borrow = 0;
    for (unsigned i = 0; i < words; i++) {
        const uint64_t difference = a[i] - b[i];
        const unsigned out = a[i] < b[i];
        a[i] = difference - borrow;
        borrow = out | (difference < borrow);
    }
}

/* a = a + b mod n; both are less than n. */
static void add_mod(uint64_t *a, const uint64_t *b, const uint64_t *n, unsigned words)
{
    if (add(a, b, words) || !num_less(a, n, words))
        subtract(a, n, words);
}

static void double_mod(uint64_t *a, const uint64_t *n, unsigned words)
{
    uint64_t same[MONT_WORDS];
    memcpy(same, a, words * sizeof *a);
    add_mod(a, same, n, words);
}

/* 1 mod n. */
static void one(uint64_t *out, const uint64_t *n, unsigned words)
{
    memset(out, 0, words * sizeof *out);
    out[0] = 1;
    if (!num_less(out, n, words))
        out[0] = 0;
}

void num_mul_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                 unsigned words)
{
    uint64_t unit[MONT_WORDS], a_mod[MONT_WORDS] = { 0 }, sum[MONT_WORDS] = { 0 };
    one(unit, n, words);
    for (unsigned bit = 64 * words; bit-- > 0;) {
        double_mod(a_mod, n, words);
        if (a[bit / 64] >> bit % 64 & 1)
            add_mod(a_mod, unit, n, words);
    }
    for (unsigned bit = 64 * words; bit-- > 0;) {
        double_mod(sum, n, words);
        if (b[bit / 64] >> bit % 64 & 1)
            add_mod(sum, a_mod, n, words);
    }
    memcpy(out, sum, words * sizeof *out);
}

void num_shift_mod(uint64_t *out, const uint64_t *a, unsigned count, const uint64_t *n,
                   unsigned words)
{
    uint64_t unit[MONT_WORDS];
    one(unit, n, words);
    num_mul_mod(out, a, unit, n, words);
    while (count-- > 0)
        double_mod(out, n, words);
}

static void halve(uint64_t *a, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        a[i] = a[i] >> 1 | (i + 1 < words ? a[i + 1] : 0) << 63;
}

/* Computes (sum + a b_i + n if that is odd) / 2 for each bit b_i of b. */
int num_montgomery_sum(uint64_t *sum, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                       unsigned words)
{
    memset(sum, 0, (words + 1) * sizeof *sum);
    for (unsigned bit = 0; bit < 64 * words; bit++) {
        if (b[bit / 64] >> bit % 64 & 1)
            sum[words] += add(sum, a, words);
        if (sum[0] & 1)
            sum[words] += add(sum, n, words);
        halve(sum, words + 1);
    }
    return sum[words] || !num_less(sum, n, words);
}

uint64_t num_n0(uint64_t n)
{
    uint64_t inverse = 0; /* inverse of n, bit by bit */
    for (unsigned bit = 0; bit < 64; bit++)
        if ((inverse * n ^ 1) >> bit & 1)
            inverse |= UINT64_C(1) << bit;
    return -inverse;
}
