/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 side by side: each agreement has a lane of vectors. */
#ifndef HR_LANES25519_H
#define HR_LANES25519_H

#include "../internal.h"
#include "../pk/agree.h"
#include <stdalign.h>

enum { LANES25519 = 8, DIGITS25519 = 5 };

/* A number of each lane, as digits of 51 bits: least significant first. */
struct number25519 {
    alignas(64) uint64_t digit[DIGITS25519][LANES25519];
};

struct x25519_lanes {
    alignas(64) uint64_t scalar[4][LANES25519]; /* after clamping */
    struct number25519 u;                       /* digits below 2^52; becomes the product's u */
};

struct x25519_lanes_kernel {
    struct hr_kernel info;
    uint8_t lanes;
    uint8_t least; /* the number of jobs from which on the kernel is the best */
    void (*multiply)(struct x25519_lanes *work);
};

/* The kernels, best first; the last one has no function: one after the other. */
extern const struct x25519_lanes_kernel x25519_lanes_kernels[];
extern const size_t x25519_lanes_num_kernels;
extern const struct agree_lanes x25519_lanes;

void x25519_multiply_ifma256(struct x25519_lanes *work);
void x25519_multiply_ifma512(struct x25519_lanes *work);

#endif
