/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, SP 800-38A section 6.1: out[i] = E(in[i]), D(in[i]); width as the includer chose.
 *
 *   void aes_ecb_<direction>_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                                  const struct aes_key *key, uint8_t iv[16]);
 *
 * out is in or does not touch it; any alignment; iv is not used. */

typedef void cipher_fn(vec *s, size_t num, const struct aes_key *key, unsigned rounds);

INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part,
                         cipher_fn *cipher, const struct aes_key *key, unsigned rounds)
{
    vec s[BATCH];
    for (size_t i = 0; i < num; i++)
        s[i] = load_at(in, i, part);
    cipher(s, num, key, rounds);
    for (size_t i = 0; i < num; i++)
        store_at(out, i, s[i], part);
}

INLINE TARGET void ecb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, cipher_fn *cipher, unsigned rounds)
{
    EACH_BATCH(batch, out, in, num_blocks, cipher, key, rounds);
    leave();
}

TARGET void KERNEL(aes_ecb_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aes_key *key, uint8_t iv[16])
{
    FOR_ROUNDS(key, ecb, out, in, num_blocks, key, encrypt);
}

TARGET void KERNEL(aes_ecb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aes_key *key, uint8_t iv[16])
{
    FOR_ROUNDS(key, ecb, out, in, num_blocks, key, decrypt);
}
