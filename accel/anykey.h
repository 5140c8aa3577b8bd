/* SPDX-License-Identifier: Apache-2.0 */
/* An expanded key of whichever class, as HR_KEY_OBJECT points to it. */
#ifndef HR_ANYKEY_H
#define HR_ANYKEY_H

#include <headrace/headrace.h>

union any_key {
    struct hr_hmac_key hmac;
    struct hr_cipher_key cipher;
    struct hr_aead_key aead;
    struct hr_nmac_key nmac;
    struct hr_xts_key xts;
};

/* HR_EALG: the row has no keys; HR_EKEYLEN. */
HR_MUST_CHECK int any_key_init(union any_key *key, hr_alg alg, const uint8_t *bytes,
                               size_t bytes_len);

#endif
