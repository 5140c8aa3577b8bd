/* SPDX-License-Identifier: Apache-2.0 */
/* AES, FIPS 197, in the modes of SP 800-38A: which kernels serve each mode and direction. */
#include "aes.h"

/* clang-format off */
static const struct cipher_kernel ecb_encrypt[] = { /* best first; portable C last */
    KERNEL_C(aes_ecb_encrypt_c)
};
static const struct cipher_kernel ecb_decrypt[] = {
    KERNEL_C(aes_ecb_decrypt_c)
};
static const struct cipher_kernel cbc_encrypt[] = {
    KERNEL_C(aes_cbc_encrypt_c)
};
static const struct cipher_kernel cbc_decrypt[] = {
    KERNEL_C(aes_cbc_decrypt_c)
};
static const struct cipher_kernel cfb_encrypt[] = {
    KERNEL_C(aes_cfb_encrypt_c)
};
static const struct cipher_kernel cfb_decrypt[] = {
    KERNEL_C(aes_cfb_decrypt_c)
};
static const struct cipher_kernel ctr[] = {
    KERNEL_C(aes_ctr_c)
};
/* clang-format on */

static _Atomic(const struct cipher_kernel *) chosen[HR_MODE_CTR + 1][2];

#define OP(mode, op, table) [op] = { table, COUNT(table), &chosen[mode][op] }
#define MODE(mode, encrypt, decrypt)                                                               \
    [mode] = { OP(mode, HR_OP_ENCRYPT, encrypt), OP(mode, HR_OP_DECRYPT, decrypt) },

const struct cipher_op aes_ops[HR_MODE_CTR + 1][2] = {
    MODE(HR_MODE_ECB, ecb_encrypt, ecb_decrypt)
    MODE(HR_MODE_CBC, cbc_encrypt, cbc_decrypt)
    MODE(HR_MODE_CFB128, cfb_encrypt, cfb_decrypt)
    MODE(HR_MODE_CTR, ctr, ctr)
};

void aes_expand(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int decrypt)
{
    aes_expand_c(key, bytes, bytes_len, decrypt);
}
