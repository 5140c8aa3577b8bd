/* SPDX-License-Identifier: Apache-2.0 */
/* CBC encryption, SP 800-38A section 6.2: out[i] = E(in[i] ^ out[i - 1]), and CFB128 encryption,
 * section 6.3: out[i] = in[i] ^ E(out[i - 1]), with out[-1] = iv, by look-ups of nibbles.
 *
 *   int aes_<mode>_encrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                                const struct aes_key *key, const uint8_t iv[16],
 *                                uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last out[i]. */

INLINE TARGET void chain(uint8_t *out, const uint8_t *in, size_t num_blocks,
                         const struct aes_key *key, const uint8_t iv[16], uint8_t next[16], int cbc,
                         unsigned rounds)
{
    const vec first = load(key->enc[0]);
    vec x = load(iv);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        x = cbc ? chain_block(xor(x, xor(load(in), first)), key, rounds)
                : xor(chain_block(xor(x, first), key, rounds), load(in));
        store(out, x);
    }
    store_next(next, x);
}

INLINE TARGET void cbc(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    (void)rounds; /* FOR_ROUNDS makes a constant of it */
    FOR_ROUNDS(key, chain, out, in, num_blocks, key, iv, next, 1);
}

INLINE TARGET void cfb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    (void)rounds;
    FOR_ROUNDS(key, chain, out, in, num_blocks, key, iv, next, 0);
}

INLINE TARGET void cbc_one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                           const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const vec x = encrypt16(load(in) ^ load(iv), key, rounds);
    store(out, x);
    store_next(next, x);
}

INLINE TARGET void cfb_one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                           const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const vec x = encrypt16(load(iv), key, rounds) ^ load(in);
    store(out, x);
    store_next(next, x);
}

AES_KERNEL(aes_cbc_encrypt, cbc_one, cbc)
AES_KERNEL(aes_cfb_encrypt, cfb_one, cfb)
