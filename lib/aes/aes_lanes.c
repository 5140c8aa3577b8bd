/* SPDX-License-Identifier: Apache-2.0 */
/* AES-CBC and AES-CFB encryption of many messages: the lanes kernels of each mode. */
#include "aes.h"

#define AESNI (CPU(AESNI) | CPU(SSE41))
#define VAES256 (CPU(VAES) | CPU(AVX2) | AESNI)
#define VAES512 (CPU(AVX512F) | CPU(AVX512BW) | VAES256)

/* The numbers of a row: its lanes, and from how many messages on lanes are faster than one message
 * after the other. */
/* clang-format off */
static const struct lanes_kernel cbc_kernels[] = { /* best first */
    KERNEL_X86("x16_vaes512", VAES512, 16, 2, NULL, aes_cbc_lanes_vaes512)
    KERNEL_X86("x16_vaes256", VAES256, 16, 3, NULL, aes_cbc_lanes_vaes256)
    KERNEL_X86("x8_aesni", AESNI, 8, 2, NULL, aes_cbc_lanes_aesni)
    KERNEL_ARM64("x8_ce", CPU(ARM_AES), 8, 2, NULL, aes_cbc_lanes_ce)
};
static const struct lanes_kernel cfb_kernels[] = {
    KERNEL_X86("x16_vaes512", VAES512, 16, 2, NULL, aes_cfb_lanes_vaes512)
    KERNEL_X86("x16_vaes256", VAES256, 16, 3, NULL, aes_cfb_lanes_vaes256)
    KERNEL_X86("x8_aesni", AESNI, 8, 2, NULL, aes_cfb_lanes_aesni)
    KERNEL_ARM64("x8_ce", CPU(ARM_AES), 8, 2, NULL, aes_cfb_lanes_ce)
};
/* clang-format on */

const struct lanes_op aes_lanes_ops[HR_MODE_CTR + 1] = {
    [HR_MODE_CBC] = { cbc_kernels, COUNT(cbc_kernels), NULL, NULL },
    [HR_MODE_CFB128] = { cfb_kernels, COUNT(cfb_kernels), NULL, NULL },
};
