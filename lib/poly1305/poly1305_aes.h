/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305-AES (D. J. Bernstein, 2005): s is the AES-128 encryption of the nonce. */
#ifndef HR_POLY1305_AES_H
#define HR_POLY1305_AES_H

#include "poly1305.h"

#include <headrace/poly1305aes.h>

/* The layout behind struct hr_poly1305_aes_key. */
struct poly1305_aes_key {
    struct poly1305_key poly;
    alignas(16) struct aes_key aes;
    cipher_blocks_fn *ecb;
};
static_assert(sizeof(struct poly1305_aes_key) <= sizeof(struct hr_poly1305_aes_key), "public size");

/* The layout behind struct hr_poly1305_aes_ctx. */
struct poly1305_aes_ctx {
    const struct poly1305_aes_key *key;
    struct poly1305_state state;
    uint8_t s[16];
};
static_assert(sizeof(struct poly1305_aes_ctx) <= sizeof(struct hr_poly1305_aes_ctx), "public size");

void poly1305_aes_setup(struct poly1305_aes_key *key, const uint8_t kr[32],
                        const struct poly1305_kernel *kernel);
void poly1305_aes_direct(uint8_t out[16], const uint8_t *in, size_t len,
                         const struct poly1305_aes_key *key, const uint8_t n[16]);
void poly1305_aes_nonce(uint8_t s[16], const struct poly1305_aes_key *key, const uint8_t n[16]);

#endif
