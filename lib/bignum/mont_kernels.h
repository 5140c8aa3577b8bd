/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of Montgomery arithmetic, for moduli that are known at run time: RSA, DSA, DH. */
#ifndef HR_MONT_KERNELS_H
#define HR_MONT_KERNELS_H

#include "../secret.h"
#include "mont.h"

/* x and y are below m, and so is z, which may be x or y; one factor of `mul` may be any number of
 * m->num limbs.  The time depends on m->num, `squarings`, and e_bits only. */
/* z = x * y / R mod m */
typedef void mont_mul_fn(uint64_t *z, const uint64_t *x, const uint64_t *y,
                         const struct modulus *m);

struct mont_kernel {
    size_t min_limbs, max_limbs; /* of the moduli that the kernel takes */
    mont_mul_fn *mul;
    /* z = x^(2^squarings) * y, all in Montgomery's form */
    void (*steps)(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                  const struct modulus *m);
    /* z = x^e mod m, e below 2^e_bits, none in Montgomery's form; NULL: by `mul` and `steps` */
    void (*power)(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_bits,
                  const struct modulus *m);
    uint64_t needs; /* CPU features */
    const char *name;
};

/* The kernels, best first; the last one is portable, and takes MONT_MAX_LIMBS. */
extern const struct mont_kernel mont_kernels[];
extern const size_t mont_num_kernels;

/* mont_kernel returns the first kernel that takes moduli of num limbs on this CPU. */
const struct mont_kernel *mont_kernel(size_t num);

/* The steps of a kernel by its product. */
static inline void mont_steps_by(mont_mul_fn *mul, uint64_t *z, const uint64_t *x,
                                 unsigned squarings, const uint64_t *y, const struct modulus *m)
{
    uint64_t t[MONT_MAX_LIMBS];
    const size_t len = m->num * sizeof *t;
    memcpy(t, x, len);
    for (unsigned i = 0; i < squarings; i++)
        mul(t, t, t, m);
    mul(z, t, y, m);
    wipe_bytes(t, len);
}

/* z = x^e mod m by the kernel's `mul` and `steps`. */
void mont_power_by(const struct mont_kernel *kernel, uint64_t *z, const uint64_t *x,
                   const uint64_t *e, size_t e_bits, const struct modulus *m);

void mont_mul_t4(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *m);
void mont_steps_t4(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                   const struct modulus *m);
void mont_power_t4(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_bits,
                   const struct modulus *m);
void mont_mul_vis3(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *m);
void mont_steps_vis3(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                     const struct modulus *m);
/* The lengths in limbs that mont_proven.c has. */
#define MONT_PROVEN_LENGTHS(X) X(8) X(16) X(24) X(32) X(48) X(64) X(96) X(128)
#define MONT_PROVEN_DECLARE(num)                                                     \
    void mont_mul_proven_##num(uint64_t *z, const uint64_t *x, const uint64_t *y,    \
                               const struct modulus *m);                             \
    void mont_steps_proven_##num(uint64_t *z, const uint64_t *x, unsigned squarings, \
                                 const uint64_t *y, const struct modulus *m);
MONT_PROVEN_LENGTHS(MONT_PROVEN_DECLARE)

void mont_steps_c(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                  const struct modulus *m);

#endif
