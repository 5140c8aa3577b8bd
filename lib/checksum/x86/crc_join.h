/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C of whole blocks on two execution units at once: the first part of a block is folded; on
 * the rest, four chains of CRC32 instructions run, which start from 0 and take 16 bytes each in a
 * step.  Then all results are moved to the block's end: a sum of products that is divided once
 * (crc_k.h).  After Gopal et al., Fast CRC computation for iSCSI polynomial using CRC32
 * instruction, Intel 2011, which uses three chains and no folding. */

enum {
    STEPS = CRC_JOIN_STEPS(VEC),
    CHAIN = 16 * STEPS,
    FOLDED = NUM * BYTES * STEPS,
    BLOCK = FOLDED + 4 * CHAIN,
};

/* Advances the four chains by 16 bytes each. */
INLINE void step_chains(uint64_t c[4], const uint8_t *in)
{
#pragma GCC unroll 2
    for (int word = 0; word < 16; word += 8)
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            c[i] = _mm_crc32_u64(c[i], load_le64(in + CHAIN * i + word));
}

INLINE uint32_t join_block(uint32_t crc, const uint8_t *in, const struct crc_k *k)
{
    const struct crc_join *by = &k->join[VEC];
    const uint8_t *chains = in + FOLDED;
    uint64_t c[4] = { 0 };
    vec v[NUM];
    begin_many(v, in, widen(_mm_cvtsi32_si128((int)crc)));
    for (const uint8_t *at = in + NUM * BYTES; at < in + FOLDED; at += NUM * BYTES, chains += 16) {
        step_many(v, at, k);
        step_chains(c, chains);
    }
    step_chains(c, chains);
    const __m128i x = narrow(end_many(v, k), k), move = load16((const uint8_t *)by->fold);
    __m128i sum =
        _mm_xor_si128(_mm_clmulepi64_si128(x, move, 0x00), _mm_clmulepi64_si128(x, move, 0x11));
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        sum = _mm_xor_si128(sum,
                            _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)c[i]),
                                                 _mm_cvtsi64_si128((long long)by->chain[i]), 0x00));
    return last16_crc32(sum, k) ^ (uint32_t)c[3];
}

INLINE uint32_t crc_join(uint32_t crc, const uint8_t *in, size_t len, const struct crc_k *k)
{
    for (; UNLIKELY(len >= BLOCK); in += BLOCK, len -= BLOCK)
        crc = join_block(crc, in, k);
    return crc_fold(crc, in, len, k, 128, short_crc32, last16_crc32);
}
