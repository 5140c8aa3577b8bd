/* SPDX-License-Identifier: Apache-2.0 */
/* MACs with a nonce: keys and messages. */
#ifndef HR_NMAC_H
#define HR_NMAC_H

#include "aead.h"
#include "poly1305.h"

/* Of Poly1305 s is kept, of Poly1305-AES the cipher that makes it. */
struct poly1305_nmac {
    struct poly1305_key poly;
    alignas(16) struct aes_key aes;
    cipher_blocks_fn *ecb;
    uint8_t s[16];
};

/* The layout behind struct hr_nmac_key; alg 0 means not initialised. */
struct nmac_key {
    alignas(64) union {
        struct aead_key gcm;
        struct poly1305_nmac poly;
    } u;
    uint32_t alg;
};
static_assert(sizeof(struct nmac_key) <= sizeof(struct hr_nmac_key), "public size");

/* The layout behind struct hr_nmac_ctx; key NULL means not initialised. */
struct nmac_ctx {
    const struct nmac_key *key;
    uint64_t len;
    union {
        struct aead_ctx gcm;
        struct {
            struct poly1305_state state;
            uint8_t s[16];
        } poly;
    } u;
};
static_assert(sizeof(struct nmac_ctx) <= sizeof(struct hr_nmac_ctx), "public size");

#endif
