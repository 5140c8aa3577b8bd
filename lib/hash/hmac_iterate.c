/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel tables of PBKDF2's chain (HR_OP_ITERATE of HMAC rows), the choice of a kernel by the
 * number of live lanes, and the portable kernel, which uses the digest's own kernel. */
#include "hmac_iterate.h"
#include "../digest_rows.h"

/* The two numbers of an entry are the kernel's lanes and `least`: from how many live lanes on the
 * kernel is faster than the kernels after it.  For x86 `least` was measured; that of SHA-1 with
 * AVX2 lies between 2, which is best for CPUs without the SHA extensions, and 5, which is best for
 * CPUs with them.  For arm64 it is computed (bench/RESULTS.md).  SHA-512 has no NEON kernel,
 * because two words a vector and no rotations need as many instructions as general registers do. */
/* clang-format off */
static const struct iterate_kernel sha256_kernels[] = { /* best first; portable C last */
    KERNEL_X86("x16_avx512", CPU(AVX512F), 16, 8, sha256_iterate_avx512)
    KERNEL_X86("x2_shani", CPU(SHANI) | CPU(SSE41) | CPU(SSSE3), 2, 1, sha256_iterate_shani)
    KERNEL_X86("x8_avx2", CPU(AVX2), 8, 3, sha256_iterate_avx2)
    KERNEL_ARM64("x2_ce", CPU(ARM_SHA2), 2, 1, sha256_iterate_ce)
    KERNEL_ARM64("x4_neon", CPU(ARM_NEON), 4, 3, sha256_iterate_neon)
    KERNEL_C(1, 1, hmac_iterate_c)
};
static const struct iterate_kernel sha512_kernels[] = {
    KERNEL_X86("x8_avx512", CPU(AVX512F), 8, 2, sha512_iterate_avx512)
    KERNEL_X86("x4_avx2", CPU(AVX2), 4, 3, sha512_iterate_avx2)
    KERNEL_ARM64("x2_ce", CPU(ARM_SHA512), 2, 1, sha512_iterate_ce)
    KERNEL_C(1, 1, hmac_iterate_c)
};
static const struct iterate_kernel sha1_kernels[] = {
    KERNEL_X86("x16_avx512", CPU(AVX512F), 16, 4, sha1_iterate_avx512)
    KERNEL_X86("x8_avx2", CPU(AVX2), 8, 4, sha1_iterate_avx2)
    KERNEL_X86("x2_shani", CPU(SHANI) | CPU(SSE41) | CPU(SSSE3), 2, 1, sha1_iterate_shani)
    KERNEL_ARM64("x2_ce", CPU(ARM_SHA1), 2, 1, sha1_iterate_ce)
    KERNEL_ARM64("x4_neon", CPU(ARM_NEON), 4, 3, sha1_iterate_neon)
    KERNEL_C(1, 1, hmac_iterate_c)
};
static const struct iterate_kernel md5_kernels[] = {
    KERNEL_X86("x16_avx512", CPU(AVX512F), 16, 2, md5_iterate_avx512)
    KERNEL_X86("x8_avx2", CPU(AVX2), 8, 2, md5_iterate_avx2)
    KERNEL_ARM64("x4_neon", CPU(ARM_NEON), 4, 3, md5_iterate_neon)
    KERNEL_C(1, 1, hmac_iterate_c)
};
/* clang-format on */

enum family { SHA256_BLOCKS, SHA512_BLOCKS, SHA1_BLOCKS, MD5_BLOCKS };
static const struct iterate_op families[] = {
    [SHA256_BLOCKS] = { sha256_kernels, COUNT(sha256_kernels) },
    [SHA512_BLOCKS] = { sha512_kernels, COUNT(sha512_kernels) },
    [SHA1_BLOCKS] = { sha1_kernels, COUNT(sha1_kernels) },
    [MD5_BLOCKS] = { md5_kernels, COUNT(md5_kernels) },
};

/* For each digest, the family that has the same compression function. */
enum {
    FAMILY_sha224 = SHA256_BLOCKS,
    FAMILY_sha256 = SHA256_BLOCKS,
    FAMILY_sha384 = SHA512_BLOCKS,
    FAMILY_sha512 = SHA512_BLOCKS,
    FAMILY_sha512_224 = SHA512_BLOCKS,
    FAMILY_sha512_256 = SHA512_BLOCKS,
    FAMILY_sha1 = SHA1_BLOCKS,
    FAMILY_md5 = MD5_BLOCKS,
};

