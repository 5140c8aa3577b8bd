/* SPDX-License-Identifier: Apache-2.0 */
/* GCM and CCM of rows that OpenSSL lacks, Camellia's. */
#ifndef HR_TEST_EVP_AEAD_ALONE_H
#define HR_TEST_EVP_AEAD_ALONE_H

#include "evp.h"

/* aead_alone compares such a row through EVP with the library's own calls. */
void aead_alone(const struct loaded *both, const struct hr_algorithm *row);

#endif
