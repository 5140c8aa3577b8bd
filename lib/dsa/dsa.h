/* SPDX-License-Identifier: Apache-2.0 */
/* DSA: keys. */
#ifndef HR_LIB_DSA_H
#define HR_LIB_DSA_H

#include "../bignum/mont_power.h"
#include "../internal.h"
#include <headrace/dsa.h>

enum { DSA_LIMBS = 48, DSA_ORDER_LIMBS = 4, DSA_ORDER_BYTES = 32 };
/* Numbers that keys of other classes do not begin with. */
enum dsa_kind { DSA_PUBLIC = HR_CLASS_DSA << 8 | 1, DSA_PRIVATE };

/* The layout behind struct hr_dsa_key.  It has no pointer, so that it may be copied. */
struct dsa_key {
    uint32_t kind;       /* enum dsa_kind; 0: not initialised */
    uint32_t bytes, num; /* of p */
    uint32_t q_bytes, q_num;
    uint64_t p_m0, q_m0;
    uint64_t p[DSA_LIMBS], p_r2[DSA_LIMBS], g[DSA_LIMBS], y[DSA_LIMBS];
    uint64_t q[DSA_ORDER_LIMBS], q_r2[DSA_ORDER_LIMBS], x[DSA_ORDER_LIMBS];
};
static_assert(sizeof(struct dsa_key) <= sizeof(struct hr_dsa_key), "public size");

static inline struct modulus dsa_p(const struct dsa_key *key)
{
    return (struct modulus){ .m = key->p, .r2 = key->p_r2, .m0 = key->p_m0, .num = key->num };
}
static inline struct modulus dsa_q(const struct dsa_key *key)
{
    return (struct modulus){ .m = key->q, .r2 = key->q_r2, .m0 = key->q_m0, .num = key->q_num };
}

#endif
