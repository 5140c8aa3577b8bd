/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions with an output of any length: SHAKE (FIPS 202), cSHAKE and KMAC (SP 800-185).  The
 * conventions are those of headrace.h.  Two outputs of different lengths begin with the same bytes,
 * but for hr_kmac_final and hr_kmac.
 */
#ifndef HEADRACE_XOF_H
#define HEADRACE_XOF_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of one message. */
struct hr_xof_ctx {
    uint64_t opaque[28];
};

/* hr_xof_init starts a message of SHAKE.  HR_EALG, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_xof_init(struct hr_xof_ctx *ctx, hr_alg alg);
/* hr_xof_init_custom starts a message of cSHAKE, with the name of a function that NIST has defined
 * and a text that separates one use from others.  `alg` is a row of SHAKE, and if both lengths are
 * 0, so is the function.  HR_EALG, HR_EINVAL, HR_ELENGTH past 2^61 - 1. */
HR_API HR_MUST_CHECK int hr_xof_init_custom(struct hr_xof_ctx *ctx, hr_alg alg, const void *name,
                                            size_t name_len, const void *custom, size_t custom_len);
/* hr_kmac_init starts a message of KMAC, under a key of any length.  HR_EALG (no row of KMAC),
 * HR_EINVAL, HR_ELENGTH past 2^61 - 1. */
HR_API HR_MUST_CHECK int hr_kmac_init(struct hr_xof_ctx *ctx, hr_alg alg, const void *key,
                                      size_t key_len, const void *custom, size_t custom_len);
/* hr_xof_update absorbs in_len bytes.  HR_ESTATE before init and after the first squeeze. */
HR_API HR_MUST_CHECK int hr_xof_update(struct hr_xof_ctx *ctx, const void *in, size_t in_len);
/* hr_xof_squeeze writes the next out_len bytes of the output; the first call ends the message.  Of
 * KMAC it is the form of arbitrary length (KMACXOF).  HR_ESTATE before init. */
HR_API HR_MUST_CHECK int hr_xof_squeeze(struct hr_xof_ctx *ctx, uint8_t *out, size_t out_len);
/* hr_kmac_final writes a MAC of out_len bytes, which depends on that length, and zeroes the
 * context. HR_ESTATE (no message of KMAC, or squeezed), HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_kmac_final(struct hr_xof_ctx *ctx, uint8_t *out, size_t out_len);
/* hr_xof_wipe zeroes a context.  NULL is allowed. */
HR_API void hr_xof_wipe(struct hr_xof_ctx *ctx);

/* hr_xof and hr_kmac process a whole message.  `out` may lie anywhere, also inside `in`. */
HR_API HR_MUST_CHECK int hr_xof(uint8_t *out, size_t out_len, hr_alg alg, const void *in,
                                size_t in_len);
HR_API HR_MUST_CHECK int hr_kmac(uint8_t *out, size_t out_len, hr_alg alg, const void *key,
                                 size_t key_len, const void *custom, size_t custom_len,
                                 const void *in, size_t in_len);
/* hr_kmac_verify compares a MAC in constant time.  HR_EMAC, HR_ELENGTH (mac_len 0 or above 64). */
HR_API HR_MUST_CHECK int hr_kmac_verify(const uint8_t *mac, size_t mac_len, hr_alg alg,
                                        const void *key, size_t key_len, const void *custom,
                                        size_t custom_len, const void *in, size_t in_len);

#ifdef __cplusplus
}
#endif

#endif
