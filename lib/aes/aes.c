/* SPDX-License-Identifier: Apache-2.0 */
/* AES, FIPS 197, in the modes of SP 800-38A: the kernel tables of each mode and direction. */
#include "aes.h"

#define AESNI (CPU(AESNI) | CPU(SSE41))
#define VAES256 (CPU(VAES) | CPU(AVX2) | AESNI)
#define ARM_AES CPU(ARM_AES)
#define T4 (CPU(SPARC_AES) | CPU(SPARC_VIS3))
#define VAES512 (CPU(AVX512F) | CPU(AVX512BW) | VAES256)

/* clang-format off */
static const struct cipher_kernel ecb_encrypt[] = { /* best first; portable C last */
    KERNEL_X86("vaes512", VAES512, aes_ecb_encrypt_vaes512, aes_ecb_encrypt_one_vaes512)
    KERNEL_X86("vaes256", VAES256, aes_ecb_encrypt_vaes256, aes_ecb_encrypt_one_vaes256)
    KERNEL_X86("aesni", AESNI, aes_ecb_encrypt_aesni, aes_ecb_encrypt_one_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_ecb_encrypt_ce, aes_ecb_encrypt_one_ce)
    KERNEL_SPARC("t4", T4, aes_ecb_encrypt_t4)
    KERNEL_X86("avx2", CPU(AVX2), aes_ecb_encrypt_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_ecb_encrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_ecb_encrypt_neon)
    KERNEL_C(aes_ecb_encrypt_c, NULL)
};
static const struct cipher_kernel ecb_decrypt[] = {
    KERNEL_X86("vaes512", VAES512, aes_ecb_decrypt_vaes512, aes_ecb_decrypt_one_vaes512)
    KERNEL_X86("vaes256", VAES256, aes_ecb_decrypt_vaes256, aes_ecb_decrypt_one_vaes256)
    KERNEL_X86("aesni", AESNI, aes_ecb_decrypt_aesni, aes_ecb_decrypt_one_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_ecb_decrypt_ce, aes_ecb_decrypt_one_ce)
    KERNEL_SPARC("t4", T4, aes_ecb_decrypt_t4, NULL, aes_import_t4)
    KERNEL_X86("avx2", CPU(AVX2), aes_ecb_decrypt_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_ecb_decrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_ecb_decrypt_neon)
    KERNEL_C(aes_ecb_decrypt_c, NULL)
};
static const struct cipher_kernel cbc_encrypt[] = {
    KERNEL_X86("avx", CPU(AVX) | AESNI, aes_cbc_encrypt_avx, aes_cbc_encrypt_one_avx)
    KERNEL_X86("aesni", AESNI, aes_cbc_encrypt_aesni, aes_cbc_encrypt_one_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_cbc_encrypt_ce, aes_cbc_encrypt_one_ce)
    KERNEL_SPARC("t4", T4, aes_cbc_encrypt_t4)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_cbc_encrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_cbc_encrypt_neon)
    KERNEL_C(aes_cbc_encrypt_c, NULL)
};
static const struct cipher_kernel cbc_decrypt[] = {
    KERNEL_X86("vaes512", VAES512, aes_cbc_decrypt_vaes512, aes_cbc_decrypt_one_vaes512)
    KERNEL_X86("vaes256", VAES256, aes_cbc_decrypt_vaes256, aes_cbc_decrypt_one_vaes256)
    KERNEL_X86("aesni", AESNI, aes_cbc_decrypt_aesni, aes_cbc_decrypt_one_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_cbc_decrypt_ce, aes_cbc_decrypt_one_ce)
    KERNEL_SPARC("t4", T4, aes_cbc_decrypt_t4, NULL, aes_import_t4)
    KERNEL_X86("avx2", CPU(AVX2), aes_cbc_decrypt_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_cbc_decrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_cbc_decrypt_neon)
    KERNEL_C(aes_cbc_decrypt_c, NULL)
};
static const struct cipher_kernel cfb_encrypt[] = {
    KERNEL_X86("avx", CPU(AVX) | AESNI, aes_cfb_encrypt_avx, aes_cfb_encrypt_one_avx)
    KERNEL_X86("aesni", AESNI, aes_cfb_encrypt_aesni, aes_cfb_encrypt_one_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_cfb_encrypt_ce, aes_cfb_encrypt_one_ce)
    KERNEL_SPARC("t4", T4, aes_cfb_encrypt_t4)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_cfb_encrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_cfb_encrypt_neon)
    KERNEL_C(aes_cfb_encrypt_c, NULL)
};
static const struct cipher_kernel cfb_decrypt[] = {
    KERNEL_X86("vaes512", VAES512, aes_cfb_decrypt_vaes512, aes_cfb_decrypt_one_vaes512)
    KERNEL_X86("vaes256", VAES256, aes_cfb_decrypt_vaes256, aes_cfb_decrypt_one_vaes256)
    KERNEL_X86("aesni", AESNI, aes_cfb_decrypt_aesni, aes_cfb_decrypt_one_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_cfb_decrypt_ce, aes_cfb_decrypt_one_ce)
    KERNEL_SPARC("t4", T4, aes_cfb_decrypt_t4)
    KERNEL_X86("avx2", CPU(AVX2), aes_cfb_decrypt_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_cfb_decrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_cfb_decrypt_neon)
    KERNEL_C(aes_cfb_decrypt_c, NULL)
};
static const struct cipher_kernel ctr[] = {
    KERNEL_X86("vaes512", VAES512, aes_ctr_vaes512, aes_ctr_one_vaes512)
    KERNEL_X86("vaes256", VAES256, aes_ctr_vaes256, aes_ctr_one_vaes256)
    KERNEL_X86("aesni", AESNI, aes_ctr_aesni, aes_ctr_one_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_ctr_ce, aes_ctr_one_ce)
    KERNEL_SPARC("t4", T4, aes_ctr_t4)
    KERNEL_X86("avx2", CPU(AVX2), aes_ctr_avx2)
    KERNEL_X86("ssse3", CPU(SSSE3), aes_ctr_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), aes_ctr_neon)
    KERNEL_C(aes_ctr_c, NULL)
};

