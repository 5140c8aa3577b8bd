/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_TEST_RSA_JOBS_H
#define HR_TEST_RSA_JOBS_H

#include <headrace/rsa.h>

/* Sign and verify, and encrypt and decrypt, by jobs, under a private key and its public one. */
void rsa_check_cipher_jobs(const struct hr_rsa_key *key, const struct hr_rsa_key *public_key);
void rsa_check_jobs(const struct hr_rsa_key *key, const struct hr_rsa_key *public_key);

#endif
