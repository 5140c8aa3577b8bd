/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie and Hellman's key agreement (EVP_PKEY-DH(7), EVP_KEYEXCH-DH(7)).  Keys of PKCS#3 are of
 * the type DH, and those of X9.42, whose q is known, of the type DHX. */
#ifndef HR_PROVIDER_PKEY_DH_H
#define HR_PROVIDER_PKEY_DH_H

#include "shadow.h"
#include <headrace/dh.h>

enum { DH_MOST_BYTES = 1024 };

struct dh_ready {
    struct shadow_ready head;
    struct hr_dh_key key;
};

#endif
