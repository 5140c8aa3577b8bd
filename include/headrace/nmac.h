/* SPDX-License-Identifier: Apache-2.0
 *
 * MACs that take a nonce with each message: GMAC (SP 800-38D), Poly1305-AES (D. J. Bernstein, "The
 * Poly1305-AES message-authentication code", 2005), f9 of KASUMI (3GPP TS 35.201); and Poly1305
 * (RFC 8439), whose key is for one message.  A nonce must never be used twice with one key.  The
 * conventions are those of headrace.h, which includes this file; <headrace/poly1305aes.h> has the
 * names of Bernstein's package.
 *
 *                  key                    nonce            MAC
 *   GMAC           an AES key             1 byte and more  16 bytes
 *   Poly1305       32 bytes: r, s         none             16 bytes
 *   Poly1305-AES   32 bytes: AES key, r   16 bytes         16 bytes
 *   KASUMI-F9      16 bytes               9 bytes: COUNT,  4 bytes
 *                                         FRESH, DIRECTION
 *
 * The calls clamp r themselves.  DIRECTION is a byte of which only the last bit is used.
 */
#ifndef HEADRACE_NMAC_H
#define HEADRACE_NMAC_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_NMAC_MAX_OUT 16

/* An expanded key for one row.  hr_nmac_key_size(alg) bytes aligned to 64 may be used instead. */
struct hr_nmac_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[1920];
};

/* The state of one message.  The key must outlive it.  hr_nmac_size(alg) bytes aligned to 8 may be
 * used instead. */
struct hr_nmac_ctx {
    uint64_t opaque[26];
};

/* hr_nmac_key_init expands a key.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_nmac_key_init(struct hr_nmac_key *key, hr_alg alg, const uint8_t *bytes,
                                          size_t bytes_len);
/* hr_nmac_key_init_kernel does the same with the i-th kernel of hr_kernel_at.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_nmac_key_init_kernel(struct hr_nmac_key *key, hr_alg alg, size_t i,
                                                 const uint8_t *bytes, size_t bytes_len);
/* hr_nmac_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_nmac_key_wipe(struct hr_nmac_key *key);
/* hr_nmac_key_size and hr_nmac_size return the sizes of a key and of a context for `alg`, or 0 if
 * that is none of these MACs. */
HR_API size_t hr_nmac_key_size(hr_alg alg);
HR_API size_t hr_nmac_size(hr_alg alg);

/* hr_nmac computes the MAC of a whole message, as hr_poly1305_aes and the like of
 * <headrace/algorithms.h> do, for the row of the key.  Errors are theirs, and HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_nmac(uint8_t *out, const void *in, size_t in_len,
                                 const struct hr_nmac_key *key, const uint8_t *iv, size_t iv_len);
/* hr_nmac_verify compares the first mac_len bytes of the message's MAC with `mac` in constant time
 * and returns 0 or HR_EMAC.  mac_len is 1 to the row's out_len, else HR_ETAGLEN.  The receiver must
 * decide on mac_len, never the sender.  Other errors are those of hr_nmac. */
HR_API HR_MUST_CHECK int hr_nmac_verify(const uint8_t *mac, size_t mac_len, const void *in,
                                        size_t in_len, const struct hr_nmac_key *key,
                                        const uint8_t *iv, size_t iv_len);

/* hr_nmac_init starts a message.  HR_ESTATE (key not initialised), HR_EIVLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_nmac_init(struct hr_nmac_ctx *ctx, const struct hr_nmac_key *key,
                                      const uint8_t *iv, size_t iv_len);
/* hr_nmac_update absorbs in_len bytes.  HR_ESTATE before init or after final; HR_ELENGTH past
 * 2^61 - 1 bytes. */
HR_API HR_MUST_CHECK int hr_nmac_update(struct hr_nmac_ctx *ctx, const void *in, size_t in_len);
/* hr_nmac_final writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_nmac_final(struct hr_nmac_ctx *ctx, uint8_t *out);
/* hr_nmac_set_key makes a copied context use a copy of its key: same row, same kernel.
 * HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_nmac_set_key(struct hr_nmac_ctx *ctx, const struct hr_nmac_key *key);

#ifdef __cplusplus
}
#endif
#endif
