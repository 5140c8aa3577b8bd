/* SPDX-License-Identifier: Apache-2.0 */
/* A new RSA key of libcrypto's as one of ours. */
#ifndef BENCH_RSA_PARTS_H
#define BENCH_RSA_PARTS_H

#include <headrace/rsa.h>
#include <openssl/bn.h>
#include <openssl/evp.h>

/* rsa_parts_read returns whether it could read the parts of a key, of at most 4,096 bits; they stay
 * until it is called again. */
static inline int rsa_parts_read(struct hr_rsa_parts *parts, const EVP_PKEY *pkey)
{
    static const char *const names[] = { "n",
                                         "e",
                                         "d",
                                         "rsa-factor1",
                                         "rsa-factor2",
                                         "rsa-exponent1",
                                         "rsa-exponent2",
                                         "rsa-coefficient1" };
    static uint8_t room[8][512];
    struct hr_rsa_number *const part = &parts->n;
    for (size_t i = 0; i < 8; i++) {
        BIGNUM *number = NULL;
        if (!EVP_PKEY_get_bn_param(pkey, names[i], &number))
            return 0;
        part[i] = (struct hr_rsa_number){ room[i], (size_t)BN_bn2bin(number, room[i]) };
        BN_free(number);
    }
    return 1;
}

/* rsa_parts_key returns whether it could make our key of theirs. */
static inline int rsa_parts_key(struct hr_rsa_key *key, const EVP_PKEY *pkey)
{
    struct hr_rsa_parts parts;
    return rsa_parts_read(&parts, pkey) && !hr_rsa_key_init(key, &parts);
}

#endif
