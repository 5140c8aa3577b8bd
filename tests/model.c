/* SPDX-License-Identifier: Apache-2.0 */
/* The modes of SP 800-38A section 6, implemented literally, one block at a time, with the portable
 * kernel of the ECB row for the same block cipher and key length.  Every kernel of a mode is
 * compared with this model. */
#include "test.h"
#include <headrace/algorithms.h>

enum { BLOCK = HR_CIPHER_MAX_BLOCK };

/* ecb_row finds the ECB row by its symbol: "aes_128_ctr" and "aes_128_ecb" differ in the last word
 * only. */
static const struct hr_algorithm *ecb_row(const struct hr_algorithm *row)
{
    const size_t stem = (size_t)(strrchr(row->symbol, '_') - row->symbol);
    const struct hr_algorithm *ecb;
    for (size_t i = 0; (ecb = hr_algorithm_at(i)); i++)
        if (ecb->cls == HR_CLASS_CIPHER && ecb->mode == HR_MODE_ECB &&
            !strncmp(ecb->symbol, row->symbol, stem + 1))
            return ecb;
    fprintf(stderr, "model: no ECB row beside %s\n", row->name);
    exit(1);
}

static void ecb(uint8_t out[BLOCK], const uint8_t in[BLOCK], const struct hr_algorithm *row,
                enum hr_op op, const uint8_t *bytes)
{
    /* the last key, kept because the portable expansion costs as much as many blocks */
    static struct {
        struct hr_cipher_key key;
        uint8_t bytes[32];
        hr_alg alg;
        enum hr_op op;
    } last;
    if (last.alg != row->alg || last.op != op || memcmp(last.bytes, bytes, row->key_len)) {
        struct hr_kernel kernel;
        size_t portable = 0;
        while (!hr_kernel_at(&kernel, row->alg, op, portable + 1))
            portable++;
        if (hr_cipher_key_init_kernel(&last.key, row->alg, op, portable, bytes, row->key_len))
            exit(1);
        memcpy(last.bytes, bytes, row->key_len);
        last.alg = row->alg;
        last.op = op;
    }
    int error = op == HR_OP_ENCRYPT
                    ? hr_cipher_encrypt(out, in, row->block_len, &last.key, NULL, 0)
                    : hr_cipher_decrypt(out, in, row->block_len, &last.key, NULL, 0);
    if (error)
        exit(1);
}

void model_block(uint8_t out[16], const uint8_t in[16], const struct hr_algorithm *row,
                 enum hr_op op, const uint8_t *key)
{
    ecb(out, in, ecb_row(row), op, key);
}

static void increment(uint8_t *counter, size_t len)
{
    for (int i = (int)len - 1; i >= 0 && ++counter[i] == 0; i--)
        ;
}

/* model_f8 encrypts by f8 as in 3GPP TS 35.201 sections 3.4 to 3.6. */
static void model_f8(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *block,
                     const uint8_t key[16], const uint8_t iv[8])
{
    uint8_t a[BLOCK] = { 0 }, keystream[BLOCK] = { 0 }, first[BLOCK] = { 0 }, modified[16];
    for (size_t i = 0; i < sizeof modified; i++)
        modified[i] = key[i] ^ 0x55;
    memcpy(first, iv, 8);
    ecb(a, first, block, HR_OP_ENCRYPT, modified);
    for (size_t at = 0; at < len; at++) {
        for (size_t i = 0; at % 8 == 0 && i < 8; i++)
            keystream[i] ^= a[i] ^ (uint8_t)((uint64_t)(at / 8) >> (56 - 8 * i));
        if (at % 8 == 0)
            ecb(keystream, keystream, block, HR_OP_ENCRYPT, key);
        out[at] = in[at] ^ keystream[at % 8];
    }
}

/* model_f9 computes f9 as in TS 35.201 sections 4.4 and 4.5: the string is COUNT, FRESH, the
 * message, DIRECTION, a one and zeros. */
void model_f9(uint8_t mac[4], const uint8_t *in, size_t len, const uint8_t key[16],
              const uint8_t iv[9])
{
    const struct hr_algorithm *const block = hr_algorithm(HR_KASUMI_ECB);
    uint8_t a[BLOCK] = { 0 }, b[BLOCK] = { 0 }, modified[16];
    for (size_t at = 0; at < (8 + len + 1 + 7) / 8 * 8; at++) {
        a[at % 8] ^= at < 8         ? iv[at]
                     : at < 8 + len ? in[at - 8]
                     : at > 8 + len ? 0
                                    : (uint8_t)((iv[8] & 1) << 7 | 0x40);
        if (at % 8 < 7)
            continue;
        ecb(a, a, block, HR_OP_ENCRYPT, key);
        for (size_t i = 0; i < 8; i++)
            b[i] ^= a[i];
    }
    for (size_t i = 0; i < sizeof modified; i++)
        modified[i] = key[i] ^ 0xaa;
    ecb(b, b, block, HR_OP_ENCRYPT, modified);
    memcpy(mac, b, 4);
}

void model_cipher(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                  enum hr_op op, const uint8_t *key, uint8_t iv[16])
{
    const struct hr_algorithm *block = ecb_row(row);
    const size_t unit = block->block_len;
    if (row->mode == HR_MODE_F8) {
        model_f8(out, in, len, block, key, iv);
        return;
    }
    for (size_t at = 0; at < len; at += unit) {
        const size_t n = len - at < unit ? len - at : unit;
        uint8_t x[BLOCK] = { 0 }, y[BLOCK];
        memcpy(x, in + at, n);
        switch (row->mode) {
        case HR_MODE_CBC:
            for (size_t i = 0; op == HR_OP_ENCRYPT && i < unit; i++)
                x[i] ^= iv[i];
            ecb(y, x, block, op, key);
            for (size_t i = 0; op == HR_OP_DECRYPT && i < unit; i++)
                y[i] ^= iv[i];
            memcpy(iv, op == HR_OP_ENCRYPT ? y : x, unit);
            break;
        case HR_MODE_CFB128:
            ecb(y, iv, block, HR_OP_ENCRYPT, key);
            for (size_t i = 0; i < unit; i++)
                y[i] ^= x[i];
            memcpy(iv, op == HR_OP_ENCRYPT ? y : x, unit);
            break;
        case HR_MODE_OFB:
            ecb(iv, iv, block, HR_OP_ENCRYPT, key);
            for (size_t i = 0; i < unit; i++)
                y[i] = x[i] ^ iv[i];
            break;
        case HR_MODE_CTR:
            ecb(y, iv, block, HR_OP_ENCRYPT, key);
            for (size_t i = 0; i < unit; i++)
                y[i] ^= x[i];
            increment(iv, unit);
            break;
        default:
            ecb(y, x, block, op, key);
        }
        memcpy(out + at, y, n);
    }
}
