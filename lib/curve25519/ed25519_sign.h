/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of Ed25519, and signatures and verifications in steps, around multiples of points that
 * whoever calls them computes: alone, or side by side with others. */
#ifndef HR_ED25519_SIGN_H
#define HR_ED25519_SIGN_H

#include "../pk/sign.h"
#include "words25519.h"

struct ed25519_key {
    uint8_t seed[32];
    uint8_t prefix[32];
    uint8_t public[32];
    uint64_t s[4], minus_s[4]; /* the secret scalar modulo L, and its negative */
    uint64_t minus_a[8];       /* the negative of the public key's point */
};

/* dom2(x, y) of RFC 8032 section 2; nothing for Ed25519 without context. */
struct ed25519_domain {
    uint8_t bytes[34 + 255];
    size_t len;
};

/* A signature in the making: the nonce r, the point [r] B, and the hash k. */
struct ed25519_making {
    uint64_t r[4], point[8], k[4];
    uint64_t again[4]; /* S - k s */
    uint64_t wrong;    /* 0, unless a check failed */
    struct ed25519_domain domain;
    uint8_t sig[64];
};

static inline void ed25519_encode(uint8_t out[32], const uint64_t point[8])
{
    store_words25519(out, point + 4);
    out[31] |= (uint8_t)(point[0] << 7);
}

/* ed25519_sign_start makes r, ed25519_sign_middle the signature, once the point is there.
 * ed25519_sign_check computes r and k again unless the message is long; then wrong is 0 if they are
 * what they were, S - k s is r, the point is R, and the two copies of the public key are the same.
 * That [again] B is the point, is left to be tested.  ed25519_sign_end writes the signature, or
 * returns HR_EFAULT. */
int ed25519_sign_start(struct ed25519_making *m, const struct sign_input *message,
                       const struct ed25519_key *key);
int ed25519_sign_middle(struct ed25519_making *m, const struct sign_input *message,
                        const struct ed25519_key *key);
int ed25519_sign_check(struct ed25519_making *m, const struct sign_input *message,
                       const struct ed25519_key *key);
int ed25519_sign_end(uint8_t out[64], struct ed25519_making *m);

/* ed25519_verify_start checks S, and makes k: [S] B - [k] A must have the bytes of R. */
int ed25519_verify_start(uint64_t k[4], uint64_t s[4], const uint8_t *sig,
                         const struct sign_input *message, const struct ed25519_key *key);

/* The operations of one alone: struct sign_impl's. */
int ed25519_sign(uint8_t *sig, const struct sign_input *message, const void *key);
int ed25519_verify(const uint8_t *sig, const struct sign_input *message, const void *key);

#endif
