/* SPDX-License-Identifier: Apache-2.0 */
/* What SHA-256 and SHA-512 share: their kernels' prototypes, and the direct call of a row. */
#ifndef HR_SHA2_H
#define HR_SHA2_H

#include "digest.h"

digest_blocks_fn sha256_blocks_c, sha256_blocks_shani, sha256_blocks_avx2, sha256_blocks_ce;
digest_blocks_fn sha512_blocks_c, sha512_blocks_avx2, sha512_blocks_avx512, sha512_blocks_sha512ni,
    sha512_blocks_ce;

extern const uint32_t sha256_k[64] __attribute__((aligned(64))); /* FIPS 180-4 section 4.2.2 */
extern const uint64_t sha512_k[80] __attribute__((aligned(64))); /* section 4.2.3 */

/* A whole message without a context: blocks straight from the input, padding on the stack.
 * Always inlined with constant lengths, so that each row's function has no loop over a row. */
static inline __attribute__((always_inline)) void
digest_direct(uint8_t *out, const uint8_t *in, size_t in_len, const struct digest_impl *impl,
              const void *init, size_t out_len, size_t word_len, size_t block_len)
{
    union digest_state state;
    uint8_t last[2 * HR_DIGEST_MAX_BLOCK];
    const size_t used = in_len & (block_len - 1), whole = in_len - used;
    digest_blocks_fn *blocks = digest_kernel(impl)->blocks;

    memcpy(&state, init, 8 * word_len);
    if (whole)
        blocks(&state, in, whole / block_len);
    const struct piece rest = copy_pieces(last, whole ? in + whole : in, used, whole > 0);
    const size_t end = pad_last(last, rest, used, block_len, in_len);
    blocks(&state, last, end / block_len);
    store_state(out, &state, out_len, word_len);
    wipe_bytes(&state, 8 * word_len);
    wipe_bytes(last, block_len);
    if (end > block_len)
        wipe_bytes(last + block_len, block_len);
}

/* A row's descriptor and its direct call hr_<sym>; the file's `kernels` and `chosen` serve it. */
#define DIGEST_ROW(sym, initial, state_bytes, word_bytes, block_bytes)                  \
    const struct digest_impl sym##_impl = {                                             \
        .kernels = kernels,                                                             \
        .num_kernels = COUNT(kernels),                                                  \
        .chosen = &chosen,                                                              \
        .direct = hr_##sym,                                                             \
        .init = initial,                                                                \
        .state_len = state_bytes,                                                       \
        .out_len = OUT_LEN_##sym,                                                       \
        .block_len = block_bytes,                                                       \
        .word_len = word_bytes,                                                         \
    };                                                                                  \
    void hr_##sym(uint8_t out[OUT_LEN_##sym], const void *in, size_t in_len)            \
    {                                                                                   \
        digest_direct(out, in, in_len, &sym##_impl, initial, OUT_LEN_##sym, word_bytes, \
                      block_bytes);                                                     \
    }

enum {
#define HR_DIGEST(number, sym, SYM, name, names, pkcs11, jce, out_len, block_len, flags) \
    OUT_LEN_##sym = out_len,
#include <headrace/algorithms.def>
};

#endif
