/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES, FIPS 46-3, in the modes of SP 800-38A: the kernel tables of each mode and
 * direction.  Bit-sliced kernels come first, then those for few blocks and for chains: the best one
 * in constant time, and one that uses table lookups in memory, for callers that ask for it. */
#include "des.h"

#define AVX512 (CPU(AVX512F) | CPU(AVX512BW) | CPU(AVX512VL))
#define VBMI (CPU(AVX512VBMI) | CPU(AVX512BW) | CPU(GFNI))

/* For bit-sliced kernels: the lanes, and from how many blocks on they take less time than the
 * portable kernel that computes one block after another (for 512 lanes: less time than the kernel
 * of 256 lanes). */
#define BY_512 .lanes = 512, .least = 257
#define BY_256VL .lanes = 256, .least = 3
#define BY_256 .lanes = 256, .least = 5
/* Estimates from the number of instructions, as is BY_TBL. */
#define BY_128 .lanes = 128, .least = 8
#define BY_64 .lanes = 64, .least = 5
/* For other kernels: how many blocks they compute in the time in which the portable kernel computes
 * one. */
#define BY_VBMI .speed = 3
#define BY_ROWS .speed = 2
#define BY_TBL .speed = 2
#define BY_TABLE .speed = 5
#define BY_T4 .speed = 8 /* an estimate: it has instructions for two rounds at once */

#define T4 (CPU(SPARC_DES) | CPU(SPARC_VIS3))

