/* SPDX-License-Identifier: Apache-2.0 */
/* CTR, SP 800-38A section 6.5: out[i] = in[i] ^ E(iv + i), the counter block one 64-bit big-endian
 * number; vectors as the includer chose.
 *
 *   int des_ctr_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                     const struct des_key *key, const uint8_t iv[8], uint8_t next[8]);
 *
 * out is in or does not touch it; any alignment; next becomes iv + num_blocks. */
#include "des_slice_key.h"

/* Bit s of the lanes' numbers 0 to LANES - 1. */
INLINE TARGET V lane_number(unsigned s)
{
    uint64_t words[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = 1u << s < WORDS ? 0 - (uint64_t)(i >> s & 1)
                                   : ~(UINT64_MAX / ((1ull << (1u << s) / WORDS) + 1));
    V number;
    memcpy(&number, words, sizeof number);
    return number;
}

/* The slices of base, base + 1 ... in the lanes: those bits that the lanes' numbers have are added;
 * of the others base has, what is carried changes those up to the first that is 0. */
INLINE TARGET void count_slices(V x[64], uint64_t base)
{
    V carry = { 0 };
    unsigned s = 0;
#define SLICE(s) x[(s) ^ 56] /* big-endian */
#define BIT(s) ((0 - (base >> (s)&1)) - (V){ 0 })
#pragma GCC unroll 9
    for (; s < (unsigned)__builtin_ctz(LANES); s++) {
        const V bit = BIT(s), number = lane_number(s);
        SLICE(s) = bit ^ number ^ carry;
        carry = (bit & number) | ((bit ^ number) & carry);
    }
    for (unsigned i = s; i < 64; i++)
        SLICE(i) = BIT(i);
    for (const uint64_t change = base ^ (base + LANES); s < 64 && change >> s & 1; s++)
        SLICE(s) ^= carry;
#undef BIT
#undef SLICE
}

TARGET int KERNEL(des_ctr)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *schedule,
                           const uint8_t *iv, uint8_t *next)
{
    const struct des_key *key = schedule;
    struct slice_work w;
    uint64_t counter = load_be64(iv);
    slice_expand(&w, key, 0);
    for (size_t now; num_blocks; num_blocks -= now, in += 8 * now, out += 8 * now) {
        now = num_blocks < LANES ? num_blocks : LANES;
        count_slices(w.x, counter);
        counter += now;
        slice_rounds(w.x, 16 * key->passes, w.masks[0]);
        slice_to_blocks(w.x, w.x);
        slice_xor(out, w.x, in, now);
    }
    if (next)
        store_be64(next, counter);
    slice_wipe(&w, 16 * key->passes);
    return 0;
}
