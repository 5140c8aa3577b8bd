/* SPDX-License-Identifier: Apache-2.0 */
/* What SHA-256 and SHA-512 share: their kernels' prototypes, and the direct call of a row. */
#ifndef HR_SHA2_H
#define HR_SHA2_H

#include "internal.h"

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
    const size_t used = in_len & (block_len - 1), field = block_len / 8;
    const size_t num_last = used < block_len - field ? 1 : 2;
    digest_blocks_fn *blocks = digest_choose(impl)->blocks;

    memcpy(&state, init, 8 * word_len);
    if (in_len >= block_len)
        blocks(&state, in, in_len / block_len);
    memset(last, 0, sizeof last);
    if (used)
        memcpy(last, in + in_len - used, used);
    last[used] = 0x80;
    store_be64(last + num_last * block_len - 8, (uint64_t)in_len << 3);
    blocks(&state, last, num_last);

    uint8_t bytes[64];
    for (size_t i = 0; i < 8; i++)
        if (word_len == 4)
            store_be32(bytes + 4 * i, state.w32[i]);
        else
            store_be64(bytes + 8 * i, state.w64[i]);
    memcpy(out, bytes, out_len);
    WIPE(&state);
    WIPE(&last);
}

/* A row's descriptor and its direct call hr_<sym>; the file's `kernels` and `chosen` serve it. */
#define DIGEST_ROW(sym, initial, state_bytes, word_bytes, block_bytes)                  \
    const struct digest_impl sym##_impl = {                                             \
        .kernels = kernels,                                                             \
        .num_kernels = COUNT(kernels),                                                  \
        .chosen = &chosen,                                                              \
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
#define HR_DIGEST(number, sym, SYM, name, names, pkcs11, jce, out_len, block_len) \
    OUT_LEN_##sym = out_len,
#include <headrace/algorithms.def>
};

#endif
