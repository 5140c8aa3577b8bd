/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES: its keys, and the types of its kernels. */
#ifndef HR_XTS_H
#define HR_XTS_H

#include "internal.h"

struct xts_key;
/* An xts_fn encrypts or decrypts a whole data unit, len >= 16, with ciphertext stealing (IEEE 1619
 * sections 5.3.2 and 5.4.2).  out is equal to in or does not overlap it.  Kernels always return 0,
 * so that a direct call can end in a jump to one. */
typedef int xts_fn(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
                   const uint8_t iv[16]);

struct xts_kernel {
    struct hr_kernel info;
    xts_fn *crypt;
};

/* The kernels of one direction, best first; `chosen` caches the one that xts_choose() found. */
struct xts_op {
    const struct xts_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct xts_kernel *) *chosen;
};
extern const struct xts_op xts_ops[2]; /* indexed by enum hr_op */
const struct xts_kernel *xts_choose(const struct xts_op *op);

/* The layout behind struct hr_xts_key; alg 0 means not initialised. */
struct xts_key {
    alignas(16) struct aes_key data;
    alignas(16) struct aes_key tweak; /* `dec` of this key is not used */
    uint32_t alg;
    xts_fn *crypt[2]; /* the kernels chosen at init, by enum hr_op */
};
static_assert(sizeof(struct xts_key) <= sizeof(struct hr_xts_key), "public size");
static_assert(offsetof(struct xts_key, tweak) == XTS_KEY_TWEAK, "what assembly reads");

xts_fn aes_xts_encrypt_c, aes_xts_decrypt_c;
xts_fn aes_xts_encrypt_t4, aes_xts_decrypt_t4;
xts_fn aes_xts_encrypt_ce, aes_xts_decrypt_ce;
xts_fn aes_xts_encrypt_aesni, aes_xts_decrypt_aesni;
xts_fn aes_xts_encrypt_vaes256, aes_xts_decrypt_vaes256;
xts_fn aes_xts_encrypt_vaes512, aes_xts_decrypt_vaes512;
xts_fn aes_xts_encrypt_ssse3, aes_xts_decrypt_ssse3;
xts_fn aes_xts_encrypt_avx2, aes_xts_decrypt_avx2;
xts_fn aes_xts_encrypt_neon, aes_xts_decrypt_neon;

#endif
