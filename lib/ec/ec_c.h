/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernels. */
#ifndef HR_EC_C_H
#define HR_EC_C_H

#include "ec.h"

#define EC_DECLARE_C(curve)                                                         \
    void curve##_mul_c(uint64_t *z, const uint64_t *x, const uint64_t *y);          \
    void curve##_sqr_c(uint64_t *z, const uint64_t *x);                             \
    void curve##_add_c(uint64_t *out, const uint64_t *p, const uint64_t *q);        \
    void curve##_add_affine_c(uint64_t *out, const uint64_t *p, const uint64_t *q); \
    void curve##_twice_c(uint64_t *out, const uint64_t *p);
EC_DECLARE_C(p256)
EC_DECLARE_C(p384)
EC_DECLARE_C(p521)
#undef EC_DECLARE_C

void ec_look_up_c(uint64_t *out, const uint64_t *table, size_t num_entries, size_t words,
                  uint64_t index);

#define EC_KERNEL_C(curve) \
    KERNEL_C(curve##_mul_c, curve##_sqr_c, curve##_add_c, curve##_add_affine_c, curve##_twice_c)

#endif
