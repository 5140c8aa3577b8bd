/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305-AES (D. J. Bernstein, "The Poly1305-AES message-authentication code", 2005) under the
 * names of his package poly1305aes, for programs that are written for it; and the same with an
 * expanded key.
 *
 *   kr   32 bytes: k, the key of AES-128, and r, which the functions clamp themselves
 *   n    16 bytes: a nonce, which must never be used twice with one kr
 *   m    l bytes: the message
 *   out, a   16 bytes: the authenticator
 *
 * Only keys need an alignment; `out` may lie anywhere, also inside the input; m may be NULL if l is
 * 0.  No function fails, and none checks its arguments.  Verification takes the same time for every
 * forgery.  A key does not change once it is set up, and any number of threads may use it at the
 * same time.
 */
#ifndef HEADRACE_POLY1305AES_H
#define HEADRACE_POLY1305AES_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* poly1305aes_clamp clears the bits of r that are not used.  The other functions ignore them. */
HR_API void poly1305aes_clamp(unsigned char kr[32]);
HR_API void poly1305aes_authenticate(unsigned char out[16], const unsigned char kr[32],
                                     const unsigned char n[16], const unsigned char m[], size_t l);
/* poly1305aes_verify returns non-zero if `a` authenticates the message, else 0. */
HR_API HR_MUST_CHECK int poly1305aes_verify(const unsigned char a[16], const unsigned char kr[32],
                                            const unsigned char n[16], const unsigned char m[],
                                            size_t l);

/* kr, with the AES key expanded and, where the kernel uses them, the powers of r computed. */
struct hr_poly1305_aes_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[1920];
};

/* The state of one message.  The key must outlive it. */
struct hr_poly1305_aes_ctx {
    uint64_t opaque[12];
};

HR_API void hr_poly1305_aes_key_init(struct hr_poly1305_aes_key *key, const unsigned char kr[32]);
/* hr_poly1305_aes_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_poly1305_aes_key_wipe(struct hr_poly1305_aes_key *key);
HR_API void hr_poly1305_aes_authenticate(unsigned char out[16],
                                         const struct hr_poly1305_aes_key *key,
                                         const unsigned char n[16], const unsigned char m[],
                                         size_t l);
/* hr_poly1305_aes_verify returns non-zero if `a` authenticates the message, else 0; hr_nmac_verify
 * does the opposite. */
HR_API HR_MUST_CHECK int hr_poly1305_aes_verify(const unsigned char a[16],
                                                const struct hr_poly1305_aes_key *key,
                                                const unsigned char n[16], const unsigned char m[],
                                                size_t l);

/* A message in pieces: init, any number of updates, and final, which zeroes the context. */
HR_API void hr_poly1305_aes_init(struct hr_poly1305_aes_ctx *ctx,
                                 const struct hr_poly1305_aes_key *key, const unsigned char n[16]);
HR_API void hr_poly1305_aes_update(struct hr_poly1305_aes_ctx *ctx, const unsigned char m[],
                                   size_t l);
HR_API void hr_poly1305_aes_final(struct hr_poly1305_aes_ctx *ctx, unsigned char out[16]);

#ifdef __cplusplus
}
#endif
#endif
