/* SPDX-License-Identifier: Apache-2.0 */
/* Many messages in one call, for Java's batches.  All memory lies outside Java's heap, so a call
 * may take long. */
#ifndef HR_JAVA_MANY_H
#define HR_JAVA_MANY_H

#include "pk.h"

/* A signature that is to be verified, as Java writes it. */
struct many_check {
    const struct pk *key;
    const uint8_t *in;
    uint64_t len;
    const uint8_t *signature;
    uint64_t signature_len;
};

/* hrj_digest_many digests num messages of len[i] bytes at in[i], and writes the digests one after
 * the other; hrj_mac_many does the same, for MANY_MACS messages at most, with an object that has
 * the key of an HMAC. */
enum { MANY_MACS = 256 };
JAVA_API int32_t hrj_digest_many(int32_t alg, const void *const *in, const size_t *len, int32_t num,
                                 uint8_t *out);
JAVA_API int32_t hrj_mac_many(struct object *o, const void *const *in, const size_t *len,
                              int32_t num, uint8_t *out);
/* hrj_verify_many verifies MANY_CHECKS signatures at most, with the options of hrj_pk_run and the
 * operation PK_VERIFY or PK_VERIFY_DER, and writes the result of each. */
enum { MANY_CHECKS = 64 };
JAVA_API int32_t hrj_verify_many(int32_t op, int32_t padding, int32_t digest, int32_t mgf_digest,
                                 int32_t salt_len, const uint8_t *label, int32_t label_len,
                                 const struct many_check *checks, int32_t num, int32_t *results);
JAVA_API void hrj_wipe(uint8_t *at, int64_t len);

#endif
