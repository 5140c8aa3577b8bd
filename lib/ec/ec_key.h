/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of ECDSA and ECDH. */
#ifndef HR_EC_KEY_H
#define HR_EC_KEY_H

#include "ec.h"

/* A private key, a public one, or both. */
struct ec_key {
    struct ec ec;
    uint64_t scalar[EC_LIMBS];      /* the private key, 1 <= scalar < n */
    uint64_t scalar_form[EC_LIMBS]; /* times R mod n */
    uint64_t point[2 * EC_LIMBS];   /* the public key, as x, y */
};

/* ec_key_curve begins a key: it sets its curve and kernel. */
void ec_key_curve(struct ec_key *key, hr_alg alg);
/* ec_key_private sets a private key, without its point.  HR_EKEYLEN, HR_EKEY. */
int ec_key_private(struct ec_key *key, hr_alg alg, const uint8_t *bytes, size_t len);
/* ec_key_generate sets one that is made of random bytes.  HR_EKEY: these make none. */
int ec_key_generate(struct ec_key *key, hr_alg alg, const uint8_t random[HR_KEY_RANDOM]);
/* ec_key_point computes the public key of a private one. */
void ec_key_point(uint64_t *point, const struct ec_key *key);

/* ec_leftmost reads the leftmost bits of a text as a number, at most as many as n has: FIPS 186-5
 * section 6.4.1, and bits2int of RFC 6979 section 2.3.2. */
void ec_leftmost(uint64_t *z, const uint8_t *in, size_t in_len, const struct ec_domain *domain);

#endif
