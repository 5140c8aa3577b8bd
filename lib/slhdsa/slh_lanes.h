/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of one block, side by side: F, PRF, and H unless its input is longer (FIPS 205 section
 * 11). A lane is one of them, or a chain of them, in which a hash is the input of the next one. */
#ifndef HR_SLH_LANES_H
#define HR_SLH_LANES_H

#include "slhdsa.h"

enum {
    SLH_MAX_LANES = 16,
    SLH_SHORT_ADDRESS = 22, /* the length of an address with SHA-2: section 11.2 */
    SLH_ADDRESS_WORDS = 4,  /* and with SHAKE, in words of 64 bits */
};

/* n bytes, or 2n that H takes. */
typedef uint8_t slh_value[2 * SLH_MAX_N];

/* All lanes take `steps` steps, 1 or more, which the last word of each address counts, from where
 * it is, which is below 16 if there are several.  Where `keeps` is set, a lane's value after
 * `digit` steps is kept.  Lanes from `num` on may be anything. */
struct slh_lanes {
    const struct slh_key *key;
    unsigned num, steps, keeps;
    size_t in_len; /* n bytes, or 2n if there is one step */
    struct slh_address address[SLH_MAX_LANES];
    uint32_t digit[SLH_MAX_LANES];
    slh_value value[SLH_MAX_LANES]; /* before the steps, and after them */
    slh_value kept[SLH_MAX_LANES];
};

/* A kernel fills its lanes from lane 0 on; it takes about as long for one as for all. */
typedef void slh_lanes_fn(struct slh_lanes *l);
slh_lanes_fn slh_sha256_c, slh_sha512_c, slh_shake_c;
slh_lanes_fn slh_sha256_shani, slh_sha256_avx2, slh_sha256_avx512, slh_sha512_avx2,
    slh_sha512_avx512;
slh_lanes_fn slh_shake_avx2, slh_shake_avx512;

struct slh_kernel {
    struct hr_kernel info;
    uint8_t lanes, least;
    slh_lanes_fn *run;
};
/* slh_begin starts to fill lanes; slh_kernel_for returns the kernel for `num` more of them, and
 * says in l->num how many of these it runs. */
static inline void slh_begin(struct slh_lanes *l, const struct slh_key *key, size_t in_len)
{
    l->key = key;
    l->in_len = in_len;
    l->steps = 1;
    l->keeps = 0;
}
const struct slh_kernel *slh_kernel_for(struct slh_lanes *l, size_t num);

/* slh_short_address writes ADRSc (section 11.2): the last byte of the layer, eight of the tree, the
 * last of the type, and the rest. */
void slh_short_address(uint8_t *out, const struct slh_address *address);
/* slh_block writes the block of SHA-256 or SHA-512 that a lane's first step compresses, after the
 * one of PK.seed. */
void slh_block(uint8_t *block, const struct slh_lanes *l, size_t lane, size_t block_len);
/* slh_sponge writes the words of a block of SHAKE256 to words[0], words[stride] and so on. */
enum { SLH_RATE_WORDS = 17 };
void slh_sponge(uint64_t *words, size_t stride, const struct slh_lanes *l, size_t lane);

#endif
