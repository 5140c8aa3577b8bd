/* SPDX-License-Identifier: Apache-2.0 */
/* CCM in portable C. A block of the chain and a counter block share each call of the bit-sliced
 * cipher.  Prototypes: aead.h. */
#include "../aead.h"
#include "aes_bitslice.h"

static void xor_block(uint8_t out[16], const uint8_t a[16], const uint8_t b[16])
{
    for (int i = 0; i < 16; i++)
        out[i] = a[i] ^ b[i];
}

void ccm_hash_c(uint8_t y[16], const uint8_t *in, size_t num_blocks, const struct aead_key *key)
{
    struct aes_sliced sliced;
    uint8_t x[SLICED_LEN] = { 0 };
    aes_slice_encrypt_keys(&sliced, &key->aes);
    memcpy(x, y, 16);
    for (; num_blocks; num_blocks--, in += 16) {
        xor_block(x, x, in);
        aes_sliced_encrypt(x, &sliced);
    }
    memcpy(y, x, 16);
    WIPE(&x);
    WIPE(&sliced);
}

/* When encrypting, one call of the cipher makes the keystream of a block and absorbs the same
 * block.  When decrypting, a block's plaintext is known only afterwards, so the call absorbs the
 * block before; `waiting` says whether there is one. */
static void crypt(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,
                  uint8_t ctr[16], uint8_t y[16], enum hr_op op)
{
    struct aes_sliced sliced;
    uint8_t x[SLICED_LEN] = { 0 }, plain[16];
    int waiting = 0;
    aes_slice_encrypt_keys(&sliced, &key->aes);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        if (op == HR_OP_ENCRYPT)
            xor_block(y, y, in);
        memcpy(x, y, 16);
        memcpy(x + 16, ctr, 16);
        aes_sliced_encrypt(x, &sliced);
        if (op == HR_OP_ENCRYPT || waiting)
            memcpy(y, x, 16);
        xor_block(plain, in, x + 16);
        memcpy(out, plain, 16);
        if (op == HR_OP_DECRYPT)
            xor_block(y, y, plain);
        waiting = 1;
        store_be64(ctr + 8, load_be64(ctr + 8) + 1);
    }
    if (op == HR_OP_DECRYPT && waiting) {
        memcpy(x, y, 16);
        aes_sliced_encrypt(x, &sliced);
        memcpy(y, x, 16);
    }
    WIPE(&plain);
    WIPE(&x);
    WIPE(&sliced);
}

void ccm_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,
                   uint8_t ctr[16], uint8_t y[16])
{
    crypt(out, in, num_blocks, key, ctr, y, HR_OP_ENCRYPT);
}

void ccm_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,
                   uint8_t ctr[16], uint8_t y[16])
{
    crypt(out, in, num_blocks, key, ctr, y, HR_OP_DECRYPT);
}
