/* SPDX-License-Identifier: Apache-2.0 */
/* C_GenerateKey and C_GenerateKeyPair. */
#include "key.h"
#include "mechanism.h"
#include "session.h"
#include <headrace/algorithms.h>

/* ---- PBKDF2 ---- */

static hr_alg prf_of(CK_ULONG prf)
{
    static const struct {
        CK_ULONG prf;
        hr_alg alg;
    } prfs[] = {
        { CKP_PKCS5_PBKD2_HMAC_SHA1, HR_HMAC_SHA1 },
        { CKP_PKCS5_PBKD2_HMAC_SHA224, HR_HMAC_SHA224 },
        { CKP_PKCS5_PBKD2_HMAC_SHA256, HR_HMAC_SHA256 },
        { CKP_PKCS5_PBKD2_HMAC_SHA384, HR_HMAC_SHA384 },
        { CKP_PKCS5_PBKD2_HMAC_SHA512, HR_HMAC_SHA512 },
        { CKP_PKCS5_PBKD2_HMAC_SHA512_224, HR_HMAC_SHA512_224 },
        { CKP_PKCS5_PBKD2_HMAC_SHA512_256, HR_HMAC_SHA512_256 },
    };
    for (size_t i = 0; i < COUNT(prfs); i++)
        if (prfs[i].prf == prf)
            return prfs[i].alg;
    return HR_ALG_NONE;
}

/* pbkdf2 takes the parameter of 3.x, whose password has a length; the older struct of the same size
 * has a pointer to the length in its place, and callers of it are not told from those. */
static RV pbkdf2(const CK_MECHANISM *mechanism, uint8_t *out, size_t len)
{
    CK_PKCS5_PBKD2_PARAMS2 p;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const hr_alg alg = prf_of(p.prf);
    if (p.saltSource != CKZ_SALT_SPECIFIED || !p.iterations || !alg ||
        (!p.pPassword && p.ulPasswordLen) || (!p.pSaltSourceData && p.ulSaltSourceDataLen))
        return CKR_MECHANISM_PARAM_INVALID;
    return error_of(hr_pbkdf2(out, len, alg, p.pPassword, p.ulPasswordLen, p.pSaltSourceData,
                              p.ulSaltSourceDataLen, p.iterations));
}

/* ---- secret keys ---- */

/* wanted_len returns the length of a new key, by its template or its type. */
static RV wanted_len(const struct draft *draft, size_t *len)
{
    *len = draft_number(draft, CKA_VALUE_LEN, secret_len_of(draft->key_type));
    if (!*len && !draft_find(draft, CKA_VALUE_LEN))
        return CKR_TEMPLATE_INCOMPLETE;
    return *len > MAX_SECRET || secret_len_check(draft->key_type, *len) != CKR_OK
               ? CKR_ATTRIBUTE_VALUE_INVALID
               : CKR_OK;
}

static RV set_class(struct module *m, struct draft *draft, CK_OBJECT_CLASS cls, CK_KEY_TYPE type)
{
    if (draft_find(draft, CKA_CLASS) && draft->cls != cls)
        return CKR_TEMPLATE_INCONSISTENT;
    if (draft_find(draft, CKA_KEY_TYPE) && draft->key_type != type)
        return CKR_TEMPLATE_INCONSISTENT;
    const CK_RV rv = draft_add_number(m, draft, CKA_CLASS, cls);
    return rv == CKR_OK ? draft_add_number(m, draft, CKA_KEY_TYPE, type) : rv;
}

static RV generate(struct session *s, const struct mechanism *mech, const CK_MECHANISM *mechanism,
                   struct draft *draft, CK_OBJECT_HANDLE *key)
{
    const bool is_password = mech->type == CKM_PKCS5_PBKD2;
    size_t len;
    CK_KEY_TYPE type =
        is_password && draft_find(draft, CKA_KEY_TYPE) ? draft->key_type : mech->key_type;
    CK_RV rv = set_class(s->module, draft, CKO_SECRET_KEY, type);
    if (rv == CKR_OK)
        rv = wanted_len(draft, &len);
    if (rv != CKR_OK)
        return rv;
    uint8_t *secret = secret_new(s->module, len);
    if (!secret)
        return CKR_HOST_MEMORY;
    rv = is_password ? pbkdf2(mechanism, secret, len) : random_bytes(secret, len);
    if (rv == CKR_OK)
        rv = draft_add_number(s->module, draft, CKA_KEY_GEN_MECHANISM, mech->type);
    if (rv == CKR_OK)
        rv = secret_finish(s, draft, secret, len, GENERATED, NULL, key);
    secret_free(s->module, secret);
    return rv;
}

