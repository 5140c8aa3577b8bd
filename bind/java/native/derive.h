/* SPDX-License-Identifier: Apache-2.0 */
/* Key derivation for Java.  It takes long, so the memory is a copy outside Java's heap. */
#ifndef HR_JAVA_DERIVE_H
#define HR_JAVA_DERIVE_H

#include "object.h"

/* hrj_pbkdf2 derives out_len bytes; `alg` is the row of an HMAC. */
JAVA_API int32_t hrj_pbkdf2(int32_t alg, const uint8_t *password, int32_t password_len,
                            const uint8_t *salt, int32_t salt_len, int64_t iterations, uint8_t *out,
                            int32_t out_len);
/* hrj_hkdf_extract writes a pseudorandom key as long as the MAC, and returns its length;
 * hrj_hkdf_expand makes out_len bytes of such a key. */
JAVA_API int32_t hrj_hkdf_extract(int32_t alg, const uint8_t *salt, int32_t salt_len,
                                  const uint8_t *ikm, int32_t ikm_len, uint8_t *out,
                                  int32_t out_len);
JAVA_API int32_t hrj_hkdf_expand(int32_t alg, const uint8_t *prk, int32_t prk_len,
                                 const uint8_t *info, int32_t info_len, uint8_t *out,
                                 int32_t out_len);

#endif
