/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WAYS_PK_H
#define WAYS_PK_H

#include "pk.h"
#include <headrace/headrace.h>

/* A key, and what its operations read and write. */
struct direct {
    const struct hr_algorithm *row;
    struct hr_sign_key *sign_key;
    struct hr_agree_key *agree_key;
    struct hr_kem_key *kem_key;
    struct hr_rsa_key *rsa_key;
    struct hr_dsa_key *dsa_key;
    struct hr_dh_key *dh_key;
    uint8_t message[PK_MESSAGE], sig[PK_MOST], public[PK_MOST], out[PK_MOST];
    size_t sig_len, public_len, out_len;
    bool failed;
};

#endif
