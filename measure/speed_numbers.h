/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's keys that are numbers, RSA, DSA and DH, for `headrace speed`.  They are made of
 * what OpenSSL's EVP_PKEY_todata gave, since OpenSSL makes all keys of RSA and DSA.
 */
#ifndef SPEED_NUMBERS_H
#define SPEED_NUMBERS_H

#include <headrace/dh.h>
#include <headrace/dsa.h>
#include <headrace/rsa.h>
#include <openssl/core.h>

/* The numbers of a key of RSA, in memory of its own. */
struct speed_rsa {
    struct hr_rsa_parts parts;
    uint8_t bytes[8][1024];
};

/* Each of these returns an error, which is negative.  `pair` may be NULL. */
int speed_rsa_numbers(struct speed_rsa *out, const OSSL_PARAM *pair);
int speed_rsa_key(struct hr_rsa_key *key, const OSSL_PARAM *pair);
int speed_dsa_key(struct hr_dsa_key *key, const OSSL_PARAM *pair);
int speed_dh_key(struct hr_dh_key *key, const OSSL_PARAM *pair);

enum { SPEED_DIGEST = 32 };
extern const struct hr_rsa_options speed_rsa_options;
/* The first 32 bytes of the message are signed as if they were its digest; by RSA with PKCS#1 v1.5.
 */
int speed_rsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *message,
                   const struct hr_rsa_key *key);
int speed_rsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *message,
                     const struct hr_rsa_key *key);
int speed_dsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *message,
                   const struct hr_dsa_key *key);
int speed_dsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *message,
                     const struct hr_dsa_key *key);

#endif
