/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie and Hellman: groups and keys. */
#ifndef HR_LIB_DH_H
#define HR_LIB_DH_H

#include "../bignum/mont_power.h"
#include "../internal.h"
#include <headrace/dh.h>

enum { DH_LIMBS = 128, DH_BYTES = 8 * DH_LIMBS };

/* How much of a group is known, and so how the order of a public key is tested. */
enum dh_order {
    DH_ORDER_UNKNOWN,
    DH_ORDER_Q,    /* by a power */
    DH_ORDER_SAFE, /* q = (p - 1) / 2, and p is prime: by a Jacobi symbol */
};

/* The layout behind struct hr_dh_key.  It has no pointer, so that it may be copied. */
struct dh_key {
    uint32_t bytes, num; /* of p; 0: not initialised */
    uint32_t q_num;
    uint32_t x_bits;       /* for which x has room, which alone shows in times */
    uint32_t order;        /* enum dh_order */
    uint32_t private_bits; /* of new private keys, unless the caller asks for others */
    uint64_t m0;
    uint64_t p[DH_LIMBS], r2[DH_LIMBS], g[DH_LIMBS], q[DH_LIMBS], x[DH_LIMBS];
};
static_assert(sizeof(struct dh_key) <= sizeof(struct hr_dh_key), "public size");

static inline struct modulus dh_modulus(const struct dh_key *key)
{
    return (struct modulus){ .m = key->p, .r2 = key->r2, .m0 = key->m0, .num = key->num };
}

/* A named group: p is safe, and g is 2. */
struct dh_group {
    const uint64_t *p;
    uint16_t bits, private_bits;
};

/* dh_group returns a named group, or NULL. */
const struct dh_group *dh_group(enum hr_dh_group group);
/* dh_group_of returns the named group with this p, or NULL. */
const struct dh_group *dh_group_of(const uint64_t *p, size_t num);

/* dh_load_group loads a group into a key that is zero: errors of hr_dh_key_init. */
int dh_load_group(struct dh_key *key, const struct hr_dh_params *params);
/* dh_check_vartime returns 0 if y is from 2 to p - 2 and has the order q, else HR_EKEY. */
int dh_check_vartime(const uint64_t *y, const struct dh_key *key);

#endif
