/* SPDX-License-Identifier: Apache-2.0 */
/* CBC decryption, SP 800-38A section 6.2: out[i] = D(in[i]) ^ in[i - 1], in[-1] = iv.  The file
 * that includes this one defines the vector width and the CPU.
 *
 *   int aes_cbc_decrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last in[i]. */

/* Reads all that it needs of `in` before it writes, because out may be equal to in. */
INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part, vec *prev,
                         const struct aes_key *key, unsigned rounds)
{
    vec s[BATCH];
    EACH(num, s[i] = load_at(in, i, part));
    decrypt(s, num, key, rounds);
    s[0] = xor(s[0], blocks_before(*prev, load_at(in, 0, part)));
    EACH(num, if (i > 0) s[i] = xor(s[i], load(in + i * sizeof(vec) - 16)));
    *prev = spread(in + 16 * (part ? part : num * LANES) - 16);
    EACH(num, store_at(out, i, s[i], part));
}

INLINE TARGET void cbc(uint8_t *out, const uint8_t *in, size_t num_blocks,
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
    const block y = xor16(decrypt16(x, key, rounds), load16(iv));
    store_next(next, x);
    store16(out, y);
}

AES_KERNEL(aes_cbc_decrypt, one, cbc)
