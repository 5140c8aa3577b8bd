/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of SP 800-186 over prime fields, y^2 = x^3 - 3x + b: P-256, P-384 and P-521.
 *
 * Numbers are limbs (lib/bignum).  A coordinate is below p, and in the form of its curve's kernels:
 * Montgomery's form, for P-521 the number itself.  A point is x, y, or Jacobian x, y, z, which
 * stand for (x/z^2, y/z^3); z = 0 is the point at infinity.
 *
 * All calls take the same time for all scalars and points, except those named ..._vartime. */
#ifndef HR_EC_H
#define HR_EC_H

#include "../bignum/mont.h"
#include "../internal.h"

enum {
    EC_LIMBS = 9,  /* of the largest curve */
    EC_BYTES = 66, /* of its coordinates */
    EC_MAX_PUBLIC = 1 + 2 * EC_BYTES,
};

/* The parameters of a curve, and what follows from them (tools/gen/ec_tables.py). */
struct ec_domain {
    uint64_t p[EC_LIMBS], n[EC_LIMBS]; /* the orders of the field and of the group */
    uint64_t b[EC_LIMBS];              /* this and the next are in the kernels' form */
    uint64_t one[EC_LIMBS];
    uint64_t enter[EC_LIMBS];  /* a number times this has the kernels' form */
    uint64_t n_half[EC_LIMBS]; /* (n - 1) / 2 */
    uint64_t p_minus_n[EC_LIMBS];
    uint64_t n_r2[EC_LIMBS], n_one[EC_LIMBS]; /* R^2 and R mod n */
    uint64_t p_m0, n_m0;                      /* -1/p and -1/n mod 2^64 */
    uint16_t bits;                            /* of p and of n */
    uint8_t num, bytes;                       /* limbs and bytes of a number */
    /* The curve's comb has points j * 2^(width * step * i) * G, as x and y: row i is all j from 1
     * to 2^(width - 1). */
    uint8_t width, step;
};
extern const struct ec_domain p256_domain, p384_domain, p521_domain;
extern const uint64_t p256_comb[], p384_comb[], p521_comb[];

/* The arithmetic of a curve.  Outputs may be inputs. */
struct ec_kernel {
    struct hr_kernel info;
    void (*mul)(uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*sqr)(uint64_t *z, const uint64_t *x);
    /* Adds two points; q of add_affine is x, y.  The sum of a point and itself, unless that is at
     * infinity, comes out with z = 0. */
    void (*add)(uint64_t *sum, const uint64_t *p, const uint64_t *q);
    void (*add_affine)(uint64_t *sum, const uint64_t *p, const uint64_t *q);
    void (*twice)(uint64_t *out, const uint64_t *p);
    /* z = 1/x in the field, 0 for 0; NULL: by Fermat's theorem. */
    void (*inverse)(uint64_t *z, const uint64_t *x);
    /* z = 1/x mod an odd m; t has room for 3 num limbs.  NULL: by Fermat's theorem. */
    void (*mod_inverse)(uint64_t num, uint64_t *z, const uint64_t *x, const uint64_t *m,
                        uint64_t *t);
    /* out = entry `index`, counted from 1, of a table whose entries have `words` limbs, by looking
     * at all of them; zero for index 0.  NULL: ec_look_up_c(). */
    void (*look_up)(uint64_t *out, const uint64_t *table, size_t num_entries, size_t words,
                    uint64_t index);
};

struct ec_curve {
    const struct ec_domain *domain;
    const uint64_t *comb;
    const struct ec_kernel *kernels; /* best first; portable C last */
    size_t num_kernels;
};
extern const struct ec_curve p256_curve, p384_curve, p521_curve;

const struct ec_kernel *ec_choose(const struct ec_curve *curve);
static inline const struct hr_kernel *ec_kernel_at(const struct ec_curve *curve, size_t i)
{
    return i < curve->num_kernels ? &curve->kernels[i].info : NULL;
}

/* A curve, and the kernel that computes on it. */
struct ec {
    const struct ec_domain *domain;
    const uint64_t *comb;
    const struct ec_kernel *kernel;
};

BN_INLINE void ec_copy(uint64_t *z, const uint64_t *x, size_t num)
{
    memcpy(z, x, num * sizeof *x);
}

/* ---- ec_field.c ---- */

/* z = 1/x and z = the square root of x, if there is one, in the field. */
void ec_inverse(uint64_t *z, const uint64_t *x, const struct ec *ec);
void ec_square_root(uint64_t *z, const uint64_t *x, const struct ec *ec);
/* Arithmetic modulo n, on numbers below n. */
void ec_order_mul(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct ec *ec); /* / R */
void ec_order_inverse(uint64_t *z, const uint64_t *x, const struct ec *ec);
/* ec_scalar reads a scalar of `bytes` bytes; returns the mask of 1 <= z < n. */
uint64_t ec_scalar(uint64_t *z, const uint8_t *in, const struct ec *ec);

/* ---- ec_point.c ---- */

/* ec_affine turns a Jacobian point other than infinity into x, y.  ec_affine_x writes x alone, as a
 * number: not in the kernels' form. */
void ec_affine(uint64_t *out, const uint64_t *p, const struct ec *ec);
void ec_affine_x(uint64_t *x, const uint64_t *p, const struct ec *ec);
/* ec_decode_vartime reads a point x, y (SEC 1 section 2.3.4): 04 || x || y or 02 / 03 || x.
 * HR_EKEYLEN; HR_EKEY: it is not on the curve, or at infinity. */
int ec_decode_vartime(uint64_t *out, const uint8_t *in, size_t in_len, const struct ec *ec);
/* ec_encode writes 04 || x || y. */
void ec_encode(uint8_t *out, const uint64_t *point, const struct ec *ec);

/* ---- ec_multiply.c ---- */

/* out = k * point and out = k * G, Jacobian, for k below n; `point` is x, y. */
void ec_multiply(uint64_t *out, const uint64_t *k, const uint64_t *point, const struct ec *ec);
void ec_multiply_base(uint64_t *out, const uint64_t *k, const struct ec *ec);

/* ---- ec_multiply_vartime.c ---- */

/* out = a * G + b * point, Jacobian, for a and b below n; `point` is x, y. */
void ec_multiply_two_vartime(uint64_t *out, const uint64_t *a, const uint64_t *b,
                             const uint64_t *point, const struct ec *ec);

#endif
