/* SPDX-License-Identifier: Apache-2.0 */
/* X25519, RFC 7748: its kernels. */
#ifndef HR_X25519_H
#define HR_X25519_H

#include "../internal.h"

/* Writes the u-coordinate of scalar times the point whose u-coordinate is `point`, or of scalar
 * times the base point: RFC 7748 section 5, with its clamping, and its masking of bit 255.  Numbers
 * are words, the least significant first. */
typedef void x25519_fn(uint64_t out[4], const uint64_t scalar[4], const uint64_t point[4]);
typedef void x25519_base_fn(uint64_t out[4], const uint64_t scalar[4]);

struct x25519_kernel {
    struct hr_kernel info;
    x25519_fn *multiply;
    x25519_base_fn *base;
};

struct x25519_kernels {
    const struct x25519_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct x25519_kernel *) *chosen;
};
extern const struct x25519_kernels x25519_kernels;

/* The secret scalar of a key of the row X25519, clamped; an agreement of it alone. */
void x25519_clamped(uint64_t out[4], const void *key);
int x25519_agree(uint8_t *out, const uint8_t *peer, size_t peer_len, const void *key);

x25519_fn x25519_multiply_c;
x25519_base_fn x25519_base_c, ed25519_x25519_ifma;

#endif
