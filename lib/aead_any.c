/* SPDX-License-Identifier: Apache-2.0 */
/* GCM (SP 800-38D) and CCM (SP 800-38C) with any block cipher of 16-byte blocks: the cipher's ECB
 * kernel encrypts counter blocks; the authentication is a GHASH kernel (GCM) or the same ECB kernel
 * used as CBC-MAC (CCM).  A counter may be secret (in GCM under an IV that was hashed), so no
 * branch depends on it. */
#include "aead.h"

/* Counter blocks are made PIECE at a time, as many as the widest kernel computes at once.  A piece
 * of a message stays in the first-level cache between cipher and hash. */
enum { PIECE = 64 };

static void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = a[i] ^ b[i];
}

/* Encrypts num blocks in place. */
static void image(uint8_t *x, size_t num, const struct aead_key *key)
{
    (num < key->many->least ? key->ecb : key->many->blocks)(x, x, num, key->schedule, NULL, NULL);
}

/* ---- GCM ---- */

static void gcm_crypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                      const struct aead_key *key, uint8_t ctr[16], uint8_t y[16], enum hr_op op)
{
    uint8_t stream[16 * PIECE];
    uint32_t count = load_be32(ctr + 12);
    while (num_blocks) {
        const size_t num = num_blocks < PIECE ? num_blocks : PIECE;
        /* ct_hide() keeps the compiler from turning the counter into the loop variable, which would
         * make the loop's end a branch on a secret. */
        for (size_t i = 0; i < num; i++) {
            memcpy(stream + 16 * i, ctr, 12);
            store_be32(stream + 16 * i + 12, count + ct_hide((uint32_t)i));
        }
        count += (uint32_t)num;
        image(stream, num, key);
        if (op == HR_OP_DECRYPT)
            key->kernel->hash(y, in, num, key);
        xor_bytes(out, in, stream, 16 * num);
        if (op == HR_OP_ENCRYPT)
            key->kernel->hash(y, out, num, key);
        num_blocks -= num, in += 16 * num, out += 16 * num;
    }
    store_be32(ctr + 12, count);
    WIPE(&stream);
}

static void gcm_encrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                        const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    gcm_crypt(out, in, num_blocks, key, ctr, y, HR_OP_ENCRYPT);
}

static void gcm_decrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                        const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    gcm_crypt(out, in, num_blocks, key, ctr, y, HR_OP_DECRYPT);
}

/* ---- CCM ---- */

static void ccm_hash(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                     const struct aead_key *key)
{
    for (; num_blocks; num_blocks--, in += 16) {
        xor_bytes(y, y, in, 16);
        key->ecb(y, y, 1, key->schedule, NULL, NULL);
    }
}

/* Encryption and the MAC share a call of the cipher for two blocks.  When encrypting, one call
 * makes the keystream of a block and absorbs the same block.  When decrypting, a block's plaintext
 * is known only afterwards, so the call absorbs the block before; the first call absorbs none. */
static void ccm_encrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                        const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    uint8_t x[32];
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        xor_bytes(x, y, in, 16);
        memcpy(x + 16, ctr, 16);
        key->ecb(x, x, 2, key->schedule, NULL, NULL);
        memcpy(y, x, 16);
        xor_bytes(out, in, x + 16, 16);
        store_be64(ctr + 8, load_be64(ctr + 8) + 1);
    }
    WIPE(&x);
}

static void ccm_decrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                        const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    uint8_t x[32];
    for (size_t i = 0; i < num_blocks; i++, in += 16, out += 16) {
        memcpy(x, ctr, 16);
        memcpy(x + 16, y, 16);
        key->ecb(x, x, i ? 2 : 1, key->schedule, NULL, NULL);
        xor_bytes(out, in, x, 16);
        xor_bytes(y, x + 16, out, 16);
        store_be64(ctr + 8, load_be64(ctr + 8) + 1);
    }
    if (num_blocks)
        key->ecb(y, y, 1, key->schedule, NULL, NULL);
    WIPE(&x);
}

/* ---- kernel tables: named after the instructions of GHASH ---- */

#define PCLMUL (CPU(AESNI) | CPU(PCLMUL) | CPU(SSE41))
#define VPCLMUL256 (CPU(VAES) | CPU(VPCLMULQDQ) | CPU(AVX2) | PCLMUL)
#define VPCLMUL512 \
    (CPU(AVX512F) | CPU(AVX512BW) | CPU(AVX512DQ) | CPU(AVX512VL) | CPU(BMI2) | VPCLMUL256)

/* clang-format off */
static const struct aead_kernel gcm_kernels[] = { /* best first; portable C last */
    KERNEL_X86("vpclmul512", VPCLMUL512, gcm_hash_vaes512, { gcm_encrypt, gcm_decrypt },
               .powers = gcm_powers_vaes512)
    KERNEL_X86("vpclmul256", VPCLMUL256, gcm_hash_vaes256, { gcm_encrypt, gcm_decrypt },
               .powers = gcm_powers_vaes256)
    KERNEL_X86("pclmul", PCLMUL, gcm_hash_aesni, { gcm_encrypt, gcm_decrypt },
               .powers = gcm_powers_aesni)
    KERNEL_ARM64("eor3", CPU(ARM_AES) | CPU(ARM_PMULL) | CPU(ARM_SHA3), gcm_hash_eor3,
                 { gcm_encrypt, gcm_decrypt }, .powers = gcm_powers_eor3)
    KERNEL_ARM64("pmull", CPU(ARM_AES) | CPU(ARM_PMULL), gcm_hash_ce,
                 { gcm_encrypt, gcm_decrypt }, .powers = gcm_powers_ce)
    KERNEL_C(gcm_hash_c, { gcm_encrypt, gcm_decrypt }, .powers = gcm_powers_c)
};
static const struct aead_kernel ccm_kernels[] = {
    KERNEL_C(ccm_hash, { ccm_encrypt, ccm_decrypt })
};
/* clang-format on */

static _Atomic(const struct aead_kernel *) gcm_chosen, ccm_chosen;
const struct aead_impl gcm_any_impl = { gcm_kernels, COUNT(gcm_kernels), &gcm_chosen, &gcm_mode };
const struct aead_impl ccm_any_impl = { ccm_kernels, COUNT(ccm_kernels), &ccm_chosen, &ccm_mode };
