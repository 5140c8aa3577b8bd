/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, SP 800-38A section 6.1: out[i] = E(in[i]) or D(in[i]).  The file that includes this one
 * defines the vector width and the CPU.
 *
 *   int aes_ecb_<direction>_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                                 const struct aes_key *key, const uint8_t iv[16],
 *                                 uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; iv and next are not used. */

#include "aes_kept.h"

INLINE TARGET void batch(uint8_t *out, const uint8_t *in, size_t num, size_t part,
                         const struct kept *kept, enum hr_op op, const struct aes_key *key,
                         unsigned rounds)
{
    vec s[BATCH];
    EACH(num, s[i] = load_at(in, i, part));
    if (op == HR_OP_ENCRYPT)
        encrypt_with(s, num, kept, key, rounds);
    else
        decrypt_with(s, num, kept, key, rounds);
    EACH(num, store_at(out, i, s[i], part));
}

INLINE TARGET void encrypt_one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                               const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    store16(out, encrypt16(load16(in), key, rounds));
}

INLINE TARGET void encrypt_many(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                                unsigned rounds)
{
    EACH_BATCH_KEPT(batch, key->enc, rounds, out, in, num_blocks, HR_OP_ENCRYPT, key);
    leave();
}

INLINE TARGET void decrypt_one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                               const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    store16(out, decrypt16(load16(in), key, rounds));
}

INLINE TARGET void decrypt_many(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                                unsigned rounds)
{
    EACH_BATCH_KEPT(batch, key->dec, rounds, out, in, num_blocks, HR_OP_DECRYPT, key);
    leave();
}

AES_KERNEL(aes_ecb_encrypt, encrypt_one, encrypt_many)
AES_KERNEL(aes_ecb_decrypt, decrypt_one, decrypt_many)
