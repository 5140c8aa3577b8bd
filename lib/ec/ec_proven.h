/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that s2n-bignum has for a curve, with or without its suffix _alt (proven/bignum.def).
 * Where this build has no proven code, the macros that take these lists are empty. */
#ifndef HR_EC_PROVEN_H
#define HR_EC_PROVEN_H

#include "../proven/bignum.h"

/* EC_PROVEN_MONT lists the functions of a curve whose coordinates are in Montgomery's form,
 * EC_PROVEN_PLAIN those of P-521, whose are not. */
#define EC_PROVEN_MONT(curve, suffix)                                                   \
    hr_proven_bignum_montmul_##curve##suffix, hr_proven_bignum_montsqr_##curve##suffix, \
        hr_proven_##curve##_montjadd##suffix, hr_proven_##curve##_montjmixadd##suffix,  \
        hr_proven_##curve##_montjdouble##suffix, hr_proven_bignum_montinv_##curve,      \
        hr_proven_bignum_modinv
#define EC_PROVEN_PLAIN(curve, suffix)                                          \
    hr_proven_bignum_mul_##curve##suffix, hr_proven_bignum_sqr_##curve##suffix, \
        hr_proven_##curve##_jadd##suffix, hr_proven_##curve##_jmixadd##suffix,  \
        hr_proven_##curve##_jdouble##suffix, hr_proven_bignum_inv_##curve, hr_proven_bignum_modinv

void ec_look_up_avx2(uint64_t *out, const uint64_t *table, size_t num_entries, size_t words,
                     uint64_t index);

#endif
