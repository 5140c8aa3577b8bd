/* SPDX-License-Identifier: Apache-2.0 */
/* Nonces of ECDSA and DSA by HMAC-DRBG, RFC 6979 section 3.2; with additional input, section 3.6.
 */
#ifndef HR_NONCE_H
#define HR_NONCE_H

#include "../bignum/bignum.h"
#include "../hmac.h"

enum {
    NONCE_LIMBS = 9,
    NONCE_BYTES = 66, /* of P-521's order */
    NONCE_FRESH = 32, /* bytes of additional input */
};

/* The order n of the group, of num limbs and so many bits. */
struct nonce_order {
    const uint64_t *n;
    size_t num, bits;
};

struct nonces {
    struct hr_hmac_key key; /* K of the RFC */
    uint8_t v[HR_DIGEST_MAX_OUT];
    size_t v_len;
    hr_alg hmac;
    struct nonce_order order;
};

/* nonce_hmac returns the HMAC by which nonces are made: that of a digest, or with 0 of the one that
 * is as strong as a group with an order of so many bits; HR_ALG_NONE if the digest has none. */
hr_alg nonce_hmac(hr_alg digest, size_t bits);
/* nonces_for starts the nonces of a signature by its options: with fresh random bytes unless these
 * say HR_SIGN_DETERMINISTIC.  HR_EALG: nonce_hmac has none; or an error of system_random. */
int nonces_for(struct nonces *nonces, const struct hr_sign_options *options,
               const struct nonce_order *order, const uint64_t *scalar, const uint64_t *digest);
/* nonces_start is steps b to g: `digest` is the message's, reduced modulo n; `fresh` is NULL or
 * NONCE_FRESH random bytes. */
int nonces_start(struct nonces *nonces, hr_alg hmac, const struct nonce_order *order,
                 const uint64_t *scalar, const uint64_t *digest, const uint8_t *fresh);
/* nonces_next is step h: the next nonce, 1 <= k < n. */
int nonces_next(uint64_t *k, struct nonces *nonces);
/* nonces_blind makes a number below n, to be used beside the last nonce. */
int nonces_blind(uint64_t *blind, struct nonces *nonces);

#endif
