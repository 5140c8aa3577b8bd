/* SPDX-License-Identifier: Apache-2.0 */
/* DSA: keys. */
#ifndef HR_LIB_DSA_H
#define HR_LIB_DSA_H

#include "../bignum/mont_lanes.h"
#include "../bignum/mont_power.h"
#include "../internal.h"
#include "../pk/nonce.h"
#include <headrace/dsa.h>
#include <headrace/queue.h>

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

/* Signatures and verifications in steps, around a power modulo p that whoever calls them computes:
 * alone, or side by side with others. */
struct dsa_signing {
    const struct dsa_key *key;
    struct nonces nonces;
    int deterministic;
    uint64_t e[DSA_ORDER_LIMBS], k[DSA_ORDER_LIMBS], blind[DSA_ORDER_LIMBS];
    uint64_t power[DSA_LIMBS]; /* g^k */
};
/* dsa_sign_start checks what hr_dsa_sign does, and draws a nonce. */
int dsa_sign_start(struct dsa_signing *s, const uint8_t *sig, size_t sig_len, const uint8_t *in,
                   size_t in_len, const struct dsa_key *key, const struct hr_sign_options *options);
struct mont_lane dsa_sign_lane(struct dsa_signing *s);
/* dsa_sign_end writes a signature, or nothing if it returns an error. */
int dsa_sign_end(uint8_t *sig, struct dsa_signing *s);

struct dsa_verifying {
    const struct dsa_key *key;
    uint64_t r[DSA_ORDER_LIMBS], u[DSA_ORDER_LIMBS], v[DSA_ORDER_LIMBS];
    uint64_t power[DSA_LIMBS]; /* g^u y^v */
};
int dsa_verify_start(struct dsa_verifying *v, const uint8_t *sig, size_t sig_len, const uint8_t *in,
                     size_t in_len, const struct dsa_key *key);
struct mont_lane dsa_verify_lane(struct dsa_verifying *v);
int dsa_verify_end_vartime(struct dsa_verifying *v);

static inline int dsa_is_strict(const struct hr_job *job)
{
    const struct hr_sign_options *const options = job->options;
    return options && options->flags & HR_SIGN_STRICT;
}

/* dsa_many.c: struct class_calls' kind and run_many. */
unsigned dsa_kind(const struct hr_job *job);
void dsa_run_many(struct hr_job *const *jobs, size_t num);

#endif
