/* SPDX-License-Identifier: Apache-2.0 */
/* AES key wrap: its keys, and the types of its kernels. */
#ifndef HR_WRAP_H
#define HR_WRAP_H

#include "../internal.h"

/* A wrap_fn computes the function W of SP 800-38F section 6.1 or its inverse, in place: a is the
 * first semiblock, r the n others, n >= 2. */
typedef void wrap_fn(uint8_t a[8], uint8_t *r, size_t n, const struct aes_key *key);

struct wrap_kernel {
    struct hr_kernel info;
    wrap_fn *chain;          /* NULL: `block` is called for each step */
    cipher_blocks_fn *block; /* in ECB mode */
};

/* The kernels of one direction, best first; `chosen` caches the one that wrap_choose() found. */
struct wrap_op {
    const struct wrap_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct wrap_kernel *) *chosen;
};
extern const struct wrap_op wrap_ops[2]; /* indexed by enum hr_op */
const struct wrap_kernel *wrap_choose(const struct wrap_op *op);

/* The layout behind struct hr_wrap_key; alg 0 means not initialised. */
struct wrap_key {
    alignas(16) struct aes_key aes;
    uint32_t alg;
    const struct wrap_kernel *kernel[2]; /* the kernels chosen at init, by enum hr_op */
};
static_assert(sizeof(struct wrap_key) <= sizeof(struct hr_wrap_key), "public size");

wrap_fn aes_wrap_encrypt_aesni, aes_wrap_decrypt_aesni;
wrap_fn aes_wrap_encrypt_ce, aes_wrap_decrypt_ce;

#endif
