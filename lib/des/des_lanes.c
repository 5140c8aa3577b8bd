/* SPDX-License-Identifier: Apache-2.0 */
/* DES-CBC and DES-CFB64 encryption of many messages: the lanes kernels of each mode. */
#include "../batch.h"
#include "des.h"

/* The two numbers of an entry: the kernel's lanes, and from how many messages on it is faster than
 * one message after the other.  Where 512-bit operations run in two halves, 512 lanes compute no
 * faster than 256, and touch twice as many messages, which then leave the first cache. */
/* clang-format off */
static const struct lanes_kernel cbc_kernels[] = { /* best first */
    KERNEL_X86("x256_halves", CPU(HALVES512) | CPU(AVX2), 256, 9, .wide = des_cbc_lanes_avx2)
    KERNEL_X86("x512_avx512", CPU(AVX512F) | CPU(AVX512BW), 512, 9, .wide = des_cbc_lanes_avx512)
    KERNEL_X86("x256_avx2", CPU(AVX2), 256, 9, .wide = des_cbc_lanes_avx2)
    KERNEL_ROW("x64_c64", 0, 64, 9, .wide = des_cbc_lanes_c64)
};
static const struct lanes_kernel cfb_kernels[] = {
    KERNEL_X86("x256_halves", CPU(HALVES512) | CPU(AVX2), 256, 9, .wide = des_cfb_lanes_avx2)
    KERNEL_X86("x512_avx512", CPU(AVX512F) | CPU(AVX512BW), 512, 9, .wide = des_cfb_lanes_avx512)
    KERNEL_X86("x256_avx2", CPU(AVX2), 256, 9, .wide = des_cfb_lanes_avx2)
    KERNEL_ROW("x64_c64", 0, 64, 9, .wide = des_cfb_lanes_c64)
};
/* clang-format on */

/* A lane's key is the keys of its passes, as the caller wrote them. */
static void key_of_one(uint8_t *to, const void *object)
{
    memcpy(to, ((const struct des_key *)object)->key, 8);
}

static void key_of_three(uint8_t *to, const void *object)
{
    memcpy(to, ((const struct des_key *)object)->key, 24);
}

static void bytes_of_one(uint8_t *to, const uint8_t *bytes, size_t bytes_len)
{
    memcpy(to, bytes, 8);
}

static void bytes_of_three(uint8_t *to, const uint8_t *bytes, size_t bytes_len)
{
    memcpy(to, bytes, 16);
    memcpy(to + 16, bytes_len == 24 ? bytes + 16 : bytes, 8);
}

static const struct wide_form one = { key_of_one, bytes_of_one, 8, 8, 8, 16 };
static const struct wide_form three = { key_of_three, bytes_of_three, 24, 8, 8, 48 };

const struct lanes_op des_lanes_ops[NUM_DES_SETS] = {
    { cbc_kernels, COUNT(cbc_kernels), NULL, &one },
    { cbc_kernels, COUNT(cbc_kernels), NULL, &three },
    { cfb_kernels, COUNT(cfb_kernels), NULL, &one },
    { cfb_kernels, COUNT(cfb_kernels), NULL, &three },
};