/* clang-format off */
static const struct cipher_kernel ecb_encrypt[] = {
    KERNEL_X86("avx512", AVX512, des_ecb_encrypt_avx512, BY_512)
    KERNEL_X86("avx512vl", AVX512, des_ecb_encrypt_avx512vl, BY_256VL)
    KERNEL_X86("avx2", CPU(AVX2), des_ecb_encrypt_avx2, BY_256)
    KERNEL_ARM64("neon", CPU(ARM_NEON), des_ecb_encrypt_neon, BY_128)
    KERNEL_SPARC("t4", T4, des_ecb_encrypt_t4, BY_T4)
    KERNEL_ROW("c64", 0, des_ecb_encrypt_c64, BY_64)
    KERNEL_X86("vbmi", VBMI, des_ecb_encrypt_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_ecb_encrypt_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_ecb_encrypt_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_ecb_encrypt_vartime, BY_TABLE)
    KERNEL_C(des_ecb_encrypt_c)
};
static const struct cipher_kernel ecb_decrypt[] = {
    KERNEL_X86("avx512", AVX512, des_ecb_decrypt_avx512, BY_512)
    KERNEL_X86("avx512vl", AVX512, des_ecb_decrypt_avx512vl, BY_256VL)
    KERNEL_X86("avx2", CPU(AVX2), des_ecb_decrypt_avx2, BY_256)
    KERNEL_ARM64("neon", CPU(ARM_NEON), des_ecb_decrypt_neon, BY_128)
    KERNEL_SPARC("t4", T4, des_ecb_decrypt_t4, BY_T4)
    KERNEL_ROW("c64", 0, des_ecb_decrypt_c64, BY_64)
    KERNEL_X86("vbmi", VBMI, des_ecb_decrypt_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_ecb_decrypt_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_ecb_decrypt_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_ecb_decrypt_vartime, BY_TABLE)
    KERNEL_C(des_ecb_decrypt_c)
};
static const struct cipher_kernel cbc_encrypt[] = {
    KERNEL_SPARC("t4", T4, des_cbc_encrypt_t4, BY_T4)
    KERNEL_X86("vbmi", VBMI, des_cbc_encrypt_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_cbc_encrypt_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_cbc_encrypt_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_cbc_encrypt_vartime, BY_TABLE)
    KERNEL_C(des_cbc_encrypt_c)
};
static const struct cipher_kernel cbc_decrypt[] = {
    KERNEL_X86("avx512", AVX512, des_cbc_decrypt_avx512, BY_512)
    KERNEL_X86("avx512vl", AVX512, des_cbc_decrypt_avx512vl, BY_256VL)
    KERNEL_X86("avx2", CPU(AVX2), des_cbc_decrypt_avx2, BY_256)
    KERNEL_ARM64("neon", CPU(ARM_NEON), des_cbc_decrypt_neon, BY_128)
    KERNEL_SPARC("t4", T4, des_cbc_decrypt_t4, BY_T4)
    KERNEL_ROW("c64", 0, des_cbc_decrypt_c64, BY_64)
    KERNEL_X86("vbmi", VBMI, des_cbc_decrypt_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_cbc_decrypt_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_cbc_decrypt_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_cbc_decrypt_vartime, BY_TABLE)
    KERNEL_C(des_cbc_decrypt_c)
};
static const struct cipher_kernel cfb_encrypt[] = {
    KERNEL_SPARC("t4", T4, des_cfb_encrypt_t4, BY_T4)
    KERNEL_X86("vbmi", VBMI, des_cfb_encrypt_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_cfb_encrypt_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_cfb_encrypt_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_cfb_encrypt_vartime, BY_TABLE)
    KERNEL_C(des_cfb_encrypt_c)
};
static const struct cipher_kernel cfb_decrypt[] = {
    KERNEL_X86("avx512", AVX512, des_cfb_decrypt_avx512, BY_512)
    KERNEL_X86("avx512vl", AVX512, des_cfb_decrypt_avx512vl, BY_256VL)
    KERNEL_X86("avx2", CPU(AVX2), des_cfb_decrypt_avx2, BY_256)
    KERNEL_ARM64("neon", CPU(ARM_NEON), des_cfb_decrypt_neon, BY_128)
    KERNEL_SPARC("t4", T4, des_cfb_decrypt_t4, BY_T4)
    KERNEL_ROW("c64", 0, des_cfb_decrypt_c64, BY_64)
    KERNEL_X86("vbmi", VBMI, des_cfb_decrypt_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_cfb_decrypt_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_cfb_decrypt_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_cfb_decrypt_vartime, BY_TABLE)
    KERNEL_C(des_cfb_decrypt_c)
};
static const struct cipher_kernel ofb[] = {
    KERNEL_SPARC("t4", T4, des_ofb_t4, BY_T4)
    KERNEL_X86("vbmi", VBMI, des_ofb_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_ofb_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_ofb_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_ofb_vartime, BY_TABLE)
    KERNEL_C(des_ofb_c)
};
static const struct cipher_kernel ctr[] = {
    KERNEL_X86("avx512", AVX512, des_ctr_avx512, BY_512)
    KERNEL_X86("avx512vl", AVX512, des_ctr_avx512vl, BY_256VL)
    KERNEL_X86("avx2", CPU(AVX2), des_ctr_avx2, BY_256)
    KERNEL_ARM64("neon", CPU(ARM_NEON), des_ctr_neon, BY_128)
    KERNEL_SPARC("t4", T4, des_ctr_t4, BY_T4)
    KERNEL_ROW("c64", 0, des_ctr_c64, BY_64)
    KERNEL_X86("vbmi", VBMI, des_ctr_vbmi, BY_VBMI)
    KERNEL_X86("pshufb", CPU(AVX2), des_ctr_pshufb, BY_ROWS)
    KERNEL_ARM64("tbl", CPU(ARM_NEON), des_ctr_tbl, BY_TBL)
    KERNEL_ROW("vartime", HR_KERNEL_VARTIME, des_ctr_vartime, BY_TABLE)
    KERNEL_C(des_ctr_c)
};
/* clang-format on */

static _Atomic(const struct cipher_kernel *) chosen[NUM_CIPHER_MODES][2];

#define OP(mode, op, table) [op] = { table, COUNT(table), &chosen[mode][op] }
#define MODE(mode, encrypt, decrypt) \
    [mode] = { OP(mode, HR_OP_ENCRYPT, encrypt), OP(mode, HR_OP_DECRYPT, decrypt) },

static const struct cipher_op ops[NUM_CIPHER_MODES][2] = {
    MODE(HR_MODE_ECB, ecb_encrypt, ecb_decrypt) MODE(HR_MODE_CBC, cbc_encrypt, cbc_decrypt)
        MODE(HR_MODE_CFB64, cfb_encrypt, cfb_decrypt) MODE(HR_MODE_OFB, ofb, ofb)
            MODE(HR_MODE_CTR, ctr, ctr)
};

const struct block_cipher des_cipher = { ops, des_expand, UNIT_des };
