/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 and its kernel tables: messages with any kernel. */
#include "poly1305.h"
#include "../rounding.h"
#include "poly1305_scalar.h"
#include "poly1305_words.h"
#include <headrace/algorithms.h>

#define AESNI (CPU(AESNI) | CPU(SSE41))
#define AVX2 (CPU(AVX2) | CPU(BMI2))
#define AVX512 (CPU(AVX512F) | AVX2)
#define IFMA (CPU(AVX512IFMA) | CPU(AVX512VL) | AVX512)

/* The numbers are where lines of time over length cross, on an EPYC of Zen 4; those of Neon are
 * of no measurement. */
/* clang-format off */
static const struct poly1305_kernel kernels[] = { /* best first; kernels after portable C are
                                                   * never chosen */
    KERNEL_X86("ifma", IFMA, poly1305_blocks_ifma, poly1305_setup_ifma,
               poly1305_blocks_x86, 8, poly1305_once_ifma, 9, 256)
    KERNEL_X86("avx512", AVX512, poly1305_blocks_avx512, poly1305_setup_words,
               poly1305_blocks_x86, 16, poly1305_once_avx512, 21, 1024)
    KERNEL_X86("avx2", AVX2, poly1305_blocks_avx2, poly1305_setup_words,
               poly1305_blocks_x86, 20, poly1305_once_avx2, 21, 1024)
    KERNEL_X86("x86", 0, poly1305_blocks_x86)
    KERNEL_ARM64("neon", CPU(ARM_NEON), poly1305_blocks_neon, poly1305_setup_neon,
                 poly1305_blocks_c, 4, NULL, 32, 0)
    KERNEL_SPARC("t4", CPU(SPARC_VIS3), poly1305_blocks_t4)
    KERNEL_SPARC("ultra", CPU(SPARC_VIS), poly1305_blocks_double, poly1305_setup_double)
    KERNEL_C(poly1305_blocks_c)
#ifndef HR_NO_ROUNDING
    KERNEL_ROW("double", 0, poly1305_blocks_double, poly1305_setup_double)
#endif
};
static const struct poly1305_kernel aes_kernels[] = { /* the last two functions of an entry run
                                                       * AES beside the polynomial */
    KERNEL_X86("ifma", IFMA | AESNI, poly1305_blocks_ifma, poly1305_setup_ifma,
               poly1305_blocks_x86, 8, poly1305_once_ifma, 16, 256,
               poly1305_aes_kept_aesni, poly1305_aes_raw_aesni)
    KERNEL_X86("avx512", AVX512 | AESNI, poly1305_blocks_avx512, poly1305_setup_words,
               poly1305_blocks_x86, 16, poly1305_once_avx512, 28, 1024,
               poly1305_aes_kept_aesni, poly1305_aes_raw_aesni)
    KERNEL_X86("avx2", AVX2 | AESNI, poly1305_blocks_avx2, poly1305_setup_words,
               poly1305_blocks_x86, 20, poly1305_once_avx2, 29, 1024,
               poly1305_aes_kept_aesni, poly1305_aes_raw_aesni)
    KERNEL_X86("aesni", AESNI, poly1305_blocks_x86, NULL, NULL, 0, NULL, 0, 0,
               poly1305_aes_kept_aesni, poly1305_aes_raw_aesni)
    KERNEL_X86("x86", 0, poly1305_blocks_x86)
    KERNEL_ARM64("ce", CPU(ARM_AES) | CPU(ARM_NEON), poly1305_blocks_neon, poly1305_setup_neon,
                 poly1305_blocks_c, 4, NULL, 32, 0, poly1305_aes_kept_ce, poly1305_aes_raw_ce)
    KERNEL_ARM64("neon", CPU(ARM_NEON), poly1305_blocks_neon, poly1305_setup_neon,
                 poly1305_blocks_c, 4, NULL, 32, 0)
    KERNEL_SPARC("t4", CPU(SPARC_VIS3), poly1305_blocks_t4)
    KERNEL_SPARC("ultra", CPU(SPARC_VIS), poly1305_blocks_double, poly1305_setup_double)
    KERNEL_C(poly1305_blocks_c)
#ifndef HR_NO_ROUNDING
    KERNEL_ROW("double", 0, poly1305_blocks_double, poly1305_setup_double)
#endif
};
/* clang-format on */

