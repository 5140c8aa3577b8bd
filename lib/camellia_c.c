/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia in portable C: the modes of SP 800-38A over the bitsliced cipher.  Kernels: see
 * cipher_blocks_fn. */
#include "camellia_bitslice.h"

static void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = a[i] ^ b[i];
}

static size_t at_most(size_t num_blocks)
{
    return num_blocks < CAMELLIA_BLOCKS ? num_blocks : CAMELLIA_BLOCKS;
}

static void ecb(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key, enum hr_op op)
{
    uint8_t x[CAMELLIA_LEN] = { 0 };
    while (num_blocks) {
        const size_t num = at_most(num_blocks), len = 16 * num;
        memcpy(x, in, len);
        camellia_sliced(x, key, op);
        memcpy(out, x, len);
        num_blocks -= num, in += len, out += len;
    }
    WIPE(&x);
}

int camellia_ecb_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                           const uint8_t iv[16], uint8_t next[16])
{
    ecb(out, in, num_blocks, key, HR_OP_ENCRYPT);
    return 0;
}

int camellia_ecb_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                           const uint8_t iv[16], uint8_t next[16])
{
    ecb(out, in, num_blocks, key, HR_OP_DECRYPT);
    return 0;
}

/* Each block waits for the one before: one in eight of the slices works. */
static void chain(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                  const uint8_t iv[16], uint8_t next[16], enum hr_mode mode)
{
    uint8_t x[CAMELLIA_LEN] = { 0 };
    memcpy(x, iv, 16);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        if (mode == HR_MODE_CBC)
            xor_bytes(x, x, in, 16);
        camellia_sliced(x, key, HR_OP_ENCRYPT);
        if (mode == HR_MODE_CFB128)
            xor_bytes(x, x, in, 16);
        memcpy(out, x, 16);
    }
    if (next)
        memcpy(next, x, 16);
    WIPE(&x);
}

int camellia_cbc_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                           const uint8_t iv[16], uint8_t next[16])
{
    chain(out, in, num_blocks, key, iv, next, HR_MODE_CBC);
    return 0;
}

int camellia_cfb_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                           const uint8_t iv[16], uint8_t next[16])
{
    chain(out, in, num_blocks, key, iv, next, HR_MODE_CFB128);
    return 0;
}

/* `before` and after it in `c`: the ciphertext from one block earlier, and the batch's own. */
static void unchain(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                    const uint8_t iv[16], uint8_t next[16], enum hr_mode mode)
{
    const int cbc = mode == HR_MODE_CBC;
    uint8_t c[16 + CAMELLIA_LEN], x[CAMELLIA_LEN] = { 0 };
    memcpy(c, iv, 16);
    while (num_blocks) {
        const size_t num = at_most(num_blocks), len = 16 * num;
        memcpy(c + 16, in, len);
        memcpy(x, cbc ? c + 16 : c, len);
        camellia_sliced(x, key, cbc ? HR_OP_DECRYPT : HR_OP_ENCRYPT);
        xor_bytes(out, x, cbc ? c : c + 16, len);
        memcpy(c, c + len, 16);
        num_blocks -= num, in += len, out += len;
    }
    if (next)
        memcpy(next, c, 16);
    WIPE(&x);
}

int camellia_cbc_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                           const uint8_t iv[16], uint8_t next[16])
{
    unchain(out, in, num_blocks, key, iv, next, HR_MODE_CBC);
    return 0;
}

int camellia_cfb_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                           const uint8_t iv[16], uint8_t next[16])
{
    unchain(out, in, num_blocks, key, iv, next, HR_MODE_CFB128);
    return 0;
}

int camellia_ctr_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                   const uint8_t iv[16], uint8_t next[16])
{
    uint8_t x[CAMELLIA_LEN] = { 0 };
    uint64_t hi = load_be64(iv), lo = load_be64(iv + 8);
    while (num_blocks) {
        const size_t num = at_most(num_blocks), len = 16 * num;
        for (size_t i = 0; i < num; i++) {
            store_be64(x + 16 * i, hi);
            store_be64(x + 16 * i + 8, lo);
            hi += ++lo == 0;
        }
        camellia_sliced(x, key, HR_OP_ENCRYPT);
        xor_bytes(out, in, x, len);
        num_blocks -= num, in += len, out += len;
    }
    if (next) {
        store_be64(next, hi);
        store_be64(next + 8, lo);
    }
    WIPE(&x);
    return 0;
}
