/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys as they are wrapped: PKCS#8 (RFC 5208, RFC 5958). */
#include "pk.h"
#include <headrace/algorithms.h>

RV pk_encode(struct module *m, const struct object *key, uint8_t *out, size_t *len)
{
    return CKR_KEY_NOT_WRAPPABLE;
}

RV pk_decode(struct module *m, struct draft *draft, const uint8_t *in, size_t len)
{
    return CKR_WRAPPED_KEY_INVALID;
}
