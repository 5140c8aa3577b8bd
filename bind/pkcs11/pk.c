/* SPDX-License-Identifier: Apache-2.0 */
#include "key.h"

RV pk_complete(struct module *m, struct draft *draft)
{
    return CKR_ATTRIBUTE_VALUE_INVALID;
}

RV pk_generate(struct module *m, const struct mechanism *mech, const CK_MECHANISM *mechanism,
               struct draft *public_key, struct draft *private_key)
{
    return CKR_MECHANISM_INVALID;
}

RV pk_encode(struct module *m, const struct object *key, uint8_t *out, size_t *len)
{
    return CKR_KEY_NOT_WRAPPABLE;
}

RV pk_decode(struct module *m, struct draft *draft, const uint8_t *in, size_t len)
{
    return CKR_WRAPPED_KEY_INVALID;
}
