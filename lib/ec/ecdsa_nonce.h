/* SPDX-License-Identifier: Apache-2.0 */
/* Nonces of ECDSA by HMAC-DRBG, RFC 6979 section 3.2; with additional input, section 3.6. */
#ifndef HR_ECDSA_NONCE_H
#define HR_ECDSA_NONCE_H

#include "../hmac.h"
#include "ec.h"

struct ecdsa_nonces {
    struct hr_hmac_key key; /* K of the RFC */
    uint8_t v[HR_DIGEST_MAX_OUT];
    size_t v_len;
    hr_alg hmac;
};

enum { ECDSA_FRESH = 32 }; /* bytes of additional input */

/* ecdsa_nonces_start is steps b to g: `digest` is the message's, reduced modulo n; `fresh` is NULL
 * or ECDSA_FRESH random bytes. */
int ecdsa_nonces_start(struct ecdsa_nonces *nonces, hr_alg hmac, const uint64_t *scalar,
                       const uint64_t *digest, const uint8_t *fresh, const struct ec *ec);
/* ecdsa_nonces_next is step h: the next nonce, 1 <= k < n. */
int ecdsa_nonces_next(uint64_t *k, struct ecdsa_nonces *nonces, const struct ec *ec);
/* ecdsa_nonces_blind makes a number below n, to be used beside the last nonce. */
int ecdsa_nonces_blind(uint64_t *blind, struct ecdsa_nonces *nonces, const struct ec *ec);

#endif
