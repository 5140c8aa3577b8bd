/* SPDX-License-Identifier: Apache-2.0 */
/* CBC decryption, SP 800-38A section 6.2: out[i] = D(in[i]) ^ in[i - 1], in[-1] = iv; width as the
 * includer chose.
 *
 *   void aes_cbc_decrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                              const struct aes_key *key, uint8_t iv[16]);
 *
 * out is in or does not touch it; any alignment; iv becomes the last in[i]. */

/* Reads all that it needs of `in` before it writes: out may be in. */
INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part, vec *prev,
                         const struct aes_key *key, unsigned rounds)
{
    vec s[BATCH];
    for (size_t i = 0; i < num; i++)
        s[i] = load_at(in, i, part);
    decrypt(s, num, key, rounds);
    s[0] = xor(s[0], blocks_before(*prev, load_at(in, 0, part)));
    for (size_t i = 1; i < num; i++)
        s[i] = xor(s[i], load(in + i * sizeof(vec) - 16));
    *prev = spread(in + 16 * (part ? part : num * LANES) - 16);
    for (size_t i = 0; i < num; i++)
        store_at(out, i, s[i], part);
}

INLINE TARGET void cbc(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, uint8_t iv[16], unsigned rounds)
{
    vec prev = spread(iv);
    EACH_BATCH(batch, out, in, num_blocks, &prev, key, rounds);
    store_part(iv, prev, 1);
    leave();
}

TARGET void KERNEL(aes_cbc_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aes_key *key, uint8_t iv[16])
{
    FOR_ROUNDS(key, cbc, out, in, num_blocks, key, iv);
}
