/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of one block, side by side: F, PRF, and H unless its input is longer (FIPS 205 section
 * 11). A lane is one of them, or a chain of them, in which a hash is the input of the next one. */
#ifndef HR_SLH_LANES_H
#define HR_SLH_LANES_H

#include "../keccak/keccak.h"
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
static inline void slh_short_address(uint8_t *out, const struct slh_address *address)
{
    out[0] = (uint8_t)address->word[SLH_LAYER];
    store_be32(out + 1, address->word[SLH_TREE_HIGH]);
    store_be32(out + 5, address->word[SLH_TREE_LOW]);
    out[9] = (uint8_t)address->word[SLH_TYPE];
    for (int i = 0; i < 3; i++)
        store_be32(out + 10 + 4 * i, address->word[SLH_PAIR + i]);
}

/* slh_block writes the block of SHA-256 or SHA-512 that a lane's first step compresses, after the
 * one of PK.seed. */
static inline void slh_block(uint8_t *block, const struct slh_lanes *l, size_t which,
                             size_t block_len)
{
    const size_t len = SLH_SHORT_ADDRESS + l->in_len;
    memset(block, 0, block_len);
    slh_short_address(block, &l->address[which]);
    memcpy(block + SLH_SHORT_ADDRESS, l->value[which], l->in_len);
    block[len] = 0x80;
    store_be64(block + block_len - 8, 8 * (uint64_t)(block_len + len));
}

/* slh_sponge writes the words of a block of SHAKE256 to words[0], words[stride] and so on. */
enum { SLH_RATE_WORDS = KECCAK_RATE_256 / 8 };
static inline void slh_sponge(uint64_t *words, size_t stride, const struct slh_lanes *l,
                              size_t which)
{
    const size_t n = l->key->params->n, end = (n + l->in_len) / 8 + SLH_ADDRESS_WORDS;
    const uint32_t *address = l->address[which].word;
    size_t at = 0;
    for (size_t i = 0; i < n; i += 8)
        words[stride * at++] = load_le64(slh_pk_seed(l->key) + i);
    for (int i = 0; i < 8; i += 2)
        words[stride * at++] = bswap64((uint64_t)address[i] << 32 | address[i + 1]);
    for (size_t i = 0; i < l->in_len; i += 8)
        words[stride * at++] = load_le64(l->value[which] + i);
    while (at < SLH_RATE_WORDS)
        words[stride * at++] = 0;
    words[stride * end] |= KECCAK_SHAKE;
    words[stride * (SLH_RATE_WORDS - 1)] |= UINT64_C(1) << 63;
}

#endif
