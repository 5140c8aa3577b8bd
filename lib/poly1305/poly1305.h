/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 (D. J. Bernstein, 2005): keys, messages, and the types of its kernels. */
#ifndef HR_POLY1305_H
#define HR_POLY1305_H

#include "../internal.h"

/* Room for the powers of r that a kernel computes from a key, in 64-bit words. */
enum { POLY1305_WORDS = 160 };

struct poly1305_kernel;
struct poly1305_aes_key;

/* A key: r, clamped, and powers of r.  Computing the powers takes longer than the MAC of a short
 * message without them.  So a key that is used for many messages gets them at setup, and a key for
 * one message only if the message turns out to be long. */
struct poly1305_key {
    alignas(64) uint64_t r[2];
    const struct poly1305_kernel *kernel;
    uint64_t with_powers; /* 1 if `powers` has been computed */
    alignas(64) uint64_t powers[POLY1305_WORDS];
};
static_assert(offsetof(struct poly1305_key, r) == POLY1305_KEY_R, "what assembly reads");

/* Computes key->powers from key->r. */
typedef void poly1305_setup_fn(struct poly1305_key *key);
/* Computes h = (h + c) r for one block c of 16 bytes after the other; 2^128 is added to each block.
 * h is a number below 2^131 in three words of 64 bits, congruent modulo 2^130 - 5 to the polynomial
 * so far. */
typedef void poly1305_blocks_fn(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                                const struct poly1305_key *key);
/* Does the same for a key without powers, for at least POLY1305_LEAST_ONCE blocks. */
enum { POLY1305_LEAST_ONCE = 8 };
typedef void poly1305_once_fn(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                              const uint64_t r[2]);
/* Poly1305-AES of a short message: AES of the nonce and the polynomial are computed side by side.
 * The first function takes an expanded key, the second one the key's 32 bytes, k and r. */
typedef void poly1305_aes_kept_fn(uint8_t out[16], const uint8_t *in, size_t len,
                                  const struct poly1305_aes_key *key, const uint8_t n[16]);
typedef void poly1305_aes_raw_fn(uint8_t out[16], const uint8_t *in, size_t len,
                                 const uint8_t kr[32], const uint8_t n[16]);

struct poly1305_kernel {
    struct hr_kernel info;
    poly1305_blocks_fn *blocks;
    poly1305_setup_fn *setup; /* NULL: the kernel needs r only */
    poly1305_blocks_fn *few;  /* needs r only, and is faster for fewer than `min_blocks` blocks */
    size_t min_blocks;
    /* Under a key without powers, `few` is for less than `min_once` blocks, and for more than
     * `max_once` it is worth it to compute all powers. */
    poly1305_once_fn *once;
    size_t min_once, max_once;
    /* Poly1305-AES; NULL: the cipher's kernel and `blocks` run one after the other */
    poly1305_aes_kept_fn *kept;
    poly1305_aes_raw_fn *raw;
};

/* The kernels of a row, best first; `chosen` caches the one that poly1305_choose() found. */
struct poly1305_impl {
    const struct poly1305_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct poly1305_kernel *) *chosen;
};
extern const struct poly1305_impl poly1305_impl, poly1305_aes_impl;
/* Returns NULL if `alg` is neither Poly1305 nor Poly1305-AES. */
const struct poly1305_impl *poly1305_row(hr_alg alg);
const struct poly1305_kernel *poly1305_choose(const struct poly1305_impl *impl);
void poly1305_forget(void); /* forgets the choices; for tests */

/* The state of a message that may be incomplete. */
struct poly1305_state {
    uint64_t h[3];
    uint8_t part[16];
    size_t used;
};

/* Prepares a key except for the powers; r is little-endian, and is clamped by this function. */
void poly1305_setup(struct poly1305_key *key, const uint8_t r[16],
                    const struct poly1305_kernel *kernel);
void poly1305_make_powers(struct poly1305_key *key);
/* Does what a poly1305_blocks_fn does, by the function that is fastest for the key and the number
 * of blocks. */
void poly1305_absorb(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                     const struct poly1305_key *key);
void poly1305_update(struct poly1305_state *state, const uint8_t *in, size_t len,
                     const struct poly1305_key *key);
/* Processes the bytes that are left in `state`, and computes out = (h mod 2^130 - 5) + s mod 2^128;
 * wipes `state`. */
void poly1305_final(uint8_t out[16], struct poly1305_state *state, const struct poly1305_key *key,
                    const uint8_t s[16]);
void poly1305_direct(uint8_t out[16], const uint8_t *in, size_t len, const struct poly1305_key *key,
                     const uint8_t s[16]);

poly1305_blocks_fn poly1305_blocks_c, poly1305_blocks_double, poly1305_blocks_t4,
    poly1305_blocks_neon, poly1305_blocks_x86, poly1305_blocks_avx2, poly1305_blocks_avx512,
    poly1305_blocks_ifma;
poly1305_setup_fn poly1305_setup_double, poly1305_setup_neon, poly1305_setup_ifma;
poly1305_once_fn poly1305_once_ifma, poly1305_once_avx512, poly1305_once_avx2;
poly1305_aes_kept_fn poly1305_aes_kept_ce, poly1305_aes_kept_aesni;
poly1305_aes_raw_fn poly1305_aes_raw_ce, poly1305_aes_raw_aesni;

#endif
