/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of PBKDF2, U = HMAC(P, U) and T = T ^ U (RFC 8018 section 5.2), for several passwords
 * at once.  With a prepared key (RFC 2104 section 4), the HMAC of a digest takes two compressions,
 * each of one block that consists of a digest and padding.  Chaining values serve as message words,
 * so nothing is byte-swapped or transposed between iterations. */
#ifndef HR_HMAC_ITERATE_H
#define HR_HMAC_ITERATE_H

#include "../internal.h"

enum { MAX_LANES = 16 };

/* Word i of lane l is at index i * (the kernel's lanes) + l. */
union lane_words {
    alignas(64) uint32_t w32[8 * MAX_LANES];
    uint64_t w64[8 * MAX_LANES / 2];
};

/* The 16 words of a block, which are the same for every lane. */
union block_words {
    alignas(64) uint32_t w32[16];
    uint64_t w64[16];
};

struct hmac_lanes {
    union lane_words inner, outer; /* chaining values after key ^ ipad and key ^ opad; secret */
    union lane_words u, t;         /* U and T, read and updated */
    /* The words of a block are (u & keep) | pad: `keep` is all ones where the digest is; words 9 to
     * 13 of `pad` are zero for every digest. */
    union block_words keep, pad;
    size_t live; /* number of lanes in use, which are the first ones; the values of the others do
                  * not matter */
    const struct digest_impl *digest;
    digest_blocks_fn *blocks; /* the digest's own kernel, used by the portable kernel */
};

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane. */
typedef void hmac_iterate_fn(struct hmac_lanes *l, uint64_t iterations);

struct iterate_kernel {
    struct hr_kernel info;
    uint8_t lanes;
    uint8_t least; /* live lanes from which on this kernel is faster than those after it in the
                    * table */
    hmac_iterate_fn *iterate;
};

struct iterate_op {
    const struct iterate_kernel *kernels; /* best first, if all lanes are in use */
    size_t num_kernels;
};

/* Returns the kernels of the row `alg`, or NULL if the row is not an HMAC. */
const struct iterate_op *iterate_op(hr_alg alg);
/* Returns the first kernel that this CPU can execute and whose `least` is at most `live`. */
const struct iterate_kernel *iterate_choose(const struct iterate_op *op, size_t live);
/* Runs a kernel on l->live lanes, and wipes what it left on the stack. */
void iterate_run(const struct iterate_kernel *kernel, struct hmac_lanes *l, uint64_t iterations);
/* Sets the members keep, pad, digest and blocks of *l. */
void hmac_lanes_init(struct hmac_lanes *l, const struct digest_impl *digest,
                     digest_blocks_fn *blocks);

hmac_iterate_fn hmac_iterate_c;
hmac_iterate_fn md5_iterate_avx2, md5_iterate_avx512;
hmac_iterate_fn sha1_iterate_shani, sha1_iterate_avx2, sha1_iterate_avx512;
hmac_iterate_fn sha256_iterate_shani, sha256_iterate_avx2, sha256_iterate_avx512;
hmac_iterate_fn sha512_iterate_avx2, sha512_iterate_avx512;
hmac_iterate_fn md5_iterate_neon, sha1_iterate_neon, sha256_iterate_neon;
hmac_iterate_fn sha1_iterate_ce, sha256_iterate_ce, sha512_iterate_ce;

#endif
