/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of ECDSA, of one signature or of several side by side. */
#ifndef HR_ECDSA_H
#define HR_ECDSA_H

#include "../pk/nonce.h"
#include "../pk/sign.h"
#include "ec_key.h"

/* ecdsa_digest reads the digest as a number below n. */
void ecdsa_digest(uint64_t *e, const struct sign_input *message, const struct ec *ec);
/* ecdsa_halves reads a signature; returns the mask of 1 <= r, s < n. */
uint64_t ecdsa_halves(uint64_t *r, uint64_t *s, const uint8_t *sig, const struct ec *ec);
/* ecdsa_nonces makes a nonce, and a blind for its inverse. */
int ecdsa_nonces(struct nonces *nonces, uint64_t *k, uint64_t *blind, const uint64_t *e,
                 const struct sign_input *message, const struct ec_key *key);
/* ecdsa_write writes a signature; HR_EFAULT: r or s is 0. */
int ecdsa_write(uint8_t *out, const uint64_t *r, uint64_t *s, const struct ec_domain *domain);

/* ecdsa_is_checked returns whether a signature is verified before it leaves.  Two signatures of one
 * message, one of them by a computer's mistake, would reveal the key if their nonces are equal. */
static inline int ecdsa_is_checked(const struct sign_input *message)
{
    return (message->options->flags & HR_SIGN_DETERMINISTIC) != 0;
}

int ecdsa_sign(uint8_t *sig, const struct sign_input *message, const void *key);
int ecdsa_verify(const uint8_t *sig, const struct sign_input *message, const void *key);

extern const struct sign_lanes ecdsa_lanes;

#endif
