/* SPDX-License-Identifier: Apache-2.0 */
/* SP 800-38A section 6 word for word, one block at a time, over the portable kernel of the ECB row
 * with the same block cipher and key length: what every kernel of a mode is compared with. */
#include "test.h"

enum { BLOCK = 16 };

/* "aes_128_ctr" and "aes_128_ecb" share all but the last word of their symbols. */
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
    /* The last key used, kept: the portable expansion costs as much as many blocks. */
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
    int error = op == HR_OP_ENCRYPT ? hr_cipher_encrypt(out, in, BLOCK, &last.key, NULL, 0)
                                    : hr_cipher_decrypt(out, in, BLOCK, &last.key, NULL, 0);
    if (error)
        exit(1);
}

void model_block(uint8_t out[16], const uint8_t in[16], const struct hr_algorithm *row,
                 enum hr_op op, const uint8_t *key)
{
    ecb(out, in, ecb_row(row), op, key);
}

static void increment(uint8_t counter[BLOCK])
{
    for (int i = BLOCK - 1; i >= 0 && ++counter[i] == 0; i--)
        ;
}

void model_cipher(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                  enum hr_op op, const uint8_t *key, uint8_t iv[16])
{
    const struct hr_algorithm *block = ecb_row(row);
    for (size_t at = 0; at < len; at += BLOCK) {
        const size_t n = len - at < BLOCK ? len - at : BLOCK;
        uint8_t x[BLOCK] = { 0 }, y[BLOCK];
        memcpy(x, in + at, n);
        switch (row->mode) {
        case HR_MODE_CBC:
            for (size_t i = 0; op == HR_OP_ENCRYPT && i < BLOCK; i++)
                x[i] ^= iv[i];
            ecb(y, x, block, op, key);
            for (size_t i = 0; op == HR_OP_DECRYPT && i < BLOCK; i++)
                y[i] ^= iv[i];
            memcpy(iv, op == HR_OP_ENCRYPT ? y : x, BLOCK);
            break;
        case HR_MODE_CFB128:
            ecb(y, iv, block, HR_OP_ENCRYPT, key);
            for (size_t i = 0; i < BLOCK; i++)
                y[i] ^= x[i];
            memcpy(iv, op == HR_OP_ENCRYPT ? y : x, BLOCK);
            break;
        case HR_MODE_CTR:
            ecb(y, iv, block, HR_OP_ENCRYPT, key);
            for (size_t i = 0; i < BLOCK; i++)
                y[i] ^= x[i];
            increment(iv);
            break;
        default:
            ecb(y, x, block, op, key);
        }
        memcpy(out + at, y, n);
    }
}
