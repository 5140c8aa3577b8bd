/* SPDX-License-Identifier: Apache-2.0 */
/* AES in portable C: key expansion, FIPS 197 section 5.2, and the modes of SP 800-38A over the
 * bitsliced cipher.  Kernels: see cipher_blocks_fn. */
#include "aes.h"
#include "aes_bitslice.h"

static void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = a[i] ^ b[i];
}

static size_t at_most(size_t num_blocks)
{
    return num_blocks < SLICED_BLOCKS ? num_blocks : SLICED_BLOCKS;
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

typedef void slice_fn(struct aes_sliced *sliced, const struct aes_key *key);
typedef void cipher_fn(uint8_t blocks[SLICED_LEN], const struct aes_sliced *sliced);

static void ecb(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aes_key *key,
                slice_fn *slice, cipher_fn *cipher)
{
    struct aes_sliced sliced;
    uint8_t x[SLICED_LEN] = { 0 };
    slice(&sliced, key);
    while (num_blocks) {
        const size_t num = at_most(num_blocks), len = 16 * num;
        memcpy(x, in, len);
        cipher(x, &sliced);
        memcpy(out, x, len);
        num_blocks -= num, in += len, out += len;
    }
    WIPE(&x);
    WIPE(&sliced);
}

int aes_ecb_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                      const uint8_t iv[16], uint8_t next[16])
{
    ecb(out, in, num_blocks, key, aes_slice_encrypt_keys, aes_sliced_encrypt);
    return 0;
}

int aes_ecb_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                      const uint8_t iv[16], uint8_t next[16])
{
    ecb(out, in, num_blocks, key, aes_slice_decrypt_keys, aes_sliced_decrypt);
    return 0;
}

/* Each block waits for the one before: one in four of the slices works. */
static void chain(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aes_key *key,
                  const uint8_t iv[16], uint8_t next[16], enum hr_mode mode)
{
    struct aes_sliced sliced;
    uint8_t x[SLICED_LEN] = { 0 };
    aes_slice_encrypt_keys(&sliced, key);
    memcpy(x, iv, 16);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        if (mode == HR_MODE_CBC)
            xor_bytes(x, x, in, 16);
        aes_sliced_encrypt(x, &sliced);
        if (mode == HR_MODE_CFB128)
            xor_bytes(x, x, in, 16);
        memcpy(out, x, 16);
    }
    if (next)
        memcpy(next, x, 16);
    WIPE(&x);
    WIPE(&sliced);
}

int aes_cbc_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                      const uint8_t iv[16], uint8_t next[16])
{
    chain(out, in, num_blocks, key, iv, next, HR_MODE_CBC);
    return 0;
}

int aes_cfb_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                      const uint8_t iv[16], uint8_t next[16])
{
    chain(out, in, num_blocks, key, iv, next, HR_MODE_CFB128);
    return 0;
}

/* `before` and after it in `c`: the ciphertext from one block earlier, and the batch's own. */
static void unchain(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aes_key *key,
                    const uint8_t iv[16], uint8_t next[16], enum hr_mode mode)
{
    struct aes_sliced sliced;
    uint8_t c[16 + SLICED_LEN], x[SLICED_LEN] = { 0 };
    const int cbc = mode == HR_MODE_CBC;
    (cbc ? aes_slice_decrypt_keys : aes_slice_encrypt_keys)(&sliced, key);
    memcpy(c, iv, 16);
    while (num_blocks) {
        const size_t num = at_most(num_blocks), len = 16 * num;
        memcpy(c + 16, in, len);
        memcpy(x, cbc ? c + 16 : c, len);
        (cbc ? aes_sliced_decrypt : aes_sliced_encrypt)(x, &sliced);
        xor_bytes(out, x, cbc ? c : c + 16, len);
        memcpy(c, c + len, 16);
        num_blocks -= num, in += len, out += len;
    }
    if (next)
        memcpy(next, c, 16);
    WIPE(&x);
    WIPE(&sliced);
}

int aes_cbc_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                      const uint8_t iv[16], uint8_t next[16])
{
    unchain(out, in, num_blocks, key, iv, next, HR_MODE_CBC);
    return 0;
}

int aes_cfb_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                      const uint8_t iv[16], uint8_t next[16])
{
    unchain(out, in, num_blocks, key, iv, next, HR_MODE_CFB128);
    return 0;
}

int aes_ctr_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
              const uint8_t iv[16], uint8_t next[16])
{
    struct aes_sliced sliced;
    uint8_t x[SLICED_LEN] = { 0 };
    uint64_t hi = load_be64(iv), lo = load_be64(iv + 8);
    aes_slice_encrypt_keys(&sliced, key);
    while (num_blocks) {
        const size_t num = at_most(num_blocks), len = 16 * num;
        for (size_t i = 0; i < num; i++) {
            store_be64(x + 16 * i, hi);
            store_be64(x + 16 * i + 8, lo);
            hi += ++lo == 0;
        }
        aes_sliced_encrypt(x, &sliced);
        xor_bytes(out, in, x, len);
        num_blocks -= num, in += len, out += len;
    }
    if (next) {
        store_be64(next, hi);
        store_be64(next + 8, lo);
    }
    WIPE(&x);
    WIPE(&sliced);
    return 0;
}
