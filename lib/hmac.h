/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC's keys and messages (RFC 2104): what key derivation sees of them too. */
#ifndef HR_HMAC_H
#define HR_HMAC_H

#include "internal.h"

/* The layout behind struct hr_hmac_key: all that is left of a key are the digest's two chaining
 * values, after one block of key ^ ipad and one of key ^ opad.  `impl` NULL means not initialised.
 * Read-only after init. */
struct hmac_key {
    const struct digest_impl *impl;
    const struct digest_kernel *kernel; /* chosen at init */
    uint64_t alg;                       /* the HMAC row */
    union digest_state inner, outer;    /* zero past the digest's chaining value */
};
static_assert(sizeof(struct hmac_key) == sizeof(struct hr_hmac_key), "public size");

/* What each byte of a key's block is summed with (RFC 2104). */
enum { IPAD = 0x36, OPAD = 0x5c };

/* The layout behind struct hr_hmac_ctx; `key` NULL means not initialised. */
struct hmac_ctx {
    const struct hmac_key *key;
    struct digest_ctx digest; /* of (key ^ ipad) and the message so far */
};
static_assert(sizeof(struct hmac_ctx) == sizeof(struct hr_hmac_ctx), "public size");

/* So many bytes any message and any key may have, beside a block of key and what a derivation adds.
 */
#define HMAC_MAX_IN ((UINT64_MAX >> 3) - 3 * HR_DIGEST_MAX_BLOCK)

#endif
