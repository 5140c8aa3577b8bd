/* SPDX-License-Identifier: Apache-2.0 */
/* DSA (EVP_PKEY-DSA(7), EVP_SIGNATURE-DSA(7)). */
#ifndef HR_PROVIDER_PKEY_DSA_H
#define HR_PROVIDER_PKEY_DSA_H

#include "shadow.h"
#include <headrace/dsa.h>

#define DSA_TYPE "DSA"

struct dsa_ready {
    struct shadow_ready head;
    struct hr_dsa_key key;
};

#endif
