/* SPDX-License-Identifier: Apache-2.0 */
/* Initial values and compression functions for the kinds (merkle.h) of the BSD and the Solaris
 * form.  The compressions are the library's kernels or, for digests that are no rows of the
 * registry, functions of this folder. */
#ifndef HR_LIBMD_INITIAL_H
#define HR_LIBMD_INITIAL_H

#include "../common.h"
#include <headrace/algorithms.h>

extern const uint32_t initial_md[5]; /* MD4 and MD5 use four words, RIPEMD-160 and SHA-1 five */
extern const uint32_t initial_sha224[8], initial_sha256[8];
extern const uint64_t initial_sha384[8], initial_sha512[8], initial_sha512_224[8],
    initial_sha512_256[8];

void md4_blocks(void *state, const uint8_t *in, size_t num_blocks);
void rmd160_blocks(void *state, const uint8_t *in, size_t num_blocks);

/* hr_digest_compress fails only for arguments that are never passed here. */
#define DEFINE_BLOCKS(sym, SYM)                                                        \
    static inline void sym##_blocks(void *state, const uint8_t *in, size_t num_blocks) \
    {                                                                                  \
        const int error = hr_digest_compress(state, HR_##SYM, in, num_blocks);         \
        assert(!error);                                                                \
        (void)error;                                                                   \
    }
DEFINE_BLOCKS(md5, MD5)
DEFINE_BLOCKS(sha1, SHA1)
DEFINE_BLOCKS(sha256, SHA256)
DEFINE_BLOCKS(sha512, SHA512)
#undef DEFINE_BLOCKS

#endif
