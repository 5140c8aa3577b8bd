/* SPDX-License-Identifier: Apache-2.0 */
/* Montgomery multiplication, a b 2^(-64 words) mod n, one word of b at a time: Montgomery,
 * "Modular multiplication without trial division", Mathematics of Computation 44 (1985). */
#include "sem.h"
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* sum[0..words] += a * factor. Returns the carry. */
static uint64_t add_product(uint64_t *sum, const uint64_t *a, uint64_t factor, unsigned words)
{
    uint128 carry = 0;
    for (unsigned i = 0; i < words; i++) {
        carry += (uint128)a[i] * factor + sum[i];
        sum[i] = (uint64_t)carry;
        carry >>= 64;
    }
    carry += sum[words];
    sum[words] = (uint64_t)carry;
    return (uint64_t)(carry >> 64);
}

/* difference = a - b. Returns 1 if a < b. */
static uint64_t subtract(uint64_t *difference, const uint64_t *a, const uint64_t *b, unsigned words)
{
    uint64_t borrow = 0;
    for (unsigned i = 0; i < words; i++) {
        const uint128 d = (uint128)a[i] - b[i] - borrow;
        difference[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    return borrow;
}

int sem_montgomery(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                   uint64_t n0, unsigned words)
{
    uint64_t sum[SEM_MONT_WORDS + 2] = { 0 }, reduced[SEM_MONT_WORDS];
    for (unsigned i = 0; i < words; i++) {
        sum[words + 1] = add_product(sum, a, b[i], words);
        sum[words + 1] += add_product(sum, n, sum[0] * n0, words);
        memmove(sum, sum + 1, (words + 1) * sizeof *sum); /* the low word is 0 */
    }
    const uint64_t borrow = subtract(reduced, sum, n, words);
    memcpy(out, sum[words] < borrow ? sum : reduced, words * sizeof *out);
    return sum[words] <= borrow && subtract(reduced, out, n, words);
}
