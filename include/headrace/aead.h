/* SPDX-License-Identifier: Apache-2.0
 *
 * Authenticated encryption: GCM (SP 800-38D), CCM (SP 800-38C, RFC 3610), ChaCha20-Poly1305 (RFC
 * 8439).  The conventions are those of headrace.h, which includes this file.  The tag is written
 * last.  Neither the tag nor the AAD may overlap `out`.
 *
 *                      IV               tag                 text, at most
 *   GCM                1 byte and more  4 to 16 bytes       2^36 - 32 bytes
 *   CCM                7 to 13 bytes    4, 6, ... 16 bytes  2^(8 (15 - iv_len)) - 1 bytes
 *   ChaCha20-Poly1305  12 bytes         4 to 16 bytes       2^38 - 64 bytes
 */
#ifndef HEADRACE_AEAD_H
#define HEADRACE_AEAD_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_AEAD_MAX_TAG 16

/* An expanded key for one row.  hr_aead_key_size(alg) bytes aligned to 64 may be used instead. */
struct hr_aead_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[1216];
};

/* The state of one message.  The key must outlive it.  hr_aead_size(alg) bytes aligned to 8 may be
 * used instead. */
struct hr_aead_ctx {
    uint64_t opaque[208];
};

/* hr_aead_key_init expands a key.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_aead_key_init(struct hr_aead_key *key, hr_alg alg, const uint8_t *bytes,
                                          size_t bytes_len);
/* hr_aead_key_init_kernel does the same with the i-th kernel of hr_kernel_at, whose list is the
 * same for both operations.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_aead_key_init_kernel(struct hr_aead_key *key, hr_alg alg, size_t i,
                                                 const uint8_t *bytes, size_t bytes_len);
/* hr_aead_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_aead_key_wipe(struct hr_aead_key *key);
/* hr_aead_key_size and hr_aead_size return the sizes of a key and of a context for `alg`, or 0 if
 * that is no AEAD. */
HR_API size_t hr_aead_key_size(hr_alg alg);
HR_API size_t hr_aead_size(hr_alg alg);

/* hr_aead_encrypt and hr_aead_decrypt process a whole message, as hr_aes_128_gcm_encrypt and the
 * like of <headrace/algorithms.h> do, for the row of the key.  Errors are theirs, and HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_aead_encrypt(uint8_t *out, uint8_t *tag, size_t tag_len,
                                         const uint8_t *in, size_t len, const uint8_t *aad,
                                         size_t aad_len, const struct hr_aead_key *key,
                                         const uint8_t *iv, size_t iv_len);
HR_API HR_MUST_CHECK int hr_aead_decrypt(uint8_t *out, const uint8_t *tag, size_t tag_len,
                                         const uint8_t *in, size_t len, const uint8_t *aad,
                                         size_t aad_len, const struct hr_aead_key *key,
                                         const uint8_t *iv, size_t iv_len);

/* hr_aead_encrypt_once and hr_aead_decrypt_once process one message by a key of key_len bytes.  For
 * further messages of the same key hr_aead_encrypt and hr_aead_decrypt are faster.  Errors are
 * theirs and those of hr_aead_key_init. */
HR_API HR_MUST_CHECK int hr_aead_encrypt_once(uint8_t *out, uint8_t *tag, size_t tag_len,
                                              hr_alg alg, const uint8_t *in, size_t len,
                                              const uint8_t *aad, size_t aad_len,
                                              const uint8_t *key, size_t key_len, const uint8_t *iv,
                                              size_t iv_len);
HR_API HR_MUST_CHECK int hr_aead_decrypt_once(uint8_t *out, const uint8_t *tag, size_t tag_len,
                                              hr_alg alg, const uint8_t *in, size_t len,
                                              const uint8_t *aad, size_t aad_len,
                                              const uint8_t *key, size_t key_len, const uint8_t *iv,
                                              size_t iv_len);

/* hr_aead_init starts a message.  After it come hr_aead_lengths (for CCM), hr_aead_aad,
 * hr_aead_update, and hr_aead_final or hr_aead_verify.  HR_ESTATE (key not initialised), HR_EIVLEN,
 * HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_aead_init(struct hr_aead_ctx *ctx, const struct hr_aead_key *key,
                                      enum hr_op op, const uint8_t *iv, size_t iv_len);
/* hr_aead_lengths announces how long AAD, text and tag will be.  CCM (HR_LENGTH_FIRST) needs that
 * first; for other modes the call has no effect.  HR_ESTATE (second call, or too late), HR_ELENGTH,
 * HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_aead_lengths(struct hr_aead_ctx *ctx, uint64_t aad_len, uint64_t len,
                                         size_t tag_len);
/* hr_aead_aad absorbs the next part of the AAD, before the first update.  HR_ESTATE; HR_ELENGTH:
 * more than was announced, or 2^61 bytes. */
HR_API HR_MUST_CHECK int hr_aead_aad(struct hr_aead_ctx *ctx, const uint8_t *aad, size_t aad_len);
/* hr_aead_update encrypts or decrypts the next len bytes of the text.  Decrypted text must not be
 * used before hr_aead_verify returned 0.  HR_ESTATE, HR_EOVERLAP; HR_ELENGTH: more than was
 * announced, or than the mode allows. */
HR_API HR_MUST_CHECK int hr_aead_update(struct hr_aead_ctx *ctx, uint8_t *out, const uint8_t *in,
                                        size_t len);
/* hr_aead_final ends encryption: it writes the first tag_len bytes of the tag and zeroes the
 * context.  HR_ESTATE (decryption; CCM: AAD or text is incomplete), HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_aead_final(struct hr_aead_ctx *ctx, uint8_t *tag, size_t tag_len);
/* hr_aead_verify ends decryption: it compares the tag in constant time and zeroes the context.
 * After HR_EMAC none of the decrypted text may be used.  HR_ESTATE (encryption; CCM: AAD or text is
 * incomplete), HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_aead_verify(struct hr_aead_ctx *ctx, const uint8_t *tag,
                                        size_t tag_len);
/* hr_aead_verify_short does the same, and except for CCM also accepts tags of 1 to 3 bytes.  These
 * prove next to nothing, and no standard allows them; the call is for bindings to interfaces that
 * do. */
HR_API HR_MUST_CHECK int hr_aead_verify_short(struct hr_aead_ctx *ctx, const uint8_t *tag,
                                              size_t tag_len);
/* hr_aead_set_key makes a copied context use a copy of its key: same row, same kernel.
 * HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_aead_set_key(struct hr_aead_ctx *ctx, const struct hr_aead_key *key);

/* hr_aead_iv_next increments the last counter_len bytes of an IV (all bytes if the IV is shorter)
 * as one big-endian number, which wraps around to 0.  This is the invocation field of SP 800-38D
 * section 8.2.1.  The caller must not let it wrap while one key is in use. */
HR_API void hr_aead_iv_next(uint8_t *iv, size_t iv_len, size_t counter_len);

#ifdef __cplusplus
}
#endif
#endif
