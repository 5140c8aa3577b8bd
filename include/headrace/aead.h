/* SPDX-License-Identifier: Apache-2.0
 *
 * Authenticated encryption: GCM (SP 800-38D), CCM (SP 800-38C, RFC 3610).  The conventions are
 * those of headrace.h, which includes this file.
 *
 * A tag is written after everything else, and lies apart from `out`; so does the AAD.
 *
 *          IV               tag                  at most
 *   GCM    1 byte and more  4 to 16 bytes        2^36 - 32 bytes of text
 *   CCM    7 to 13 bytes    4, 6, ... 16 bytes   2^(8 (15 - iv_len)) - 1 bytes of text
 */
#ifndef HEADRACE_AEAD_H
#define HEADRACE_AEAD_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_AEAD_MAX_TAG 16

/* An expanded key for one row.  hr_aead_key_size(alg) bytes aligned to 64 may stand in. */
struct hr_aead_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[1216];
};

/* One message under a key, which must outlive it.  hr_aead_size(alg) bytes aligned to 8 may stand
 * in. */
struct hr_aead_ctx {
    uint64_t opaque[24];
};

/* Expands a key.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_aead_key_init(struct hr_aead_key *key, hr_alg alg, const uint8_t *bytes,
                                          size_t bytes_len);
/* The same, with the i-th kernel of hr_kernel_at (of either operation: they are the same).
 * HR_ECPU. */
HR_API HR_MUST_CHECK int hr_aead_key_init_kernel(struct hr_aead_key *key, hr_alg alg, size_t i,
                                                 const uint8_t *bytes, size_t bytes_len);
/* Zeroes a key.  NULL is allowed. */
HR_API void hr_aead_key_wipe(struct hr_aead_key *key);
/* Bytes of a key, and of a message context, for `alg`; 0 where it is no AEAD. */
HR_API size_t hr_aead_key_size(hr_alg alg);
HR_API size_t hr_aead_size(hr_alg alg);

/* int hr_aes_128_gcm_encrypt(out, tag, tag_len, in, len, aad, aad_len, key, iv, iv_len): a whole
 * message in one call; out has len bytes, tag tag_len.  An IV must never come twice with one key.
 * ..._decrypt: the same with the tag as an input, compared in constant time: where it is wrong,
 * HR_EMAC, and out is zeroed.
 * HR_ESTATE (key of another row), HR_EIVLEN, HR_ETAGLEN, HR_ELENGTH, HR_EOVERLAP: nothing written.
 * NULL keys, IVs and tags are the caller's error and not looked for. */
#define HR_AEAD(number, sym, SYM, ...)                                                             \
    HR_API HR_MUST_CHECK int hr_##sym##_encrypt(uint8_t *out, uint8_t *tag, size_t tag_len,        \
                                                const uint8_t *in, size_t len, const uint8_t *aad, \
                                                size_t aad_len, const struct hr_aead_key *key,     \
                                                const uint8_t *iv, size_t iv_len);                 \
    HR_API HR_MUST_CHECK int hr_##sym##_decrypt(uint8_t *out, const uint8_t *tag, size_t tag_len,  \
                                                const uint8_t *in, size_t len, const uint8_t *aad, \
                                                size_t aad_len, const struct hr_aead_key *key,     \
                                                const uint8_t *iv, size_t iv_len);
#include <headrace/algorithms.def>

/* The same for any row: the key says which.  Also HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_aead_encrypt(uint8_t *out, uint8_t *tag, size_t tag_len,
                                         const uint8_t *in, size_t len, const uint8_t *aad,
                                         size_t aad_len, const struct hr_aead_key *key,
                                         const uint8_t *iv, size_t iv_len);
HR_API HR_MUST_CHECK int hr_aead_decrypt(uint8_t *out, const uint8_t *tag, size_t tag_len,
                                         const uint8_t *in, size_t len, const uint8_t *aad,
                                         size_t aad_len, const struct hr_aead_key *key,
                                         const uint8_t *iv, size_t iv_len);

/* Starts a message: then hr_aead_lengths (CCM), hr_aead_aad, hr_aead_update, and hr_aead_final or
 * hr_aead_verify.  HR_ESTATE (key not initialised), HR_EIVLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_aead_init(struct hr_aead_ctx *ctx, const struct hr_aead_key *key,
                                      enum hr_op op, const uint8_t *iv, size_t iv_len);
/* Says how long AAD, text and tag will be: CCM (HR_LENGTH_FIRST) must know before anything else;
 * elsewhere it is no error and has no effect.  HR_ESTATE (twice, or too late), HR_ELENGTH,
 * HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_aead_lengths(struct hr_aead_ctx *ctx, uint64_t aad_len, uint64_t len,
                                         size_t tag_len);
/* Absorbs AAD, in any split, before the first update.  HR_ESTATE; HR_ELENGTH: more than was said,
 * or 2^61 bytes. */
HR_API HR_MUST_CHECK int hr_aead_aad(struct hr_aead_ctx *ctx, const uint8_t *aad, size_t aad_len);
/* Encrypts or decrypts len bytes to as many at `out`, in any split; CCM (HR_ONE_UPDATE) takes its
 * whole text in one call.  What decryption writes is unverified until hr_aead_verify says so.
 * HR_ESTATE, HR_EOVERLAP; HR_ELENGTH: other than was said, or more than the mode has. */
HR_API HR_MUST_CHECK int hr_aead_update(struct hr_aead_ctx *ctx, uint8_t *out, const uint8_t *in,
                                        size_t len);
/* Ends encryption: writes the first tag_len bytes of the tag and zeroes the context.
 * HR_ESTATE (decryption; CCM: not all was given), HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_aead_final(struct hr_aead_ctx *ctx, uint8_t *tag, size_t tag_len);
/* Ends decryption: compares the tag in constant time, and zeroes the context.  0, or HR_EMAC: then
 * nothing of what was decrypted may be used.  HR_ESTATE (encryption; CCM: not all was given),
 * HR_ETAGLEN. */
HR_API HR_MUST_CHECK int hr_aead_verify(struct hr_aead_ctx *ctx, const uint8_t *tag,
                                        size_t tag_len);
/* The same, also for GCM's tags of 1 to 3 bytes, which prove next to nothing and which SP 800-38D
 * does not allow: for bindings to interfaces that take them. */
HR_API HR_MUST_CHECK int hr_aead_verify_short(struct hr_aead_ctx *ctx, const uint8_t *tag,
                                              size_t tag_len);
/* Points a copied context at a copy of its key: same row, same kernel.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_aead_set_key(struct hr_aead_ctx *ctx, const struct hr_aead_key *key);

#ifdef __cplusplus
}
#endif
#endif