const struct iterate_op *iterate_op(hr_alg alg)
{
    static const struct iterate_op *const ops[] = {
#define HR_MAC(number, sym, SYM, name, names, pkcs11, jce, md, MD) \
    [number - 0x0201] = &families[FAMILY_##md],
#include <headrace/algorithms.def>
    };
    const unsigned index = (unsigned)alg - 0x0201;
    return index < COUNT(ops) ? ops[index] : NULL;
}

const struct iterate_kernel *iterate_choose(const struct iterate_op *op, size_t live)
{
    const uint64_t have = hr_cpu_features();
    const struct iterate_kernel *kernel = op->kernels;
    while (kernel->info.needs & ~have || kernel->least > live)
        kernel++;
    return kernel;
}

/* Writes the padding that follows a digest in its block (FIPS 180-4 section 5.1, RFC 1321 sections
 * 3.1 and 3.2), and zeros in the digest's place.  The padded message is one block of key and the
 * digest. */
static void padding(uint8_t block[CHAIN_MAX_BLOCK], const struct digest_impl *digest)
{
    const uint64_t bits = 8u * (digest->block_len + digest->out_len);
    memset(block, 0, CHAIN_MAX_BLOCK);
    block[digest->out_len] = 0x80;
    if (digest->little_endian)
        store_le64(block + digest->block_len - 8, bits);
    else
        store_be64(block + digest->block_len - 8, bits);
}

/* Converts a block's bytes to words. */
static void words_of(union block_words *out, const uint8_t *in, const struct digest_impl *digest)
{
    for (size_t i = 0; i < 16; i++)
        if (digest->word_len == 8)
            out->w64[i] = load_be64(in + 8 * i);
        else
            out->w32[i] = digest->little_endian ? load_le32(in + 4 * i) : load_be32(in + 4 * i);
}

void hmac_lanes_init(struct hmac_lanes *l, const struct digest_impl *digest,
                     digest_blocks_fn *blocks)
{
    uint8_t block[CHAIN_MAX_BLOCK] = { 0 };
    memset(block, 0xff, digest->out_len);
    words_of(&l->keep, block, digest);
    padding(block, digest);
    words_of(&l->pad, block, digest);
    l->digest = digest;
    l->blocks = blocks;
}

/* Wipes the stack below the caller, where a kernel may have spilled secret registers. */
static __attribute__((noinline)) void wipe_stack(void)
{
    uint8_t below[5120];
    WIPE(&below);
}

void iterate_run(const struct iterate_kernel *kernel, struct hmac_lanes *l, uint64_t iterations)
{
    kernel->iterate(l, iterations);
    wipe_stack();
}

/* Replaces u by the digest of a message of two blocks: a block of the key, after which the chaining
 * value is `chain`, and `block`, which holds the padding and into which u is stored. */
static void step(union digest_state *u, const struct hmac_lanes *l, const union lane_words *chain,
                 uint8_t block[CHAIN_MAX_BLOCK])
{
    const struct digest_impl *digest = l->digest;
    store_state(block, u, digest->out_len, digest->word_len, digest->little_endian);
    memcpy(u, chain, digest->state_len);
    l->blocks(u, block, 1);
}

void hmac_iterate_c(struct hmac_lanes *l, uint64_t iterations)
{
    const size_t len = l->digest->state_len;
    union digest_state u = { 0 }, t = { 0 };
    uint8_t block[CHAIN_MAX_BLOCK];
    memcpy(&u, &l->u, len);
    memcpy(&t, &l->t, len);
    padding(block, l->digest);
    for (; iterations; iterations--) {
        step(&u, l, &l->inner, block);
        step(&u, l, &l->outer, block);
        for (size_t i = 0; i < COUNT(u.w64); i++)
            t.w64[i] ^= u.w64[i];
    }
    memcpy(&l->u, &u, len);
    memcpy(&l->t, &t, len);
    WIPE(&u);
    WIPE(&t);
    WIPE(&block);
}
