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
