/* SPDX-License-Identifier: Apache-2.0 */
/* CBC encryption, SP 800-38A section 6.2: out[i] = E(in[i] ^ out[i - 1]), out[-1] = iv.
 *
 *   int aes_cbc_encrypt_ce(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last out[i].  See
 * aes_chain_ce.h for the chain. */
#include "aes_chain_ce.h"

INLINE TARGET void cbc(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    struct schedule s;
    load_schedule(&s, key, rounds);
    block x = xor16(load16(iv), s.last);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        x = chain_rounds(x, xor16(s.both, load16(in)), &s, rounds);
        store16(out, xor16(x, s.last));
    }
    store_next(next, xor16(x, s.last));
}

INLINE TARGET void one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                       const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const block x = encrypt16(xor16(load16(in), load16(iv)), key, rounds);
    store16(out, x);
    store_next(next, x);
}

AES_KERNEL(aes_cbc_encrypt, one, cbc)
