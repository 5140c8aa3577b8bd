/* SPDX-License-Identifier: Apache-2.0 */
/* A SubjectPublicKeyInfo in the terms of PKCS#11. */
#ifndef HR_P11_PUBLIC_H
#define HR_P11_PUBLIC_H

#include "../cryptoki.h"
#include <headrace/headrace.h>
#include <stdbool.h>

struct bytes {
    const uint8_t *at;
    size_t len;
};

/* The members point into the SubjectPublicKeyInfo, or to constants. */
struct public_key {
    CK_KEY_TYPE type;
    hr_alg alg;             /* of RSA the row that the key list says */
    struct bytes n, e;      /* of RSA, without leading zeros */
    struct bytes curve;     /* CKA_EC_PARAMS */
    struct bytes bytes;     /* of others: the point, or the key */
    CK_ULONG parameter_set; /* of ML-DSA */
};

/* public_parse accepts DER only, of a key of this row (X.690 section 10; RFC 8017 appendix A.1.1,
 * RFC 5480, RFC 8410, RFC 9881). */
bool public_parse(struct public_key *out, hr_alg alg, const uint8_t *spki, size_t len);

#endif
