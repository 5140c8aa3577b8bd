/* SPDX-License-Identifier: Apache-2.0 */
/* RSA (EVP_PKEY-RSA(7), EVP_SIGNATURE-RSA(7), EVP_ASYM_CIPHER-RSA(7)). */
#ifndef HR_PROVIDER_PKEY_RSA_H
#define HR_PROVIDER_PKEY_RSA_H

#include "shadow.h"
#include <headrace/rsa.h>

#define RSA_TYPE "RSA"
enum { RSA_MOST_BYTES = 512, RSA_MOST_PUBLIC_BYTES = 2048 };

/* RSA_UNPADDED is why a named key does nothing without padding. */
#define RSA_UNPADDED                                                                         \
    "no raw RSA: whoever may use a key without padding can make any signature, and decrypt " \
    "anything"

struct rsa_ready {
    struct shadow_ready head;
    struct hr_rsa_key key;
    unsigned bits;
};

/* rsa_ready makes the library's key: a shadow_maker. */
struct shadow_ready *rsa_ready(const struct shadow_key *key, int is_private);

/* rsa_bits returns the length of a number. */
unsigned rsa_bits(const struct hr_number *n);
/* rsa_with_parts gives a private key's parts to a function, which returns 1 or 0 as it does; 0 also
 * if the key has not all parts of the CRT, or another number of primes. */
typedef int rsa_parts_user(const struct hr_rsa_parts *parts, void *arg,
                           const struct shadow_key *key);
int rsa_with_parts(const struct shadow_key *key, rsa_parts_user *use, void *arg);

/* ---- rsa_lend.c ---- */

struct rsa_loan {
    atomic_uint uses;        /* signatures before the key was lent */
    _Atomic uint64_t handle; /* of the client; 0: the key is not lent */
    unsigned row, bits;
};

/* rsa_loan counts a signature, and returns the loan of its key if the key is lent, or NULL. */
const struct rsa_loan *rsa_loan(struct shadow_key *key);
/* rsa_loan_sign returns 1, or 0 if the service does not sign now; `sig` is then as it was. */
int rsa_loan_sign(const struct rsa_loan *loan, uint8_t *sig, size_t *sig_len, const uint8_t *in,
                  size_t in_len, const struct hr_rsa_options *options);

/* struct rsa_plan is how the library pads, as the other provider's context says. */
struct rsa_plan {
    struct hr_rsa_options options;
    uint8_t random[RSA_MOST_PUBLIC_BYTES];
};

static inline const struct rsa_ready *rsa_private(const struct shadow_use *use)
{
    return (const struct rsa_ready *)shadow_private(use->key);
}
static inline const struct rsa_ready *rsa_public(const struct shadow_use *use)
{
    return (const struct rsa_ready *)shadow_public(use->key);
}

#endif
