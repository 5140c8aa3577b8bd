/* SPDX-License-Identifier: Apache-2.0 */
/* AES in portable C, bitsliced: key expansion (FIPS 197 section 5.2), and ECB, CBC, CFB and CTR. */
#include "../block_c.h"
#include "aes.h"
#include "aes_bitslice.h"

static void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = a[i] ^ b[i];
}

/* ---- keys ---- */

static void expand_decrypt(struct aes_key *key)
{
    for (unsigned r = 0; r <= key->rounds; r++) {
        memcpy(key->dec[r], key->enc[key->rounds - r], 16);
        if (r && r < key->rounds)
            aes_sliced_inv_mix_columns(key->dec[r]);
    }
}

void aes_expand_c(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int want_decrypt)
{
    const size_t num = bytes_len / 4;
    uint8_t *w = key->enc[0];
    uint8_t rcon = 1, t[4];
    key->rounds = (uint32_t)num + 6;
    memcpy(w, bytes, bytes_len);
    for (size_t i = num; i < 4 * (key->rounds + 1); i++) {
        memcpy(t, w + 4 * (i - 1), 4);
        if (i % num == 0) {
            store_be32(t, load_be32(t) << 8 | load_be32(t) >> 24);
            aes_sliced_sub_word(t);
            t[0] ^= rcon;
            rcon = (uint8_t)(rcon << 1 ^ (0x1b & (0 - (rcon >> 7))));
        } else if (num == 8 && i % num == 4) {
            aes_sliced_sub_word(t);
        }
        xor_bytes(w + 4 * i, w + 4 * (i - num), t, 4);
    }
    WIPE(&t);
    if (want_decrypt)
        expand_decrypt(key);
}

/* ---- modes ---- */

#define MODE(mode) aes_##mode##_c

enum { FEW = SLICED_BLOCKS };

struct few_keys {
    struct aes_sliced sliced;
    void (*crypt)(uint8_t blocks[SLICED_LEN], const struct aes_sliced *sliced);
};

INLINE void few_begin(struct few_keys *k, const void *key, enum hr_op op)
{
    const int forth = op == HR_OP_ENCRYPT;
    (forth ? aes_slice_encrypt_keys : aes_slice_decrypt_keys)(&k->sliced, key);
    k->crypt = forth ? aes_sliced_encrypt : aes_sliced_decrypt;
}

INLINE void few_crypt(uint8_t *x, size_t num, const struct few_keys *k)
{
    k->crypt(x, &k->sliced);
}

/* Encrypts or decrypts one block.  The cipher computes four; the results of the other three are not
 * used. */
INLINE block few_one(block x, const struct few_keys *k)
{
    uint8_t blocks[SLICED_LEN] = { 0 };
    store16(blocks, x);
    k->crypt(blocks, &k->sliced);
    x = load16(blocks);
    WIPE(&blocks);
    return x;
}

#include "../block_modes.h"