/* generator finds the session and the mechanism of a call. */
static RV generator(struct session **s, const struct mechanism **mech, CK_SESSION_HANDLE session,
                    const CK_MECHANISM *mechanism, CK_FLAGS flag)
{
    const CK_RV rv = session_get(s, session);
    if (rv != CKR_OK)
        return rv;
    if (!mechanism || (!mechanism->pParameter && mechanism->ulParameterLen))
        return CKR_ARGUMENTS_BAD;
    *mech = mechanism_find((*s)->module, (*s)->slot, mechanism->mechanism);
    return *mech && (*mech)->flags & flag ? CKR_OK : CKR_MECHANISM_INVALID;
}

CK_RV C_GenerateKey(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *template,
                    CK_ULONG num, CK_OBJECT_HANDLE *key)
{
    struct session *s;
    const struct mechanism *mech;
    CK_RV rv = generator(&s, &mech, session, mechanism, CKF_GENERATE);
    if (rv != CKR_OK)
        return rv;
    if (!key)
        return CKR_ARGUMENTS_BAD;
    if (mech->type != CKM_PKCS5_PBKD2 && mechanism->ulParameterLen)
        return CKR_MECHANISM_PARAM_INVALID;
    struct draft draft;
    rv = draft_read(&draft, template, num);
    if (rv == CKR_OK)
        rv = generate(s, mech, mechanism, &draft, key);
    draft_wipe(s->module, &draft);
    return rv;
}

/* ---- pairs ---- */

static RV make_pair(struct session *s, struct draft drafts[2], CK_OBJECT_HANDLE keys[2])
{
    CK_RV rv = CKR_OK;
    for (int i = 0; i < 2 && rv == CKR_OK; i++)
        rv = key_complete(s->module, &drafts[i]);
    if (rv == CKR_OK)
        rv = object_make(s, &drafts[0], &keys[0]);
    if (rv != CKR_OK)
        return rv;
    rv = object_make(s, &drafts[1], &keys[1]);
    if (rv != CKR_OK)
        (void)C_DestroyObject(s->handle, keys[0]);
    return rv;
}

static RV generate_pair(struct session *s, const struct mechanism *mech,
                        const CK_MECHANISM *mechanism, struct draft drafts[2],
                        CK_OBJECT_HANDLE keys[2])
{
    static const CK_OBJECT_CLASS classes[2] = { CKO_PUBLIC_KEY, CKO_PRIVATE_KEY };
    CK_RV rv = CKR_OK;
    for (int i = 0; i < 2 && rv == CKR_OK; i++) {
        rv = set_class(s->module, &drafts[i], classes[i], mech->key_type);
        if (rv == CKR_OK)
            rv = policy_complete(s, &drafts[i], GENERATED, NULL);
        if (rv == CKR_OK)
            rv = draft_add_number(s->module, &drafts[i], CKA_KEY_GEN_MECHANISM, mech->type);
    }
    if (rv == CKR_OK)
        rv = pk_generate(s->module, mech, mechanism, &drafts[0], &drafts[1]);
    return rv == CKR_OK ? make_pair(s, drafts, keys) : rv;
}

CK_RV C_GenerateKeyPair(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism,
                        CK_ATTRIBUTE *public_template, CK_ULONG num_public,
                        CK_ATTRIBUTE *private_template, CK_ULONG num_private,
                        CK_OBJECT_HANDLE *public_key, CK_OBJECT_HANDLE *private_key)
{
    struct session *s;
    const struct mechanism *mech;
    CK_RV rv = generator(&s, &mech, session, mechanism, CKF_GENERATE_KEY_PAIR);
    if (rv != CKR_OK)
        return rv;
    if (!public_key || !private_key)
        return CKR_ARGUMENTS_BAD;
    struct draft drafts[2] = { { 0 } };
    CK_OBJECT_HANDLE keys[2];
    rv = draft_read(&drafts[0], public_template, num_public);
    if (rv == CKR_OK)
        rv = draft_read(&drafts[1], private_template, num_private);
    if (rv == CKR_OK)
        rv = generate_pair(s, mech, mechanism, drafts, keys);
    draft_wipe(s->module, &drafts[0]);
    draft_wipe(s->module, &drafts[1]);
    if (rv == CKR_OK) {
        *public_key = keys[0];
        *private_key = keys[1];
    }
    return rv;
}
