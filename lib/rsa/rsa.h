/* SPDX-License-Identifier: Apache-2.0 */
/* RSA: keys, the two operations on numbers, and paddings. */
#ifndef HR_LIB_RSA_H
#define HR_LIB_RSA_H

#include "../bignum/mont_power.h"
#include "../internal.h"
#include "../pk/many.h"
#include <headrace/queue.h>
#include <headrace/rsa.h>

enum {
    RSA_LIMBS = 256,
    RSA_PRIVATE_LIMBS = 64,
    RSA_HALF_LIMBS = 33, /* primes may differ by a few bits */
    RSA_BYTES = 8 * RSA_LIMBS,
    RSA_PRIVATE_BYTES = 8 * RSA_PRIVATE_LIMBS,
    RSA_LEAST_PS = 8, /* bytes of PKCS#1's padding */
};
/* Numbers that keys of other classes do not begin with. */
enum rsa_kind { RSA_PUBLIC = HR_CLASS_RSA << 8 | 1, RSA_PRIVATE };

/* A prime with its CRT exponent. */
struct rsa_half {
    uint64_t p[RSA_HALF_LIMBS], r2[RSA_HALF_LIMBS], d[RSA_HALF_LIMBS];
    uint64_t m0;
    size_t num;
};

/* The layout behind struct hr_rsa_key.  It has no pointer, so that it may be copied. */
struct rsa_key {
    uint32_t kind; /* enum rsa_kind; 0: not initialised */
    uint32_t bytes, num, e_num;
    uint64_t m0;
    uint64_t n[RSA_LIMBS], r2[RSA_LIMBS], e[RSA_PRIVATE_LIMBS];
    struct rsa_half p, q;
    uint64_t qinv[RSA_HALF_LIMBS];
    uint8_t d_digest[32]; /* SHA-256 of d as long as n: the key of implicit rejection */
};
static_assert(sizeof(struct rsa_key) <= sizeof(struct hr_rsa_key), "public size");

static inline struct modulus rsa_modulus(const struct rsa_key *key)
{
    return (struct modulus){ .m = key->n, .r2 = key->r2, .m0 = key->m0, .num = key->num };
}

/* z += x * y, where z has y_num limbs, and room for x_num + y_num, which it has then. */
void rsa_multiply_add(uint64_t *z, const uint64_t *x, size_t x_num, const uint64_t *y,
                      size_t y_num);

/* The operations on numbers of key->bytes bytes, which they read and write in place.  HR_ELENGTH:
 * the number is not below n.  rsa_private: HR_EFAULT, HR_ESYSTEM; then the number is zero.
 * `strict` leaves out kernels that compute with doubles. */
int rsa_public_vartime(uint8_t *bytes, const struct rsa_key *key);
int rsa_private(uint8_t *bytes, const struct rsa_key *key, int strict);

/* The same for many numbers and keys, in lanes where that is faster.  Each job has an error of its
 * own.  Times of rsa_private_many, which takes any number of jobs, depend on the keys' lengths and
 * public exponents.  rsa_public_many_vartime takes up to RSA_MANY, of moduli up to
 * MONT_LANES_LIMBS. */
struct rsa_job {
    uint8_t *bytes;
    const struct rsa_key *key;
    int strict, error;
};
enum { RSA_MANY = PK_MANY }; /* as many go side by side */
void rsa_private_many(struct rsa_job *jobs, size_t num);
void rsa_public_many_vartime(struct rsa_job *jobs, size_t num);
int rsa_same_exponent(const struct rsa_key *k, const struct rsa_key *l);

/* ---- rsa_sign.c: the parts of a signature's computation ---- */

/* rsa_encode checks the arguments of hr_rsa_sign, and encodes the message. */
int rsa_encode(uint8_t em[RSA_PRIVATE_BYTES], size_t sig_len, const uint8_t *in, size_t in_len,
               const struct rsa_key *key, const struct hr_rsa_options *options);
/* hr_rsa_verify is rsa_verify_start, rsa_public_vartime of the signature, if that has the key's
 * length, and rsa_verify_end_vartime with the result.  `wanted` has the key's bytes. */
int rsa_verify_start(uint8_t *wanted, const uint8_t *sig, size_t sig_len, const uint8_t *in,
                     size_t in_len, const struct rsa_key *key,
                     const struct hr_rsa_options *options);
int rsa_verify_end_vartime(uint8_t *em, const uint8_t *wanted, const uint8_t *in, size_t in_len,
                           const struct rsa_key *key, const struct hr_rsa_options *options);

/* rsa_many.c: what rsa_class says of jobs that share lanes. */
unsigned rsa_kind(const struct hr_job *job);
void rsa_run_many(struct hr_job *const *jobs, size_t num);

/* rsa_digest returns the row of a digest, or NULL; with `fallback` for 0. */
const struct hr_algorithm *rsa_digest(hr_alg alg, hr_alg fallback);
/* rsa_mgf1 XORs a mask made of `seed` to `out` (RFC 8017 appendix B.2.1). */
int rsa_mgf1(uint8_t *out, size_t out_len, const uint8_t *seed, size_t seed_len, hr_alg digest);
/* rsa_random copies the caller's bytes, or takes the system's. */
int rsa_random(uint8_t *out, size_t len, const uint8_t *random);
/* rsa_reject makes the message of implicit rejection: `out` has the key's bytes, of which the last
 * *len are the message. */
int rsa_reject(uint8_t *out, uint32_t *len, const uint8_t *in, const struct rsa_key *key);

#endif
