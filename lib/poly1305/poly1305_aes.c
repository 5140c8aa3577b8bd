/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305-AES with any kernel: the functions of Bernstein's package, and calls with expanded keys.
 */
#include "poly1305_aes.h"
#include "poly1305_scalar.h"

void poly1305_aes_nonce(uint8_t s[16], const struct poly1305_aes_key *key, const uint8_t n[16])
{
    key->ecb(s, n, 1, &key->aes, NULL, NULL);
}

/* Prepares a key except for the powers of r. */
static void key_setup(struct poly1305_aes_key *key, const uint8_t kr[32],
                      const struct poly1305_kernel *kernel)
{
    poly1305_setup(&key->poly, kr + 16, kernel);
    aes_expand(&key->aes, kr, 16, 0);
    key->ecb = cipher_choose(&aes_ops[HR_MODE_ECB][HR_OP_ENCRYPT])->blocks;
}

void poly1305_aes_setup(struct poly1305_aes_key *key, const uint8_t kr[32],
                        const struct poly1305_kernel *kernel)
{
    key_setup(key, kr, kernel);
    poly1305_make_powers(&key->poly);
}

static __attribute__((noinline)) void direct_long(uint8_t out[16], const uint8_t *in, size_t len,
                                                  const struct poly1305_aes_key *key,
                                                  const uint8_t n[16])
{
    uint8_t s[16];
    poly1305_aes_nonce(s, key, n);
    poly1305_direct(out, in, len, &key->poly, s);
    WIPE(&s);
}

static inline void direct(uint8_t out[16], const uint8_t *in, size_t len,
                          const struct poly1305_aes_key *key, const uint8_t n[16])
{
    const struct poly1305_kernel *const kernel = key->poly.kernel;
    poly1305_aes_kept_fn *const kept = kernel->kept;
    if (LIKELY(kept && (len / 16 < kernel->min_blocks || !kernel->setup)))
        kept(out, in, len, key, n);
    else
        direct_long(out, in, len, key, n);
}

void poly1305_aes_direct(uint8_t out[16], const uint8_t *in, size_t len,
                         const struct poly1305_aes_key *key, const uint8_t n[16])
{
    direct(out, in, len, key, n);
}

/* Returns 1 if the MACs are equal. */
static int same(const uint8_t a[16], const uint8_t b[16])
{
    uint64_t differs = (load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8));
    CT_PUBLIC(&differs, sizeof differs);
    return !differs;
}

/* ---- the functions of Bernstein's package ---- */

void poly1305aes_clamp(unsigned char kr[32])
{
    store_le64(kr + 16, load_le64(kr + 16) & POLY1305_CLAMP_0);
    store_le64(kr + 24, load_le64(kr + 24) & POLY1305_CLAMP_1);
}

static __attribute__((noinline)) void raw_long(uint8_t out[16], const uint8_t kr[32],
                                               const uint8_t n[16], const uint8_t *m, size_t l,
                                               const struct poly1305_kernel *kernel)
{
    struct poly1305_aes_key key;
    uint8_t s[16];
    if (kernel->raw) {
        poly1305_setup(&key.poly, kr + 16, kernel);
        kernel->raw(s, m, 0, kr, n); /* the MAC of no message is AES of the nonce */
        poly1305_direct(out, m, l, &key.poly, s);
        WIPE(&s);
    } else {
        key_setup(&key, kr, kernel);
        direct_long(out, m, l, &key, n);
        WIPE(&key.aes.enc);
    }
    WIPE(&key.poly.r);
}

ALIGNED void poly1305aes_authenticate(unsigned char out[16], const unsigned char kr[32],
                                      const unsigned char n[16], const unsigned char m[], size_t l)
{
    const struct poly1305_kernel *kernel = poly1305_choose(&poly1305_aes_impl);
    if (LIKELY(kernel->raw && (l / 16 < kernel->min_once || !kernel->setup)))
        kernel->raw(out, m, l, kr, n);
    else
        raw_long(out, kr, n, m, l, kernel);
}

int poly1305aes_verify(const unsigned char a[16], const unsigned char kr[32],
                       const unsigned char n[16], const unsigned char m[], size_t l)
{
    uint8_t full[16];
    poly1305aes_authenticate(full, kr, n, m, l);
    const int valid = same(a, full);
    WIPE(&full); /* a forged message's right MAC is secret */
    return valid;
}

/* ---- expanded keys ---- */

void hr_poly1305_aes_key_init(struct hr_poly1305_aes_key *public, const unsigned char kr[32])
{
    poly1305_aes_setup((struct poly1305_aes_key *)public, kr, poly1305_choose(&poly1305_aes_impl));
}

void hr_poly1305_aes_key_wipe(struct hr_poly1305_aes_key *key)
{
    if (key)
        WIPE(key);
}

ALIGNED void hr_poly1305_aes_authenticate(unsigned char out[16],
                                          const struct hr_poly1305_aes_key *key,
                                          const unsigned char n[16], const unsigned char m[],
                                          size_t l)
{
    direct(out, m, l, (const struct poly1305_aes_key *)key, n);
}

int hr_poly1305_aes_verify(const unsigned char a[16], const struct hr_poly1305_aes_key *key,
                           const unsigned char n[16], const unsigned char m[], size_t l)
{
    uint8_t full[16];
    hr_poly1305_aes_authenticate(full, key, n, m, l);
    const int valid = same(a, full);
    WIPE(&full);
    return valid;
}

/* ---- messages in pieces ---- */

void hr_poly1305_aes_init(struct hr_poly1305_aes_ctx *public, const struct hr_poly1305_aes_key *key,
                          const unsigned char n[16])
{
    struct poly1305_aes_ctx *ctx = (struct poly1305_aes_ctx *)public;
    memset(ctx, 0, sizeof *ctx);
    ctx->key = (const struct poly1305_aes_key *)key;
    poly1305_aes_nonce(ctx->s, ctx->key, n);
}

void hr_poly1305_aes_update(struct hr_poly1305_aes_ctx *public, const unsigned char m[], size_t l)
{
    struct poly1305_aes_ctx *ctx = (struct poly1305_aes_ctx *)public;
    if (l)
        poly1305_update(&ctx->state, m, l, &ctx->key->poly);
}

void hr_poly1305_aes_final(struct hr_poly1305_aes_ctx *public, unsigned char out[16])
{
    struct poly1305_aes_ctx *ctx = (struct poly1305_aes_ctx *)public;
    poly1305_final(out, &ctx->state, &ctx->key->poly, ctx->s);
    WIPE(public);
}
