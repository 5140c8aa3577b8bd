/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes kernels of each digest's compression function. */
#include "batch.h"
#include "digest_rows.h"

#define AVX512 (CPU(AVX512F) | CPU(AVX512BW))

#define SHANI (CPU(SHANI) | CPU(SSE41) | CPU(SSSE3))
#define NEVER UINT8_MAX

/* The numbers of a row: its lanes; from how many messages on lanes are faster than one message
 * after the other; and the same number for CPUs that have instructions for the hash.  They were
 * measured with messages of 1 KiB on a CPU of the Granite Rapids class, except for SHA512NI, where
 * the number is an estimate. */
/* clang-format off */
static const struct lanes_kernel sha256_kernels[] = { /* best first */
    KERNEL_X86("x16_avx512", AVX512, 16, 3, sha256_lanes_avx512, NULL, SHANI, 8)
    KERNEL_X86("x8_avx2", CPU(AVX2), 8, 3, sha256_lanes_avx2, NULL, SHANI, NEVER)
};
static const struct lanes_kernel sha512_kernels[] = {
    KERNEL_X86("x8_avx512", AVX512, 8, 3, sha512_lanes_avx512, NULL, CPU(SHA512NI), 5)
    KERNEL_X86("x4_avx2", CPU(AVX2), 4, 3, sha512_lanes_avx2, NULL, CPU(SHA512NI), NEVER)
};
static const struct lanes_kernel sha1_kernels[] = {
    KERNEL_X86("x16_avx512", AVX512, 16, 3, sha1_lanes_avx512, NULL, SHANI, 5)
    KERNEL_X86("x8_avx2", CPU(AVX2), 8, 3, sha1_lanes_avx2, NULL, SHANI, 5)
};
static const struct lanes_kernel md5_kernels[] = {
    KERNEL_X86("x32_avx512", AVX512, 32, 3, md5_lanes_avx512)
    KERNEL_X86("x16_avx2", CPU(AVX2), 16, 3, md5_lanes_avx2)
};
static const struct lanes_kernel sha3_kernels[] = {
    KERNEL_X86("x8_avx512", AVX512, 8, 3, sha3_lanes_avx512)
    KERNEL_X86("x4_avx2", CPU(AVX2), 4, 3, sha3_lanes_avx2)
};
/* clang-format on */

const struct lanes_op digest_lanes_ops[NUM_DIGEST_SETS] = {
    { sha256_kernels, COUNT(sha256_kernels), &sha256_impl, NULL },
    { sha512_kernels, COUNT(sha512_kernels), &sha512_impl, NULL },
    { sha1_kernels, COUNT(sha1_kernels), &sha1_impl, NULL },
    { md5_kernels, COUNT(md5_kernels), &md5_impl, NULL },
    { sha3_kernels, COUNT(sha3_kernels), &sha3_224_impl, NULL },
    { sha3_kernels, COUNT(sha3_kernels), &sha3_256_impl, NULL },
    { sha3_kernels, COUNT(sha3_kernels), &sha3_384_impl, NULL },
    { sha3_kernels, COUNT(sha3_kernels), &sha3_512_impl, NULL },
};
