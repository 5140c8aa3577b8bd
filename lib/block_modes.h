/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, CBC, CFB and CTR (SP 800-38A) of a cipher of 16-byte blocks, as kernels (cipher_blocks_fn)
 * that compute up to FEW blocks at a time.  A file that includes this one defines
 *   MODE(mode): the name of a kernel;
 *   INLINE, TARGET: attributes of functions;
 *   FEW: how many blocks are computed at once;
 *   struct few_keys, few_begin(struct few_keys *, const void *key, enum hr_op): the round keys in
 *   the form that the functions below want, made from a key;
 *   few_crypt(uint8_t *x, size_t num, const struct few_keys *): encrypts or decrypts 1 to FEW
 *   blocks in place; it may overwrite the rest of the FEW blocks' memory;
 *   block, load16(), store16(), xor16(): a vector or structure of one block and its operations;
 *   few_one(block, const struct few_keys *): encrypts or decrypts one block;
 *   few_end(): called before each return, for instructions such as VZEROUPPER.
 * block_c.h defines `block` and its operations, INLINE, TARGET and few_end() in portable C. */
#include "internal.h"

/* The buffers of a kernel for several blocks; they are wiped at its end. */
struct few_work {
    alignas(64) uint8_t x[16 * FEW];
    uint8_t c[16 * FEW + 16]; /* ciphertext; c[0..15] is the block before the present ones */
};

INLINE TARGET void few_xor(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t num_blocks)
{
    for (size_t i = 0; i < 16 * num_blocks; i += 16)
        store16(out + i, xor16(load16(a + i), load16(b + i)));
}

/* A single block is computed by few_one(), without struct few_work. */
INLINE TARGET int few_ecb(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                          enum hr_op op)
{
    struct few_keys keys;
    few_begin(&keys, key, op);
    if (num_blocks == 1) {
        store16(out, few_one(load16(in), &keys));
    } else {
        struct few_work w;
        while (num_blocks) {
            const size_t num = num_blocks < FEW ? num_blocks : FEW, len = 16 * num;
            memcpy(w.x, in, len);
            few_crypt(w.x, num, &keys);
            memcpy(out, w.x, len);
            num_blocks -= num, in += len, out += len;
        }
        WIPE(&w.x);
    }
    WIPE(&keys);
    few_end();
    return 0;
}

TARGET int MODE(ecb_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t iv[16], uint8_t next[16])
{
    return few_ecb(out, in, num_blocks, key, HR_OP_ENCRYPT);
}

TARGET int MODE(ecb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t iv[16], uint8_t next[16])
{
    return few_ecb(out, in, num_blocks, key, HR_OP_DECRYPT);
}

TARGET int MODE(ctr)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                     const uint8_t iv[16], uint8_t next[16])
{
    uint64_t hi = load_be64(iv), lo = load_be64(iv + 8);
    struct few_keys keys;
    few_begin(&keys, key, HR_OP_ENCRYPT);
    if (num_blocks == 1) {
        store16(out, xor16(few_one(load16(iv), &keys), load16(in)));
        hi += ++lo == 0;
    } else {
        struct few_work w;
        while (num_blocks) {
            const size_t num = num_blocks < FEW ? num_blocks : FEW, len = 16 * num;
            for (size_t i = 0; i < num; i++) {
                store_be64(w.x + 16 * i, hi);
                store_be64(w.x + 16 * i + 8, lo);
                hi += ++lo == 0;
            }
            few_crypt(w.x, num, &keys);
            few_xor(out, in, w.x, num);
            num_blocks -= num, in += len, out += len;
        }
        WIPE(&w.x);
    }
    WIPE(&keys);
    if (next) {
        store_be64(next, hi);
        store_be64(next + 8, lo);
    }
    few_end();
    return 0;
}

INLINE TARGET int few_unchain(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                              const uint8_t iv[16], uint8_t next[16], int cbc)
{
    struct few_keys keys;
    few_begin(&keys, key, cbc ? HR_OP_DECRYPT : HR_OP_ENCRYPT);
    if (num_blocks == 1) {
        const block before = load16(iv), c = load16(in);
        store16(out, cbc ? xor16(few_one(c, &keys), before) : xor16(few_one(before, &keys), c));
        if (next)
            store16(next, c);
    } else {
        struct few_work w;
        memcpy(w.c, iv, 16);
        while (num_blocks) {
            const size_t num = num_blocks < FEW ? num_blocks : FEW, len = 16 * num;
            memcpy(w.c + 16, in, len);
            memcpy(w.x, cbc ? w.c + 16 : w.c, len);
            few_crypt(w.x, num, &keys);
            few_xor(out, w.x, cbc ? w.c : w.c + 16, num);
            memcpy(w.c, w.c + len, 16);
            num_blocks -= num, in += len, out += len;
        }
        if (next)
            memcpy(next, w.c, 16);
        WIPE(&w);
    }
    WIPE(&keys);
    few_end();
    return 0;
}

TARGET int MODE(cbc_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t iv[16], uint8_t next[16])
{
    return few_unchain(out, in, num_blocks, key, iv, next, 1);
}

TARGET int MODE(cfb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t iv[16], uint8_t next[16])
{
    return few_unchain(out, in, num_blocks, key, iv, next, 0);
}

/* CBC and CFB encryption, in which each block needs the ciphertext of the one before.  A file that
 * has a faster few_chain() of its own defines FEW_CHAIN. */
#ifndef FEW_CHAIN
INLINE TARGET int few_chain(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                            const uint8_t iv[16], uint8_t next[16], int cbc)
{
    struct few_keys keys;
    block x = load16(iv);
    few_begin(&keys, key, HR_OP_ENCRYPT);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        if (cbc)
            x = few_one(xor16(x, load16(in)), &keys);
        else
            x = xor16(few_one(x, &keys), load16(in));
        store16(out, x);
    }
    if (next)
        store16(next, x);
    WIPE(&keys);
    few_end();
    return 0;
}
#endif

TARGET int MODE(cbc_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t iv[16], uint8_t next[16])
{
    return few_chain(out, in, num_blocks, key, iv, next, 1);
}

TARGET int MODE(cfb_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t iv[16], uint8_t next[16])
{
    return few_chain(out, in, num_blocks, key, iv, next, 0);
}
