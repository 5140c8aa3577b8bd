/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES: its keys, and what its kernels are. */
#ifndef HR_XTS_H
#define HR_XTS_H

#include "internal.h"

struct xts_key;
/* A whole data unit, len >= 16, with ciphertext stealing (IEEE 1619 section 5.3.2).  out is in or
 * does not touch it.  Returns 0, always: a direct call ends in a jump to its kernel. */
typedef int xts_fn(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
                   const uint8_t iv[16]);

struct xts_kernel {
    struct hr_kernel info;
    xts_fn *crypt;
};

/* One direction's kernels, best first; `chosen` is a cache. */
struct xts_op {
    const struct xts_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct xts_kernel *) *chosen;
};
extern const struct xts_op xts_ops[2]; /* by enum hr_op */
const struct xts_kernel *xts_choose(const struct xts_op *op);

/* The layout behind struct hr_xts_key; alg 0 means not initialised. */
struct xts_key {
    alignas(16) struct aes_key data;
    alignas(16) struct aes_key tweak; /* `dec` is not used */
    uint32_t alg;
    xts_fn *crypt[2]; /* by enum hr_op: the kernels chosen at init */
};
static_assert(sizeof(struct xts_key) <= sizeof(struct hr_xts_key), "public size");
static_assert(offsetof(struct xts_key, tweak) == XTS_KEY_TWEAK, "what assembly reads");

xts_fn aes_xts_encrypt_c, aes_xts_decrypt_c;
xts_fn aes_xts_encrypt_t4, aes_xts_decrypt_t4;
xts_fn aes_xts_encrypt_ce, aes_xts_decrypt_ce;
xts_fn aes_xts_encrypt_aesni, aes_xts_decrypt_aesni;
xts_fn aes_xts_encrypt_vaes256, aes_xts_decrypt_vaes256;
xts_fn aes_xts_encrypt_vaes512, aes_xts_decrypt_vaes512;

#endif
