/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of digests and checksums: their tables by name, their lengths as constants, and
 * DIGEST_ROW, which defines the table and the direct call of a digest. */
#ifndef HR_DIGEST_ROWS_H
#define HR_DIGEST_ROWS_H

#include "digest.h"
#include <headrace/algorithms.h>

#define HR_DIGEST(number, sym, ...) extern const struct digest_impl sym##_impl;
#define HR_CHECKSUM(number, sym, ...) extern const struct digest_impl sym##_impl;
#include <headrace/algorithms.def>

/* DIGEST_<symbol> is the index of a digest in digest_impls. */
enum {
#define HR_DIGEST(number, sym, ...) DIGEST_##sym = number - 0x0101,
#include <headrace/algorithms.def>
};

enum {
#define HR_DIGEST(number, sym, SYM, name, names, pkcs11, jce, out_len, block_len, flags) \
    OUT_LEN_##sym = out_len, BLOCK_LEN_##sym = block_len,
#include <headrace/algorithms.def>
};

/* DIGEST_ROW defines a row's struct digest_impl and its direct call hr_<sym>, with the file's
 * `kernels` and `chosen`.  `initial` is an array of 8 words, zero after the chaining value's end.
 */
#define DIGEST_ROW(sym, initial, state_bytes, word_bytes, block_bytes, little)           \
    DIGEST_IMPL(sym, initial, state_bytes, OUT_LEN_##sym, word_bytes, block_bytes,       \
                .little_endian = little)                                                 \
    static_assert(sizeof initial == 8 * (word_bytes), "start() reads 8 words");          \
    void hr_##sym(uint8_t out[OUT_LEN_##sym], const void *in, size_t in_len)             \
    {                                                                                    \
        digest_direct(out, in, in_len, &sym##_impl, initial, OUT_LEN_##sym, state_bytes, \
                      word_bytes, block_bytes, little);                                  \
    }

#endif
