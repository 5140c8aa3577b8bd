/* SPDX-License-Identifier: Apache-2.0 */
/* The hybrid groups of TLS 1.3 for releases of OpenSSL that do not have them, where the
 * configuration asks for them.  Their libssl takes any provider's groups, and key encapsulations,
 * since 3.0; but a program must name such a group to use it. */
#include "pq/hybrid.h"

static OSSL_PARAM text(const char *key, const char *value)
{
    OSSL_PARAM p = { key, OSSL_PARAM_UTF8_STRING, NULL, strlen(value), PARAM_NONE };
    memcpy(&p.data, &value, sizeof value);
    return p;
}

static OSSL_PARAM number(const char *key, unsigned type, void *value)
{
    return (OSSL_PARAM){ key, type, value, sizeof(int), PARAM_NONE };
}

static int offer(const struct hybrid_group *group, OSSL_CALLBACK *callback, void *arg)
{
    unsigned id = group->id, security = group->kem_row == INDEX_mlkem1024 ? 256 : 192, is_kem = 1;
    int first = 0x0304 /* TLS 1.3 */, last = 0, none = -1;
    const OSSL_PARAM list[] = {
        text(OSSL_CAPABILITY_TLS_GROUP_NAME, group->name),
        text(OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL, ""),
        text(OSSL_CAPABILITY_TLS_GROUP_ALG, group->name),
        number(OSSL_CAPABILITY_TLS_GROUP_ID, OSSL_PARAM_UNSIGNED_INTEGER, &id),
        number(OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS, OSSL_PARAM_UNSIGNED_INTEGER, &security),
        number(OSSL_CAPABILITY_TLS_GROUP_MIN_TLS, OSSL_PARAM_INTEGER, &first),
        number(OSSL_CAPABILITY_TLS_GROUP_MAX_TLS, OSSL_PARAM_INTEGER, &last),
        number(OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS, OSSL_PARAM_INTEGER, &none),
        number(OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS, OSSL_PARAM_INTEGER, &none),
        number(OSSL_CAPABILITY_TLS_GROUP_IS_KEM, OSSL_PARAM_UNSIGNED_INTEGER, &is_kem),
        PARAM_END,
    };
    return callback(list, arg);
}

int groups_offer(const struct provider *provider, OSSL_CALLBACK *callback, void *arg)
{
    if (win_release(provider) >= PKEY_COMPLETE)
        return 1; /* the default provider's entries are passed on */
    for (size_t i = 0; i < NUM_HYBRIDS; i++)
        if (pkey_has_keymgmt(provider, hybrid_groups[i].name) &&
            !offer(&hybrid_groups[i], callback, arg))
            return 0;
    return 1;
}
