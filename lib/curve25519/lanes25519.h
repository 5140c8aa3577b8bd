/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 and Ed25519 side by side: each agreement or signature has a lane of vectors. */
#ifndef HR_LANES25519_H
#define HR_LANES25519_H

#include "../internal.h"
#include "../pk/agree.h"
#include "../pk/sign.h"
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

/* ---- Ed25519 ---- */

enum { ED25519_WINDOWS = 52, ED25519_ENTRIES = 16 };

/* Digits of 5 bits of a scalar of each lane, as of ed25519_comb.h: twice the absolute value, plus 1
 * if it is negative. */
struct scalar25519 {
    alignas(64) uint64_t window[ED25519_WINDOWS][LANES25519];
};

struct ed25519_lanes {
    struct scalar25519 base, other; /* multiples of the base point, and of (x, y) */
    struct number25519 x, y;        /* in and out */
};

struct ed25519_lanes_kernel {
    struct hr_kernel info;
    uint8_t lanes;
    uint8_t least[2]; /* the numbers of signatures and verifications from which on it is the best */
    /* (x, y) = base B, in constant time. */
    void (*multiply)(struct ed25519_lanes *work);
    /* x and y become multiples of p just if base B is (x, y), in constant time. */
    void (*compare)(struct ed25519_lanes *work);
    /* (x, y) = base B + other (x, y), for scalars below L. */
    void (*verify_vartime)(struct ed25519_lanes *work);
};

/* The kernels, best first; the last one has no functions: one after the other. */
extern const struct ed25519_lanes_kernel ed25519_lanes_kernels[];
extern const size_t ed25519_lanes_num_kernels;
extern const struct sign_lanes ed25519_lanes;

/* tools/gen/ed25519_table.py: digit k of y - x, x + y and 2 d x y of j 32^i B, at [i][k][j - 1]. */
extern const uint64_t ed25519_lanes_table[ED25519_WINDOWS][3 * DIGITS25519][ED25519_ENTRIES];
/* 2 d */
extern const uint64_t ed25519_curve_table[DIGITS25519];

#define ED25519_LANES_DECLARE(width)                               \
    void ed25519_multiply_ifma##width(struct ed25519_lanes *work); \
    void ed25519_compare_ifma##width(struct ed25519_lanes *work);  \
    void ed25519_verify_vartime_ifma##width(struct ed25519_lanes *work);
ED25519_LANES_DECLARE(256)
ED25519_LANES_DECLARE(512)

void x25519_multiply_ifma256(struct x25519_lanes *work);
void x25519_multiply_ifma512(struct x25519_lanes *work);

#endif
