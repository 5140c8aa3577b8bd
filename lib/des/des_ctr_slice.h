/* SPDX-License-Identifier: Apache-2.0 */
/* CTR, SP 800-38A section 6.5: out[i] = in[i] ^ E(iv + i); the counter block is one 64-bit
 * big-endian number.  The file that includes this one defines the vectors.
 *
 *   int des_ctr_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                     const struct des_key *key, const uint8_t iv[8], uint8_t next[8]);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes iv + num_blocks. */
#include "des_slice_key.h"

/* Returns bit s of each lane's number, 0 to LANES - 1. */
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

/* Makes the bit slices of the counters base, base + 1 ... of the lanes.  The low bits are an
 * addition of the lanes' numbers to base; the bits above are those of base, changed by the carry up
 * to the first bit that is 0. */
INLINE TARGET void count_slices(V x[64], uint64_t base)
{
    V carry = { 0 };
    unsigned s = 0;
#define SLICE(s) x[(s) ^ 56] /* the counter is big-endian */
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
