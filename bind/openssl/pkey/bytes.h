/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that are strings of bytes: what X25519, Ed25519, ML-KEM and ML-DSA share. */
#ifndef HR_PROVIDER_PKEY_BYTES_H
#define HR_PROVIDER_PKEY_BYTES_H

#include "pkey.h"

/* bytes_equal takes the same time wherever the bytes differ. */
int bytes_equal(const void *a, const void *b, size_t len);
/* bytes_param describes bytes in a list for OpenSSL, which only reads them. */
OSSL_PARAM bytes_param(const char *key, const uint8_t *bytes, size_t len);
/* bytes_set answers an octet string, as OSSL_PARAM_set_octet_string does. */
int bytes_set(OSSL_PARAM *p, const uint8_t *bytes, size_t len);
/* bytes_free wipes and frees what pkey_aligned allocated.  NULL is allowed. */
void bytes_free(void *key, size_t size);

#endif
