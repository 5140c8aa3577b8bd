/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak-f[1600] and its sponges (FIPS 202), for SHA-3, SHAKE, KMAC and whatever in the library
 * hashes with them.  Lane (x, y) of a state is state[x + 5y], a number: the bytes of messages and
 * of outputs are little-endian in it, on every CPU.  A rate, the length of a sponge's block, is a
 * multiple of 8 below 200. */
#ifndef HR_KECCAK_H
#define HR_KECCAK_H

#include "../internal.h"

enum { KECCAK_WORDS = 25, KECCAK_ROUNDS = 24 };
extern const uint64_t keccak_k[KECCAK_ROUNDS]; /* iota's, FIPS 202 section 3.2.5 */

/* A keccak_permute_fn permutes one state; a keccak_permute4_fn four, which follow each other in
 * memory.  A keccak_absorb_fn adds num_blocks blocks to a state and permutes it after each. */
typedef void keccak_permute_fn(uint64_t state[KECCAK_WORDS]);
typedef void keccak_permute4_fn(uint64_t states[4][KECCAK_WORDS]);
typedef void keccak_absorb_fn(uint64_t state[KECCAK_WORDS], const uint8_t *in, size_t num_blocks,
                              size_t rate);

struct keccak_kernel {
    struct hr_kernel info;
    keccak_permute_fn *permute;
    keccak_absorb_fn *absorb;
};
struct keccak_kernel4 {
    struct hr_kernel info;
    keccak_permute4_fn *permute;
};
/* The kernels for one state and for four, best first; `chosen` is a cache. */
struct keccak_impl {
    const struct keccak_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct keccak_kernel *) *chosen;
};
struct keccak_impl4 {
    const struct keccak_kernel4 *kernels;
    size_t num_kernels;
    _Atomic(const struct keccak_kernel4 *) *chosen;
};
extern const struct keccak_impl keccak_impl;
extern const struct keccak_impl4 keccak_impl4;
void keccak_forget(void); /* which kernels were chosen */

keccak_permute_fn keccak_permute_c, keccak_permute_bmi2;
keccak_absorb_fn keccak_absorb_c, keccak_absorb_bmi2;
keccak_permute4_fn keccak_permute4_c, keccak_permute4_avx2, keccak_permute4_avx512;

/* keccak_f1600 and keccak_f1600_x4 permute by the best kernels of this CPU. */
void keccak_f1600(uint64_t state[KECCAK_WORDS]);
void keccak_f1600_x4(uint64_t states[4][KECCAK_WORDS]);

/* ---- bytes of a state ---- */

/* keccak_add adds len bytes to a state, from byte `at` on; keccak_get copies them. */
void keccak_add(uint64_t *state, size_t at, const uint8_t *in, size_t len);
void keccak_get(uint8_t *out, const uint64_t *state, size_t at, size_t len);
/* keccak_end ends a message of which `at` bytes are in the state's last block: it adds the suffix
 * and the last bit of the padding (FIPS 202 section 5.1).  A permutation has to follow. */
void keccak_end(uint64_t *state, size_t at, size_t rate, uint8_t suffix);

/* ---- SHA-3, for the calls of digests ---- */

void sponge_update(struct digest_ctx *ctx, const struct digest_impl *impl,
                   const struct digest_kernel *kernel, const uint8_t *in, size_t len);
void sponge_final(struct digest_ctx *ctx, const struct digest_impl *impl,
                  const struct digest_kernel *kernel, uint8_t *out);

/* ---- one sponge ---- */

/* The bits that follow a message, with the first bit of the padding. */
enum { KECCAK_SHA3 = 0x06, KECCAK_SHAKE = 0x1f, KECCAK_CSHAKE = 0x04 };
enum { KECCAK_RATE_128 = 168, KECCAK_RATE_256 = 136 }; /* of SHAKE128 and SHAKE256 */

struct keccak {
    uint64_t state[KECCAK_WORDS];
    uint8_t rate, suffix;
    uint8_t at;        /* bytes absorbed of this block, or squeezed */
    uint8_t squeezing; /* whether the message has ended */
};

void keccak_start(struct keccak *k, size_t rate, uint8_t suffix);
void keccak_absorb(struct keccak *k, const void *in, size_t len);
/* keccak_squeeze writes the next len bytes of the output; the first call ends the message. */
void keccak_squeeze(struct keccak *k, uint8_t *out, size_t len);
/* keccak_hash does all of this for a whole message.  `out` may lie anywhere, also inside `in`. */
void keccak_hash(uint8_t *out, size_t out_len, size_t rate, uint8_t suffix, const void *in,
                 size_t in_len);

/* ---- four sponges with messages of the same length ---- */

struct keccak_x4 {
    alignas(32) uint64_t states[4][KECCAK_WORDS];
    size_t rate;
};

/* keccak_x4_absorb starts four sponges, absorbs a whole message each, and pads them. */
void keccak_x4_absorb(struct keccak_x4 *k, size_t rate, uint8_t suffix, const uint8_t *const in[4],
                      size_t len);
/* keccak_x4_squeeze_blocks writes the next num_blocks * rate bytes of each. */
void keccak_x4_squeeze_blocks(struct keccak_x4 *k, uint8_t *const out[4], size_t num_blocks);

#endif
