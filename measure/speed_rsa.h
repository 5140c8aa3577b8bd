/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA for `headrace speed`: signatures by PKCS#1 v1.5 with SHA-256.
 */
#ifndef SPEED_RSA_H
#define SPEED_RSA_H

#include <headrace/rsa.h>
#include <openssl/core.h>

/* speed_rsa_key makes a key of what OpenSSL's EVP_PKEY_todata gave, or NULL.  It returns an error,
 * which is negative. */
int speed_rsa_key(struct hr_rsa_key *key, const OSSL_PARAM *pair);
/* The first 32 bytes of the message are signed as if they were its digest. */
int speed_rsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *message,
                   const struct hr_rsa_key *key);
int speed_rsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *message,
                     const struct hr_rsa_key *key);

#endif
