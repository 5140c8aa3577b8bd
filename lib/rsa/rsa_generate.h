/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of key generation. */
#ifndef HR_LIB_RSA_GENERATE_H
#define HR_LIB_RSA_GENERATE_H

#include "rsa.h"

enum {
    RSA_GENERATE_LEAST = 1024,
    RSA_GENERATE_MOST = 4096,
    RSA_PRIME_LIMBS = RSA_GENERATE_MOST / 128,
};

/* Where random numbers come from: the system, or a test. */
struct rsa_source {
    int (*random)(void *ctx, void *out, size_t len); /* 0 or HR_ESYSTEM */
    void *ctx;
};

/* The primes of a key, of so many bits and limbs. */
struct rsa_primes {
    uint64_t p[RSA_PRIME_LIMBS], q[RSA_PRIME_LIMBS]; /* p > q */
    size_t bits, num;
};

/* rsa_invert_word computes z = 1 / x mod e; returns all ones, or zero if x has no inverse.  e is
 * odd, and at least 3. */
uint64_t rsa_invert_word(uint64_t *z, const uint64_t *x, size_t num, uint64_t e);
/* rsa_find_primes fills p and q.  HR_ESYSTEM: there are no random numbers, or they are not random.
 */
int rsa_find_primes(struct rsa_primes *primes, uint64_t e, const struct rsa_source *source);
/* rsa_generate is hr_rsa_key_generate with another source. */
int rsa_generate(struct hr_rsa_key *key, struct hr_rsa_numbers *numbers, uint32_t bits, uint64_t e,
                 const struct rsa_source *source);

#endif
