/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of SLH-DSA's hashes of one block. */
#include "slh_lanes.h"

/* The numbers of a row: how many inputs its kernel takes at most, and from how many inputs on it is
 * faster than those below it, measured on a CPU of the Emerald Rapids class; with SHA512NI it is an
 * estimate. */
#define AVX512 (CPU(AVX512F) | CPU(AVX512BW))
#define SHANI (CPU(SHANI) | CPU(SSE41) | CPU(SSSE3))
/* clang-format off */
static const struct slh_kernel sha256_kernels[] = { /* best first */
    KERNEL_X86("x16_avx512", AVX512, 16, 9, slh_sha256_avx512)
    KERNEL_X86("x2_shani", SHANI, SLH_MAX_LANES, 2, slh_sha256_shani)
    KERNEL_X86("shani", SHANI, 1, 1, slh_sha256_c)
    KERNEL_X86("x8_avx2", CPU(AVX2), 8, 4, slh_sha256_avx2)
    KERNEL_C(SLH_MAX_LANES, 1, slh_sha256_c)
};
static const struct slh_kernel sha512_kernels[] = {
    KERNEL_X86("x8_avx512", AVX512, 8, 4, slh_sha512_avx512)
    KERNEL_X86_SHA512NI("sha512ni", CPU(SHA512NI) | CPU(AVX2), SLH_MAX_LANES, 1, slh_sha512_c)
    KERNEL_X86("x4_avx2", CPU(AVX2), 4, 3, slh_sha512_avx2)
    KERNEL_C(SLH_MAX_LANES, 1, slh_sha512_c)
};
static const struct slh_kernel shake_kernels[] = {
    KERNEL_X86("x8_avx512", AVX512, 8, 5, slh_shake_avx512)
    KERNEL_X86("x4_avx2", CPU(AVX2), 4, 2, slh_shake_avx2)
    KERNEL_C(4, 1, slh_shake_c)
};
/* clang-format on */

const struct slh_kernel *slh_kernel_for(struct slh_lanes *l, size_t num)
{
    const size_t n = l->key->params->n;
    const uint64_t have = hr_cpu_features();
    const struct slh_kernel *kernel = sha256_kernels;
    if (l->key->params->shake)
        kernel = shake_kernels;
    else if (n > 16 && l->in_len > n)
        kernel = sha512_kernels;
    while (kernel->info.needs & ~have || num < kernel->least)
        kernel++;
    l->num = (unsigned)(num < kernel->lanes ? num : kernel->lanes);
    return kernel;
}

const struct hr_kernel *slh_sha256_kernel(size_t i)
{
    return i < COUNT(sha256_kernels) ? &sha256_kernels[i].info : NULL;
}

const struct hr_kernel *slh_shake_kernel(size_t i)
{
    return i < COUNT(shake_kernels) ? &shake_kernels[i].info : NULL;
}
