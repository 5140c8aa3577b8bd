/* SPDX-License-Identifier: Apache-2.0 */
/* CTR, SP 800-38A section 6.5: out[i] = in[i] ^ E(iv + i), the counter block one 128-bit big-endian
 * number; width as the includer chose.
 *
 *   void aes_ctr_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                      const struct aes_key *key, uint8_t iv[16]);
 *
 * out is in or does not touch it; any alignment; iv becomes iv + num_blocks.
 *
 * Vectors count in their low 64 bits only.  The message is cut where those wrap to zero, at most
 * once in 2^64 blocks, so that no batch needs a carry. */

INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part, vec *counter,
                         const struct aes_key *key, unsigned rounds)
{
    vec s[BATCH];
    for (size_t i = 0; i < num; i++)
        s[i] = reverse(add64(*counter, low64(i * LANES)));
    *counter = add64(*counter, low64(num * LANES));
    encrypt(s, num, key, rounds);
    for (size_t i = 0; i < num; i++)
        store_at(out, i, xor(s[i], load_at(in, i, part)), part);
}

INLINE TARGET void ctr(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, uint8_t iv[16], unsigned rounds)
{
    uint64_t hi = load_be64(iv), lo = load_be64(iv + 8);
    while (num_blocks) {
        const uint64_t to_wrap = 0 - lo; /* 0: 2^64 blocks */
        size_t now = to_wrap - 1 < num_blocks ? (size_t)to_wrap : num_blocks;
        num_blocks -= now;
        vec counter = count_up(hi, lo);
        lo += now;
        hi += lo == 0;
        EACH_BATCH(batch, out, in, now, &counter, key, rounds);
    }
    store_be64(iv, hi);
    store_be64(iv + 8, lo);
    leave();
}

TARGET void KERNEL(aes_ctr)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                            const struct aes_key *key, uint8_t iv[16])
{
    FOR_ROUNDS(key, ctr, out, in, num_blocks, key, iv);
}
