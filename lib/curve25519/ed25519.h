/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519, RFC 8032: its kernels.  Numbers are four words, the least significant first; a point is
 * its affine coordinates x and y, eight words, below p = 2^255 - 19.  The base point B has the
 * order L = 2^252 + 27742317777372353535851937790883648493. */
#ifndef HR_ED25519_H
#define HR_ED25519_H

#include "../internal.h"

/* out = scalar B, for any scalar, in constant time. */
typedef void ed25519_base_fn(uint64_t out[8], const uint64_t scalar[4]);
/* out = scalar point + base_scalar B, for scalars below L, which are public. */
typedef void ed25519_double_fn(uint64_t out[8], const uint64_t scalar[4], const uint64_t point[8],
                               const uint64_t base_scalar[4]);
/* The point of 32 bytes by RFC 8032 section 5.1.3; returns 0 if they are one: y is below p, and an
 * x of zero has no sign. */
typedef uint64_t ed25519_decode_fn(uint64_t out[8], const uint8_t in[32]);
/* out = in mod L, for n words; out = x y + c mod L, below L. */
typedef void ed25519_reduce_fn(uint64_t out[4], uint64_t n, const uint64_t *in);
typedef void ed25519_madd_fn(uint64_t out[4], const uint64_t x[4], const uint64_t y[4],
                             const uint64_t c[4]);
/* Returns 0 if a point is scalar B, in constant time. */
typedef uint64_t ed25519_differs_fn(const uint64_t point[8], const uint64_t scalar[4]);

struct ed25519_kernel {
    struct hr_kernel info;
    ed25519_base_fn *base;
    ed25519_double_fn *twice;
    ed25519_decode_fn *decode;
    ed25519_reduce_fn *reduce;
    ed25519_madd_fn *madd;
    ed25519_differs_fn *differs; /* NULL: `base`, and a comparison */
};

struct ed25519_kernels {
    const struct ed25519_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct ed25519_kernel *) *chosen;
};
extern const struct ed25519_kernels ed25519_kernels;

ed25519_base_fn ed25519_base_c, ed25519_base_ifma;
ed25519_differs_fn ed25519_differs_ifma;
ed25519_double_fn ed25519_double_c_vartime;
ed25519_decode_fn ed25519_decode_c;
ed25519_reduce_fn ed25519_reduce_c;
ed25519_madd_fn ed25519_madd_c;

#endif