static const struct {
    struct hr_kernel info;
    aes_expand_fn *expand;
} expansions[] = {
    KERNEL_X86("aesni", CPU(SSSE3) | AESNI, aes_expand_aesni)
    KERNEL_ARM64("ce", ARM_AES, aes_expand_ce)
    KERNEL_SPARC("t4", T4, aes_expand_t4)
    KERNEL_C(aes_expand_c)
};
/* clang-format on */

static _Atomic(const struct cipher_kernel *) chosen[NUM_CIPHER_MODES][2];

#define OP(mode, op, table) [op] = { table, COUNT(table), &chosen[mode][op] }
#define MODE(mode, encrypt, decrypt) \
    [mode] = { OP(mode, HR_OP_ENCRYPT, encrypt), OP(mode, HR_OP_DECRYPT, decrypt) },

const struct cipher_op aes_ops[NUM_CIPHER_MODES][2] = {
    MODE(HR_MODE_ECB, ecb_encrypt, ecb_decrypt) MODE(HR_MODE_CBC, cbc_encrypt, cbc_decrypt)
        MODE(HR_MODE_CFB128, cfb_encrypt, cfb_decrypt) MODE(HR_MODE_CTR, ctr, ctr)
};

void aes_expand(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int decrypt)
{
    const uint64_t have = hr_cpu_features();
    size_t i = 0;
    while (expansions[i].info.needs & ~have)
        i++;
    expansions[i].expand(key, bytes, bytes_len, decrypt);
}

static void expand(void *key, const uint8_t *bytes, size_t bytes_len, int decrypt)
{
    aes_expand(key, bytes, bytes_len, decrypt);
}

const struct block_cipher aes_cipher = { aes_ops, expand, UNIT_aes };
