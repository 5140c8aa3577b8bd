/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages in pieces under handles, a part of libheadrace-accel (hr_accel_stream(3)).  The calls
 * have the conventions and errors of those for keys in memory (headrace.h, aead.h, nmac.h), but
 * take a handle instead of a key.  What else is different:
 *   Handles   `alg` is the row of the handle's key.  A handle is looked up when a call first asks
 *             the service; if it is closed, or of another row, that call returns HR_EHANDLE.
 *   Service   A call that asks the service may also return HR_EGONE, HR_EHANDLE, HR_EACCESS or
 *             HR_ESYSTEM, as hr_accel_run does.  The context is then as it was before the call,
 *             which may be repeated, except an update in place.
 *   Memory    A context allocates memory for AAD and for the message of a MAC; HR_ESYSTEM if there
 *             is none.  Copy a context with its copy call.  A message that is not finished must be
 *             given up with the wipe call.
 */
#ifndef HEADRACE_ACCEL_STREAM_H
#define HEADRACE_ACCEL_STREAM_H

#include <headrace/accel.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_ACCEL_MAX_IV 64               /* the longest IV of AEADs and MACs, in bytes */
#define HR_ACCEL_MAX_AAD (64 << 10)      /* the longest AAD */
#define HR_ACCEL_MAX_MESSAGE (128 << 10) /* the longest message of a MAC */
#define HR_ACCEL_MAX_F8 (32 << 10)       /* the longest message of KASUMI-F8 */

/* ---- ciphers ---- */

/* The state of one message. */
struct hr_accel_cipher_ctx {
    uint64_t opaque[8];
};

/* hr_accel_cipher_init starts a message.  HR_EALG, HR_EIVLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_accel_cipher_init(struct hr_accel_cipher_ctx *ctx, hr_alg alg,
                                              uint64_t handle, enum hr_op op, const uint8_t *iv,
                                              size_t iv_len, unsigned flags);
/* hr_accel_cipher_update takes the next part of the message, as hr_cipher_update does.  KASUMI-F8
 * takes its whole message in one update; a second one, or a longer message, is HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_accel_cipher_update(struct hr_accel_cipher_ctx *ctx, uint8_t *out,
                                                size_t out_size, size_t *out_len, const uint8_t *in,
                                                size_t in_len);
/* hr_accel_cipher_final ends the message, as hr_cipher_final does.  It writes only the *out_len
 * bytes before the padding, and nothing if the padding is bad. */
HR_API HR_MUST_CHECK int hr_accel_cipher_final(struct hr_accel_cipher_ctx *ctx, uint8_t *out,
                                               size_t out_size, size_t *out_len);
/* hr_accel_cipher_get_iv and hr_accel_cipher_get_num export the position in the message, as
 * hr_cipher_get_iv and hr_cipher_get_num do.  hr_accel_cipher_init or hr_cipher_init continues the
 * message from there, under the same key. */
HR_API HR_MUST_CHECK int hr_accel_cipher_get_iv(const struct hr_accel_cipher_ctx *ctx, uint8_t *iv,
                                                size_t iv_len);
HR_API HR_MUST_CHECK int hr_accel_cipher_get_num(const struct hr_accel_cipher_ctx *ctx);
/* hr_accel_cipher_set_num and hr_accel_cipher_set_padding do what hr_cipher_set_num and
 * hr_cipher_set_padding do. */
HR_API HR_MUST_CHECK int hr_accel_cipher_set_num(struct hr_accel_cipher_ctx *ctx, unsigned num);
HR_API HR_MUST_CHECK int hr_accel_cipher_set_padding(struct hr_accel_cipher_ctx *ctx, int on);
/* hr_accel_cipher_set_key makes the rest of the message use another handle, of the same row.
 * HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_accel_cipher_set_key(struct hr_accel_cipher_ctx *ctx, uint64_t handle);
/* hr_accel_cipher_copy copies a context to `out`, whatever is in it. */
HR_API HR_MUST_CHECK int hr_accel_cipher_copy(struct hr_accel_cipher_ctx *out,
                                              const struct hr_accel_cipher_ctx *ctx);
/* hr_accel_cipher_wipe zeroes a context and frees its memory.  NULL is allowed. */
HR_API void hr_accel_cipher_wipe(struct hr_accel_cipher_ctx *ctx);

/* ---- AEADs ---- */

/* The state of one message. */
struct hr_accel_aead_ctx {
    uint64_t opaque[24];
};

/* hr_accel_aead_init starts a message.  HR_EALG, HR_EIVLEN, HR_EINVAL.  If the mode does not allow
 * the length of the IV, or of the tag, hr_accel_aead_update returns HR_EIVLEN, or HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_accel_aead_init(struct hr_accel_aead_ctx *ctx, hr_alg alg,
                                            uint64_t handle, enum hr_op op, const uint8_t *iv,
                                            size_t iv_len);
/* hr_accel_aead_lengths announces how long AAD, text and tag will be, as hr_aead_lengths does, but
 * at any time before the text. */
