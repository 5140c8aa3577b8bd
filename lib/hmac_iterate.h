/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of PBKDF2, U = HMAC(P, U) and T = T ^ U (RFC 8018 section 5.2), for several passwords
 * at once.  Under a kept key an HMAC of a digest's length is two compressions (RFC 2104 section 4),
 * of one block each that is the digest before it, then padding.  Chaining values are message words
 * already, so nothing is swapped or transposed from one iteration to the next. */
#ifndef HR_HMAC_ITERATE_H
#define HR_HMAC_ITERATE_H

#include "internal.h"

enum { MAX_LANES = 16 };

/* Word i of lane l is at i * (the kernel's lanes) + l. */
union lane_words {
    alignas(64) uint32_t w32[8 * MAX_LANES];
    uint64_t w64[8 * MAX_LANES / 2];
};

/* The same 16 words of a block for every lane. */
union block_words {
    alignas(64) uint32_t w32[16];
    uint64_t w64[16];
};

struct hmac_lanes {
    union lane_words inner, outer; /* chaining values after the key's two pads: secret */
    union lane_words u, t;         /* in and out */
    /* A block is (u & keep) | pad: keep is ones where the digest is, and words 9 to 13 of pad are
     * zero in every row. */
    union block_words keep, pad;
    size_t live; /* lanes in use, the first ones; the others hold any value, and get any */
    const struct digest_impl *digest;
    digest_blocks_fn *blocks; /* for the portable kernel */
};

/* `iterations` times u = HMAC(u), t = t ^ u, in every live lane. */
typedef void hmac_iterate_fn(struct hmac_lanes *l, uint64_t iterations);

struct iterate_kernel {
    struct hr_kernel info;
    uint8_t lanes;
    uint8_t least; /* live lanes from which on it is faster than the kernels below it */
    hmac_iterate_fn *iterate;
};

struct iterate_op {
    const struct iterate_kernel *kernels; /* best first, for as many lanes as there may be */
    size_t num_kernels;
};

/* NULL: no HMAC. */
const struct iterate_op *iterate_op(hr_alg alg);
/* The first that this CPU has, for `live` lanes at least. */
const struct iterate_kernel *iterate_choose(const struct iterate_op *op, size_t live);
/* Runs a kernel on l->live lanes, and leaves nothing of them on the stack. */
void iterate_run(const struct iterate_kernel *kernel, struct hmac_lanes *l, uint64_t iterations);
/* Sets keep, pad, digest and blocks. */
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
