/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that ML-DSA and SLH-DSA sign before a message: FIPS 204 algorithms 2 and 4, FIPS 205
 * algorithms 22 and 23. */
#include "oids.h"
#include "sign.h"
#include <headrace/algorithms.h>

static const struct prehash {
    hr_alg alg;
    uint8_t len; /* of SHAKE, the output that both standards take */
    uint8_t oid[2 + NIST_OID_LEN];
} prehashes[] = {
#define DIGEST(alg, x) { alg, 0, { 0x06, NIST_OID_LEN, NIST_DIGEST_OID(x) } },
#define XOF(alg, x) \
    { alg, alg == HR_SHAKE128 ? 32 : 64, { 0x06, NIST_OID_LEN, NIST_DIGEST_OID(x) } },
    NIST_DIGESTS(DIGEST) NIST_XOFS(XOF)
};

static const struct prehash *find(hr_alg alg)
{
    for (size_t i = 0; i < COUNT(prehashes); i++)
        if (prehashes[i].alg == alg)
            return &prehashes[i];
    return NULL;
}

int sign_prefix(uint8_t out[SIGN_MAX_PREFIX], size_t *len, const struct sign_input *message)
{
    const struct hr_sign_options *options = message->options;
    const int is_prehash = options->flags & HR_SIGN_PREHASH ? 1 : 0;
    if (is_prehash != (options->digest != HR_ALG_NONE))
        return HR_EINVAL;
    out[0] = (uint8_t)is_prehash;
    out[1] = (uint8_t)options->context_len;
    if (options->context_len)
        memcpy(out + 2, options->context, options->context_len);
    *len = 2 + options->context_len;
    if (!is_prehash)
        return 0;
    const struct prehash *p = find(options->digest);
    if (!p)
        return HR_EALG;
    if (message->len != (p->len ? p->len : hr_algorithm(p->alg)->out_len))
        return HR_ELENGTH;
    memcpy(out + *len, p->oid, sizeof p->oid);
    *len += sizeof p->oid;
    return 0;
}
