/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and contexts of HMAC (RFC 2104), for lib/hmac.c and key derivation. */
#ifndef HR_HMAC_H
#define HR_HMAC_H

#include "internal.h"

/* The layout behind struct hr_hmac_key.  It keeps no key, only two chaining values of the digest:
 * `inner` after one block of key ^ ipad, `outer` after one block of key ^ opad.  `impl` NULL means
 * not initialised.  Read-only after init. */
struct hmac_key {
    const struct digest_impl *impl;
    const struct digest_kernel *kernel; /* chosen at init */
    uint64_t alg;                       /* the HMAC row */
    union digest_state inner, outer;    /* zero after the end of the digest's chaining value */
};
static_assert(sizeof(struct hmac_key) == sizeof(struct hr_hmac_key), "public size");

/* Each byte of a key's block is XORed with IPAD or OPAD (RFC 2104 section 2). */
enum { IPAD = 0x36, OPAD = 0x5c };

/* The layout behind struct hr_hmac_ctx; `key` NULL means not initialised. */
struct hmac_ctx {
    const struct hmac_key *key;
    struct digest_ctx digest; /* has absorbed key ^ ipad and the message so far */
};
static_assert(sizeof(struct hmac_ctx) == sizeof(struct hr_hmac_ctx), "public size");

/* The most bytes of a message in lanes or in hr_digest_many, of PBKDF2's password and salt, and of
 * HKDF's info.  It is the digest's limit less the room for a block of key and for what key
 * derivation adds to a message. */
#define HMAC_MAX_IN ((UINT64_MAX >> 3) - 3 * HR_DIGEST_MAX_BLOCK)

#endif
