/* SPDX-License-Identifier: Apache-2.0 */
/* CFB128 encryption, SP 800-38A section 6.3: out[i] = in[i] ^ E(out[i - 1]), out[-1] = iv.
 *
 *   int aes_cfb_encrypt_ce(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last out[i].  See
 * aes_chain_ce.h for the chain. */
#include "aes_chain_ce.h"

INLINE TARGET void cfb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    struct schedule s;
    load_schedule(&s, key, rounds);
    block x = xor16(load16(iv), s.last), fold = s.both;
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        const block input = load16(in);
        x = chain_rounds(x, fold, &s, rounds);
        store16(out, xor16(xor16(x, s.last), input));
        fold = xor16(s.both, input);
    }
    store_next(next, xor16(xor16(x, fold), load16(key->enc[0])));
}

INLINE TARGET void one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                       const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const block x = xor16(encrypt16(load16(iv), key, rounds), load16(in));
    store16(out, x);
    store_next(next, x);
}

AES_KERNEL(aes_cfb_encrypt, one, cfb)
