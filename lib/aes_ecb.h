/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, SP 800-38A section 6.1: out[i] = E(in[i]), D(in[i]); width and CPU as the includer chose.
 *
 *   int aes_ecb_<direction>_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                                 const struct aes_key *key, const uint8_t iv[16],
 *                                 uint8_t next[16]);
 *
 * out is in or does not touch it; any alignment; iv and next are not used. */

INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part, enum hr_op op,
                         const struct aes_key *key, unsigned rounds)
{
    vec s[BATCH];
    EACH(num, s[i] = load_at(in, i, part));
    if (op == HR_OP_ENCRYPT)
        encrypt(s, num, key, rounds);
    else
        decrypt(s, num, key, rounds);
    EACH(num, store_at(out, i, s[i], part));
}

INLINE TARGET void ecb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, enum hr_op op, unsigned rounds)
{
    EACH_BATCH(batch, out, in, num_blocks, op, key, rounds);
    leave();
}

INLINE TARGET void one(uint8_t *out, const uint8_t *in, const struct aes_key *key, enum hr_op op,
                       unsigned rounds)
{
    store16(out, op == HR_OP_ENCRYPT ? encrypt16(load16(in), key, rounds)
                                     : decrypt16(load16(in), key, rounds));
}

NOINLINE TARGET int many_encrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                 const struct aes_key *key, const uint8_t iv[16], uint8_t next[16])
{
    FOR_ROUNDS(key, ecb, out, in, num_blocks, key, HR_OP_ENCRYPT);
    return 0;
}

TARGET int KERNEL(aes_ecb_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const struct aes_key *key, const uint8_t iv[16],
                                   uint8_t next[16])
{
    if (!LIKELY(num_blocks == 1))
        return many_encrypt(out, in, num_blocks, key, iv, next);
    FOR_ROUNDS(key, one, out, in, key, HR_OP_ENCRYPT);
    return 0;
}

NOINLINE TARGET int many_decrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                 const struct aes_key *key, const uint8_t iv[16], uint8_t next[16])
{
    FOR_ROUNDS(key, ecb, out, in, num_blocks, key, HR_OP_DECRYPT);
    return 0;
}

TARGET int KERNEL(aes_ecb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const struct aes_key *key, const uint8_t iv[16],
                                   uint8_t next[16])
{
    if (!LIKELY(num_blocks == 1))
        return many_decrypt(out, in, num_blocks, key, iv, next);
    FOR_ROUNDS(key, one, out, in, key, HR_OP_DECRYPT);
    return 0;
}
