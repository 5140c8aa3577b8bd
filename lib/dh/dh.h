/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie and Hellman: groups and keys. */
#ifndef HR_LIB_DH_H
#define HR_LIB_DH_H

#include "../bignum/mont_lanes.h"
#include "../bignum/mont_power.h"
#include "../internal.h"
#include <headrace/dh.h>
#include <headrace/queue.h>

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
/* dh_check_vartime returns 0 if y is from 2 to p - 2 and has the order q, else HR_EKEY.  It is two
 * checks, of which the second needs a power, where the order is DH_ORDER_Q: whether y^q is 1. */
int dh_check_vartime(const uint64_t *y, const struct dh_key *key);
int dh_check_range_vartime(const uint64_t *y, const struct dh_key *key);
int dh_check_order_vartime(const uint64_t *y, const struct dh_key *key);

/* An agreement in steps, around a power that whoever calls them computes: alone, or side by side
 * with others. */
struct dh_agreement {
    const struct dh_key *key;
    uint64_t *z; /* room for as many limbs as p has: the peer's public key y, then y^x */
};
/* dh_agree_start checks what hr_dh_agree does, and reads y, of which only the range is checked. */
int dh_agree_start(struct dh_agreement *a, const uint8_t *out, size_t out_len, const uint8_t *peer,
                   size_t peer_len, const struct dh_key *key);
/* dh_agree_end writes the secret, or nothing if it returns an error. */
int dh_agree_end(uint8_t *out, const struct dh_agreement *a);

/* dh_job_flags returns the flags of a job's options. */
static inline uint32_t dh_job_flags(const struct hr_job *job)
{
    const struct hr_dh_options *const options = job->options;
    return options ? options->flags : 0;
}

/* dh_many.c: struct class_calls' kind and run_many. */
unsigned dh_kind(const struct hr_job *job);
void dh_run_many(struct hr_job *const *jobs, size_t num);

#endif
