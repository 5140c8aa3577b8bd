/* SPDX-License-Identifier: Apache-2.0 */
/* CFB128 decryption, SP 800-38A section 6.3: out[i] = in[i] ^ E(in[i - 1]), in[-1] = iv.  The file
 * that includes this one defines the vector width and the CPU.
 *
 *   int aes_cfb_decrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last in[i]. */

/* Reads each vector of `in` for the last time before it writes to that place, because out may be
 * equal to in. */
INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part, vec *prev,
                         const struct aes_key *key, unsigned rounds)
{
    vec s[BATCH];
    s[0] = blocks_before(*prev, load_at(in, 0, part));
    EACH(num, if (i > 0) s[i] = load(in + i * sizeof(vec) - 16));
    *prev = spread(in + 16 * (part ? part : num * LANES) - 16);
    encrypt(s, num, key, rounds);
    EACH(num, store_at(out, i, xor(s[i], load_at(in, i, part)), part));
}

INLINE TARGET void cfb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    vec prev = spread(iv);
    EACH_BATCH(batch, out, in, num_blocks, &prev, key, rounds);
    store_next(next, low16(prev));
    leave();
}

INLINE TARGET void one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                       const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const block x = load16(in);
    store16(out, xor16(encrypt16(load16(iv), key, rounds), x));
    store_next(next, x);
}

AES_KERNEL(aes_cfb_decrypt, one, cfb)
