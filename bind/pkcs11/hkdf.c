/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of HKDF (RFC 5869). */
#include "mechanism.h"
#include "session.h"
#include <headrace/algorithms.h>

/* hmac_of returns the HMAC of a digest's mechanism. */
static hr_alg hmac_of(CK_MECHANISM_TYPE digest)
{
    static const struct {
        CK_MECHANISM_TYPE digest;
        hr_alg alg;
    } hmacs[] = {
        { CKM_MD5, HR_HMAC_MD5 },
        { CKM_SHA_1, HR_HMAC_SHA1 },
        { CKM_SHA224, HR_HMAC_SHA224 },
        { CKM_SHA256, HR_HMAC_SHA256 },
        { CKM_SHA384, HR_HMAC_SHA384 },
        { CKM_SHA512, HR_HMAC_SHA512 },
        { CKM_SHA512_224, HR_HMAC_SHA512_224 },
        { CKM_SHA512_256, HR_HMAC_SHA512_256 },
    };
    for (size_t i = 0; i < COUNT(hmacs); i++)
        if (hmacs[i].digest == digest)
            return hmacs[i].alg;
    return HR_ALG_NONE;
}

static RV hkdf_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return mechanism->ulParameterLen == sizeof(CK_HKDF_PARAMS) ? CKR_OK
                                                               : CKR_MECHANISM_PARAM_INVALID;
}

/* hkdf_form copies the value, with its length before it. */
static RV hkdf_form(const struct mechanism *mech, struct module *m, const struct object *key,
                    void **form, hr_alg *alg)
{
    size_t len;
    const uint8_t *value = object_value(key, CKA_VALUE, &len);
    *alg = HR_HKDF;
    *form = secret_new(m, sizeof len + len);
    if (!*form)
        return CKR_HOST_MEMORY;
    memcpy(*form, &len, sizeof len);
    if (len)
        memcpy((uint8_t *)*form + sizeof len, value, len);
    return CKR_OK;
}

/* salt_of finds the salt: none, data, or the value of another key. */
static RV salt_of(struct op *op, const CK_HKDF_PARAMS *p, uint8_t *salt, size_t *len)
{
    struct module *m = op->session->module;
    *len = 0;
    if (p->ulSaltType == CKF_HKDF_SALT_NULL)
        return CKR_OK;
    if (p->ulSaltType == CKF_HKDF_SALT_DATA) {
        if (p->ulSaltLen > MAX_SECRET || (!p->pSalt && p->ulSaltLen))
            return CKR_MECHANISM_PARAM_INVALID;
        if (p->ulSaltLen)
            memcpy(salt, p->pSalt, p->ulSaltLen);
        *len = p->ulSaltLen;
        return CKR_OK;
    }
    if (p->ulSaltType != CKF_HKDF_SALT_KEY)
        return CKR_MECHANISM_PARAM_INVALID;
    pthread_mutex_lock(&m->objects_lock);
    const struct object *key = object_of(m, p->hSaltKey);
    const uint64_t bits = key ? atomic_load(&key->bits) : 0;
    const uint8_t *value = key && is_visible(op->session, key) && key->cls == CKO_SECRET_KEY &&
                                   bits & P11_BIT(DERIVE) && policy_allows(key, op->mech->type)
                               ? object_value(key, CKA_VALUE, len)
                               : NULL;
    if (value && *len)
        memcpy(salt, value, *len);
    if (value)
        op->joined = bits;
    pthread_mutex_unlock(&m->objects_lock);
    return value ? CKR_OK : CKR_KEY_HANDLE_INVALID;
}

static RV hkdf_derive(struct op *op, const CK_MECHANISM *mechanism, uint8_t *secret, size_t *len)
{
    CK_HKDF_PARAMS p;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const hr_alg alg = hmac_of(p.prfHashMechanism);
    if (!alg || (!p.bExtract && !p.bExpand) || (!p.pInfo && p.ulInfoLen) ||
        p.ulInfoLen > MAX_SECRET)
        return CKR_MECHANISM_PARAM_INVALID;
    size_t key_len, salt_len, prk_len = hr_algorithm(alg)->out_len;
    memcpy(&key_len, op->form, sizeof key_len);
    const uint8_t *key = (const uint8_t *)op->form + sizeof key_len;
    uint8_t prk[HR_DIGEST_MAX_OUT], *salt = secret_new(op->session->module, MAX_SECRET);
    CK_RV rv = salt ? salt_of(op, &p, salt, &salt_len) : CKR_HOST_MEMORY;
    if (rv == CKR_OK && p.bExtract) {
        rv = error_of(hr_hkdf_extract(prk, alg, salt, salt_len, key, key_len));
        key = prk;
        key_len = prk_len;
    }
    if (!*len || !p.bExpand)
        *len = prk_len;
    if (rv == CKR_OK && p.bExpand)
        rv = error_of(hr_hkdf_expand(secret, *len, alg, key, key_len, p.pInfo, p.ulInfoLen));
    else if (rv == CKR_OK)
        memcpy(secret, prk, prk_len);
    WIPE(&prk);
    secret_free(op->session->module, salt);
    return rv == CKR_DATA_LEN_RANGE ? CKR_KEY_SIZE_RANGE : rv;
}

const struct engine engine_hkdf = { .init = hkdf_init, .form = hkdf_form, .derive = hkdf_derive };
