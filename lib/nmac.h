/* SPDX-License-Identifier: Apache-2.0 */
/* The class NMAC: layouts of keys and contexts of MACs with a nonce. */
#ifndef HR_NMAC_H
#define HR_NMAC_H

#include "aead.h"
#include "kasumi/kasumi.h"
#include "poly1305/poly1305_aes.h"

/* The layout behind struct hr_nmac_key; alg 0 means not initialised. */
struct nmac_key {
    alignas(64) union {
        struct aead_key gcm;
        struct poly1305_aes_key poly_aes;
        struct {
            struct poly1305_key poly; /* at the same place as in poly_aes */
            uint8_t s[16];
        } poly;
        struct kasumi_f9_key f9;
    } u;
    uint32_t alg;
};
static_assert(offsetof(struct poly1305_aes_key, poly) == 0, "as in u.poly");
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
        struct kasumi_f9_state f9;
    } u;
};
static_assert(sizeof(struct nmac_ctx) <= sizeof(struct hr_nmac_ctx), "public size");

#endif
