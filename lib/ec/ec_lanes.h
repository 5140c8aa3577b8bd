/* SPDX-License-Identifier: Apache-2.0 */
/* P-256 and P-384 side by side: each operation has a lane of vectors. */
#ifndef HR_EC_LANES_H
#define HR_EC_LANES_H

#include "ec_key.h"
#include <stdalign.h>

enum {
    EC_LANES = 8,
    EC_LANES_DIGIT = 52,   /* bits of a digit */
    EC_LANES_DIGITS = 8,   /* of the larger curve's numbers */
    EC_LANES_WIDTH = 5,    /* of a window of any point's multiple */
    EC_LANES_WINDOWS = 77, /* of P-384, as 77 windows of 5 bits have 385 */
};

/* A number of each lane, as digits: least significant first. */
struct ec_lanes_number {
    alignas(64) uint64_t digit[EC_LANES_DIGITS][EC_LANES];
};

/* Windows of a scalar of each lane: twice the size of a signed digit, plus 1 if it is negative. */
struct ec_lanes_scalar {
    alignas(64) uint64_t window[EC_LANES_WINDOWS][EC_LANES];
};

/* The constants of a curve for its lanes (tools/gen/ec_tables.py), R = 2^(52 digits). */
struct ec_lanes_domain {
    uint64_t n[EC_LANES_DIGITS];
    uint64_t one[EC_LANES_DIGITS];    /* R mod p */
    uint64_t enter[EC_LANES_DIGITS];  /* a number times this has Montgomery's form */
    uint64_t change[EC_LANES_DIGITS]; /* a number in struct ec_domain's form times this has it */
    uint64_t n_r2[EC_LANES_DIGITS];
    uint64_t n_m0; /* -1/n mod 2^52 */
};
/* The combs have points j * 2^(width * i) * G: row i is the digits of x and y, each of all j from 1
 * to 2^(width - 1). */
extern const uint64_t p256_comb_table[], p384_comb_table[];
extern const struct ec_lanes_domain p256_lanes_table, p384_lanes_table;

/* The operands and results of an operation are below n, or p if they are coordinates. */
struct ec_lanes_sign {
    struct ec_lanes_scalar comb; /* of k */
    struct ec_lanes_number k, blind, key, digest;
    struct ec_lanes_number r, s; /* out */
};
struct ec_lanes_verify {
    struct ec_lanes_number r, s, digest, u, v; /* `scalars` makes the last two of the others */
    struct ec_lanes_scalar u_comb, v_windows;
    struct ec_lanes_number x, y;   /* of the public key, in struct ec_domain's form */
    struct ec_lanes_number second; /* r + n if that is below p, else r */
    uint8_t u_negate, v_negate;    /* a bit for each lane */
    uint8_t good, unknown; /* out: signatures of the lanes are right; are yet to be tested */
};
struct ec_lanes_agree {
    struct ec_lanes_scalar windows;
    struct ec_lanes_number x, y;   /* in struct ec_domain's form */
    struct ec_lanes_number secret; /* out: x of the product */
    uint8_t infinite;              /* out */
};

enum ec_lanes_op { EC_LANES_SIGN, EC_LANES_VERIFY, EC_LANES_AGREE, EC_LANES_OPS };

struct ec_lanes_kernel {
    struct hr_kernel info;
    uint8_t lanes;
    uint8_t least[EC_LANES_OPS]; /* the numbers of jobs from which on the kernel is the best */
    void (*sign)(struct ec_lanes_sign *work);
    void (*scalars_vartime)(struct ec_lanes_verify *work);
    void (*verify_vartime)(struct ec_lanes_verify *work);
    void (*agree)(struct ec_lanes_agree *work);
};

/* The kernels of a curve, best first; the last one has no functions. */
struct ec_lanes_curve {
    const struct ec_lanes_kernel *kernels;
    size_t num_kernels;
    uint8_t comb_width; /* of the windows of multiply_base */
};
extern const struct ec_lanes_curve p256_lanes, p384_lanes;

/* ec_lanes_of returns NULL for a curve without lanes. */
const struct ec_lanes_curve *ec_lanes_of(const struct ec_domain *domain);
/* ec_lanes_kernel returns the best kernel for so many jobs; without functions: one after the other.
 */
const struct ec_lanes_kernel *ec_lanes_kernel(const struct ec_lanes_curve *curve,
                                              enum ec_lanes_op op, size_t num);
/* ec_lanes_exist returns whether any jobs with a key share lanes on this CPU. */
int ec_lanes_exist(const struct ec_key *key, enum ec_lanes_op op);

/* ---- numbers of lanes ---- */

void ec_lanes_put(struct ec_lanes_number *to, size_t lane, const uint64_t *x, size_t num);
void ec_lanes_get(uint64_t *x, const struct ec_lanes_number *from, size_t lane, size_t num);
/* ec_lanes_windows writes the windows of k or n - k, whichever is smaller; returns the mask of the
 * latter. */
uint64_t ec_lanes_windows(struct ec_lanes_scalar *to, size_t lane, const uint64_t *k, size_t width,
                          const struct ec_domain *domain);

#define EC_LANES_DECLARE(curve, width)                                      \
    void curve##_sign_ifma##width(struct ec_lanes_sign *work);              \
    void curve##_scalars_vartime_ifma##width(struct ec_lanes_verify *work); \
    void curve##_verify_vartime_ifma##width(struct ec_lanes_verify *work);  \
    void curve##_agree_ifma##width(struct ec_lanes_agree *work);
EC_LANES_DECLARE(p256, 256)
EC_LANES_DECLARE(p256, 512)
EC_LANES_DECLARE(p384, 256)
EC_LANES_DECLARE(p384, 512)

#endif
