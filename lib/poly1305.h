/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 (D. J. Bernstein, 2005): keys, messages, and what their kernels are. */
#ifndef HR_POLY1305_H
#define HR_POLY1305_H

#include "internal.h"

/* What kernels make of r: its powers. */
enum { POLY1305_WORDS = 160 };

struct poly1305_kernel;
struct poly1305_aes_key;

/* r, clamped.  Powers take longer to make than a short message takes without them: a key that is
 * kept has them, a key for one message gets them when a message turns out to be long. */
struct poly1305_key {
    alignas(64) uint64_t r[2];
    const struct poly1305_kernel *kernel;
    uint64_t with_powers;
    alignas(64) uint64_t powers[POLY1305_WORDS];
};
static_assert(offsetof(struct poly1305_key, r) == POLY1305_KEY_R, "what assembly reads");

/* Makes key->powers of key->r. */
typedef void poly1305_setup_fn(struct poly1305_key *key);
/* h = (h + c_1) r + ... over whole blocks of 16 bytes, each with 2^128 added.  h is a number below
 * 2^131 in three words of 64 bits, congruent modulo 2^130 - 5 to the polynomial so far. */
typedef void poly1305_blocks_fn(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                                const struct poly1305_key *key);
/* Poly1305-AES of a short message, with AES of the nonce and the polynomial side by side: under a
 * key that is kept, and under the 32 bytes k, r. */
typedef void poly1305_aes_kept_fn(uint8_t out[16], const uint8_t *in, size_t len,
                                  const struct poly1305_aes_key *key, const uint8_t n[16]);
typedef void poly1305_aes_raw_fn(uint8_t out[16], const uint8_t *in, size_t len,
                                 const uint8_t kr[32], const uint8_t n[16]);

struct poly1305_kernel {
    struct hr_kernel info;
    poly1305_blocks_fn *blocks;
    poly1305_setup_fn *setup; /* NULL: r is all that it needs */
    size_t min_blocks;        /* of fewer poly1305_blocks_c makes less work */
    /* of Poly1305-AES; NULL: the cipher's kernel and `blocks`, one after the other */
    poly1305_aes_kept_fn *kept;
    poly1305_aes_raw_fn *raw;
};

/* The blocks of one message that pay for powers which are made for it alone. */
static inline size_t poly1305_min_once(const struct poly1305_kernel *kernel)
{
    return 8 * kernel->min_blocks;
}

/* A row's kernels, best first; `chosen` is a cache. */
struct poly1305_impl {
    const struct poly1305_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct poly1305_kernel *) *chosen;
};
extern const struct poly1305_impl poly1305_impl, poly1305_aes_impl;
const struct poly1305_impl *poly1305_row(hr_alg alg); /* NULL: neither of the two */
const struct poly1305_kernel *poly1305_choose(const struct poly1305_impl *impl);
void poly1305_forget(void); /* the choices, in tests */

/* A message so far. */
struct poly1305_state {
    uint64_t h[3];
    uint8_t part[16];
    size_t used;
};

/* r is clamped here: 16 bytes, little-endian. */
void poly1305_setup(struct poly1305_key *key, const uint8_t r[16],
                    const struct poly1305_kernel *kernel);
void poly1305_make_powers(struct poly1305_key *key);
void poly1305_update(struct poly1305_state *state, const uint8_t *in, size_t len,
                     const struct poly1305_key *key);
/* out = (h mod 2^130 - 5) + s mod 2^128. */
void poly1305_final(uint8_t out[16], struct poly1305_state *state, const struct poly1305_key *key,
                    const uint8_t s[16]);
void poly1305_direct(uint8_t out[16], const uint8_t *in, size_t len, const struct poly1305_key *key,
                     const uint8_t s[16]);

poly1305_blocks_fn poly1305_blocks_c, poly1305_blocks_double, poly1305_blocks_t4,
    poly1305_blocks_neon, poly1305_blocks_avx2, poly1305_blocks_avx512, poly1305_blocks_ifma;
poly1305_setup_fn poly1305_setup_double, poly1305_setup_neon;
poly1305_aes_kept_fn poly1305_aes_kept_ce, poly1305_aes_kept_aesni;
poly1305_aes_raw_fn poly1305_aes_raw_ce, poly1305_aes_raw_aesni;

#endif
