/* SPDX-License-Identifier: Apache-2.0
 *
 * MACs that take a nonce with each message: GMAC (SP 800-38D), Poly1305-AES (D. J. Bernstein, "The
 * Poly1305-AES message-authentication code", 2005), f9 of KASUMI (3GPP TS 35.201); and Poly1305
 * (RFC 8439), whose key is for one message.  A nonce must never come twice with one key.  The
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
 * r is clamped inside.  Of DIRECTION, a byte, the last bit counts.
 */
#ifndef HEADRACE_NMAC_H
#define HEADRACE_NMAC_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_NMAC_MAX_OUT 16

/* An expanded key for one row.  hr_nmac_key_size(alg) bytes aligned to 64 may stand in. */
struct hr_nmac_key {
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    uint8_t opaque[1920];
};

/* One message under a key, which must outlive it.  hr_nmac_size(alg) bytes aligned to 8 may stand
 * in. */
struct hr_nmac_ctx {
    uint64_t opaque[26];
};

/* Expands a key.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_nmac_key_init(struct hr_nmac_key *key, hr_alg alg, const uint8_t *bytes,
                                          size_t bytes_len);
/* The same, with the i-th kernel of hr_kernel_at.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_nmac_key_init_kernel(struct hr_nmac_key *key, hr_alg alg, size_t i,
                                                 const uint8_t *bytes, size_t bytes_len);
/* Zeroes a key.  NULL is allowed. */
HR_API void hr_nmac_key_wipe(struct hr_nmac_key *key);
/* Bytes of a key, and of a message context, for `alg`; 0 where it is none of these. */
HR_API size_t hr_nmac_key_size(hr_alg alg);
HR_API size_t hr_nmac_size(hr_alg alg);

/* int hr_poly1305_aes(out, in, in_len, key, iv, iv_len): the MAC of a whole message; out has
 * the row's out_len bytes and may lie anywhere.  One such function per row.  HR_ESTATE (key of
 * another row),
 * HR_EIVLEN, HR_ELENGTH past 2^61 - 1 bytes.
 * NULL keys and IVs are the caller's error and not looked for. */
#define HR_NMAC(number, sym, SYM, ...)                                                  \
    HR_API HR_MUST_CHECK int hr_##sym(uint8_t *out, const void *in, size_t in_len,      \
                                      const struct hr_nmac_key *key, const uint8_t *iv, \
                                      size_t iv_len);
#include <headrace/algorithms.def>

/* The same for any row: the key says which.  Also HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_nmac(uint8_t *out, const void *in, size_t in_len,
                                 const struct hr_nmac_key *key, const uint8_t *iv, size_t iv_len);
/* Compares the first mac_len bytes of the message's MAC with `mac`, in constant time: 0 or HR_EMAC.
 * mac_len is 1 to the row's out_len (else HR_ETAGLEN); the caller says which length it accepts,
 * never the sender.
 * Errors as above. */
HR_API HR_MUST_CHECK int hr_nmac_verify(const uint8_t *mac, size_t mac_len, const void *in,
                                        size_t in_len, const struct hr_nmac_key *key,
                                        const uint8_t *iv, size_t iv_len);

/* Starts a message.  HR_ESTATE (key not initialised), HR_EIVLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_nmac_init(struct hr_nmac_ctx *ctx, const struct hr_nmac_key *key,
                                      const uint8_t *iv, size_t iv_len);
/* Absorbs in_len bytes.  HR_ESTATE before init or after final; HR_ELENGTH as above. */
HR_API HR_MUST_CHECK int hr_nmac_update(struct hr_nmac_ctx *ctx, const void *in, size_t in_len);
/* Writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_nmac_final(struct hr_nmac_ctx *ctx, uint8_t *out);
/* Points a copied context at a copy of its key: same row, same kernel.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_nmac_set_key(struct hr_nmac_ctx *ctx, const struct hr_nmac_key *key);

#ifdef __cplusplus
}
#endif
#endif