HR_API HR_MUST_CHECK int hr_accel_aead_lengths(struct hr_accel_aead_ctx *ctx, uint64_t aad_len,
                                               uint64_t len, size_t tag_len);
/* hr_accel_aead_expect announces the tag, for decryption.  The update then verifies it.  That takes
 * one request instead of two, and works with a key that may only decrypt.  HR_ESTATE,
 * HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_accel_aead_expect(struct hr_accel_aead_ctx *ctx, const uint8_t *tag,
                                              size_t tag_len);
/* hr_accel_aead_aad takes the next part of the AAD, before the text.  HR_ESTATE, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_accel_aead_aad(struct hr_accel_aead_ctx *ctx, const uint8_t *aad,
                                           size_t aad_len);
/* hr_accel_aead_update encrypts or decrypts the whole text.  HR_EMAC: the announced tag is wrong;
 * `out` and the context have been zeroed.  If no tag was announced, decrypted text must not be used
 * before hr_accel_aead_verify returned 0.  HR_ESTATE (a second text), HR_EOVERLAP, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_accel_aead_update(struct hr_accel_aead_ctx *ctx, uint8_t *out,
                                              const uint8_t *in, size_t len);
/* hr_accel_aead_final, hr_accel_aead_verify and hr_accel_aead_verify_short end the message, as
 * hr_aead_final, hr_aead_verify and hr_aead_verify_short do.  Without an update the text is empty.
 * If the announced tag was shorter than tag_len, verify returns HR_EMAC. */
HR_API HR_MUST_CHECK int hr_accel_aead_final(struct hr_accel_aead_ctx *ctx, uint8_t *tag,
                                             size_t tag_len);
HR_API HR_MUST_CHECK int hr_accel_aead_verify(struct hr_accel_aead_ctx *ctx, const uint8_t *tag,
                                              size_t tag_len);
HR_API HR_MUST_CHECK int hr_accel_aead_verify_short(struct hr_accel_aead_ctx *ctx,
                                                    const uint8_t *tag, size_t tag_len);
/* hr_accel_aead_set_key, hr_accel_aead_copy and hr_accel_aead_wipe do for an AEAD what
 * hr_accel_cipher_set_key, hr_accel_cipher_copy and hr_accel_cipher_wipe do for a cipher. */
HR_API HR_MUST_CHECK int hr_accel_aead_set_key(struct hr_accel_aead_ctx *ctx, uint64_t handle);
HR_API HR_MUST_CHECK int hr_accel_aead_copy(struct hr_accel_aead_ctx *out,
                                            const struct hr_accel_aead_ctx *ctx);
HR_API void hr_accel_aead_wipe(struct hr_accel_aead_ctx *ctx);

/* ---- MACs: HMACs, NMACs and CMACs ---- */

/* The state of one message: the message itself.  The state of a MAC would be as secret as its key,
 * so the service never gives it away. */
struct hr_accel_mac_ctx {
    uint64_t opaque[16];
};

/* hr_accel_mac_init starts a message.  HMACs take no IV.  HR_EALG, HR_EIVLEN, HR_EINVAL.  If the
 * row does not allow the length of the IV, hr_accel_mac_final returns HR_EIVLEN. */
HR_API HR_MUST_CHECK int hr_accel_mac_init(struct hr_accel_mac_ctx *ctx, hr_alg alg,
                                           uint64_t handle, const uint8_t *iv, size_t iv_len);
/* hr_accel_mac_update takes the next part of the message.  HR_ESTATE, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_accel_mac_update(struct hr_accel_mac_ctx *ctx, const void *in,
                                             size_t in_len);
/* hr_accel_mac_final writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_accel_mac_final(struct hr_accel_mac_ctx *ctx, uint8_t *out);
/* hr_accel_mac_verify compares the first mac_len bytes of the MAC with `mac` in constant time,
 * zeroes the context, and returns 0 or HR_EMAC.  mac_len is 1 to the row's out_len, else
 * HR_ETAGLEN.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_accel_mac_verify(struct hr_accel_mac_ctx *ctx, const uint8_t *mac,
                                             size_t mac_len);
/* hr_accel_mac_set_key, hr_accel_mac_copy and hr_accel_mac_wipe do the same for a MAC. */
HR_API HR_MUST_CHECK int hr_accel_mac_set_key(struct hr_accel_mac_ctx *ctx, uint64_t handle);
HR_API HR_MUST_CHECK int hr_accel_mac_copy(struct hr_accel_mac_ctx *out,
                                           const struct hr_accel_mac_ctx *ctx);
HR_API void hr_accel_mac_wipe(struct hr_accel_mac_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