static _Atomic(const struct poly1305_kernel *) chosen[2];
const struct poly1305_impl poly1305_impl = { kernels, COUNT(kernels), &chosen[0] };
const struct poly1305_impl poly1305_aes_impl = { aes_kernels, COUNT(aes_kernels), &chosen[1] };

const struct poly1305_impl *poly1305_row(hr_alg alg)
{
    if (alg == HR_POLY1305)
        return &poly1305_impl;
    return alg == HR_POLY1305_AES ? &poly1305_aes_impl : NULL;
}

DEFINE_CHOOSE(poly1305_choose, struct poly1305_kernel, struct poly1305_impl)

void poly1305_forget(void)
{
    for (size_t i = 0; i < COUNT(chosen); i++)
        atomic_store(&chosen[i], NULL);
}

void poly1305_setup(struct poly1305_key *key, const uint8_t r[16],
                    const struct poly1305_kernel *kernel)
{
    key->r[0] = load_le64(r) & POLY1305_CLAMP_0;
    key->r[1] = load_le64(r + 8) & POLY1305_CLAMP_1;
    key->kernel = kernel;
    key->with_powers = 0;
}

void poly1305_make_powers(struct poly1305_key *key)
{
    if (key->kernel->setup)
        key->kernel->setup(key);
    key->with_powers = 1;
}

/* Processes many blocks with a key that has no powers: computes powers first. */
static __attribute__((noinline)) void long_once(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                                                const struct poly1305_key *key)
{
    struct poly1305_key full;
    full.r[0] = key->r[0], full.r[1] = key->r[1];
    full.kernel = key->kernel;
    poly1305_make_powers(&full);
    key->kernel->blocks(h, in, num_blocks, &full);
    WIPE(&full);
}

static inline void blocks(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                          const struct poly1305_key *key)
{
    const struct poly1305_kernel *kernel = key->kernel;
    const size_t min = key->with_powers ? kernel->min_blocks : kernel->min_once;
    if (num_blocks < min)
        kernel->few(h, in, num_blocks, key);
    else if (key->with_powers || !kernel->setup)
        kernel->blocks(h, in, num_blocks, key);
    else if (num_blocks <= kernel->max_once)
        kernel->once(h, in, num_blocks, key->r);
    else
        long_once(h, in, num_blocks, key);
}

void poly1305_absorb(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                     const struct poly1305_key *key)
{
    if (num_blocks)
        blocks(h, in, num_blocks, key);
}

void poly1305_update(struct poly1305_state *state, const uint8_t *in, size_t len,
                     const struct poly1305_key *key)
{
    if (state->used) {
        const size_t room = 16 - state->used, n = len < room ? len : room;
        memcpy(state->part + state->used, in, n);
        state->used += n;
        in += n, len -= n;
        if (state->used < 16)
            return;
        blocks(state->h, state->part, 1, key);
    }
    if (len >= 16)
        blocks(state->h, in, len / 16, key);
    state->used = len % 16;
    if (state->used)
        memcpy(state->part, in + (len - state->used), state->used);
}

void poly1305_final(uint8_t out[16], struct poly1305_state *state, const struct poly1305_key *key,
                    const uint8_t s[16])
{
    if (state->used)
        poly1305_last_step(state->h, state->part, state->used, key->r);
    poly1305_add(out, state->h, load_le64(s), load_le64(s + 8));
    WIPE(state);
}

void poly1305_direct(uint8_t out[16], const uint8_t *in, size_t len, const struct poly1305_key *key,
                     const uint8_t s[16])
{
    uint64_t h[3] = { 0 };
    if (len >= 16)
        blocks(h, in, len / 16, key);
    if (len % 16)
        poly1305_last_step(h, in + len / 16 * 16, len % 16, key->r);
    poly1305_add(out, h, load_le64(s), load_le64(s + 8));
    WIPE(&h);
}
