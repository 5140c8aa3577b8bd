/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of EdDSA, ML-DSA and SLH-DSA, and digests that are signed instead of messages: by
 * Ed25519ph, HashML-DSA (FIPS 204), HashSLH-DSA (FIPS 205), and by the accelerator. */
#include "pk.h"
#include <headrace/algorithms.h>

enum { MAX_CONTEXT = 255 };

/* ---- parameters ---- */

static RV set_context(struct pk_message *out, struct op *op, const CK_BYTE *context, CK_ULONG len)
{
    if (len > MAX_CONTEXT || (!context && len))
        return CKR_MECHANISM_PARAM_INVALID;
    out->context_len = (uint32_t)len;
    if (len) {
        memcpy(op->u.message.context, context, len);
        op->is_context = 1;
    }
    return CKR_OK;
}

static RV read_eddsa(struct pk_message *out, struct op *op, const CK_MECHANISM *mechanism)
{
    CK_EDDSA_PARAMS p;
    if (!mechanism->ulParameterLen)
        return CKR_OK;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    out->flags = p.phFlag ? HR_SIGN_PREHASH : HR_SIGN_CONTEXT;
    out->hash = p.phFlag ? HR_SHA512 : HR_ALG_NONE;
    return set_context(out, op, p.pContextData, p.ulContextDataLen);
}

static RV set_hedge(struct pk_message *out, const struct op *op, CK_ULONG hedge)
{
    if (hedge == CKH_DETERMINISTIC_REQUIRED && op->kind == OP_SIGN)
        out->flags |= HR_SIGN_DETERMINISTIC;
    return hedge > CKH_DETERMINISTIC_REQUIRED ? CKR_MECHANISM_PARAM_INVALID : CKR_OK;
}

/* read_of_digest reads the parameter of a mechanism whose message is a digest already. */
static RV read_of_digest(struct pk_message *out, struct op *op, const CK_MECHANISM *mechanism)
{
    CK_HASH_SIGN_ADDITIONAL_CONTEXT p;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const struct pk_digest *digest = pk_digest(PK_BY_TYPE, p.hash);
    if (!digest || digest->alg == HR_SHA1)
        return CKR_MECHANISM_PARAM_INVALID;
    out->flags = HR_SIGN_PREHASH;
    out->digest = digest->alg;
    const CK_RV rv = set_hedge(out, op, p.hedgeVariant);
    return rv == CKR_OK ? set_context(out, op, p.pContext, p.ulContextLen) : rv;
}

static RV read_of_message(struct pk_message *out, struct op *op, const CK_MECHANISM *mechanism)
{
    CK_SIGN_ADDITIONAL_CONTEXT p;
    out->flags = op->mech->digest ? HR_SIGN_PREHASH : 0;
    out->digest = out->hash = op->mech->digest;
    if (!mechanism->ulParameterLen)
        return CKR_OK;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const CK_RV rv = set_hedge(out, op, p.hedgeVariant);
    return rv == CKR_OK ? set_context(out, op, p.pContext, p.ulContextLen) : rv;
}

CK_RV pk_read_message(struct pk_message *out, struct op *op, const CK_MECHANISM *mechanism)
{
    *out = (struct pk_message){ .flags = 0 };
    op->u.message.is_begun = false;
    if (op->mech->type == CKM_EDDSA)
        return read_eddsa(out, op, mechanism);
    return op->mech->detail & PK_DIGEST ? read_of_digest(out, op, mechanism)
                                        : read_of_message(out, op, mechanism);
}

/* ---- digests ---- */

static bool is_xof(hr_alg hash)
{
    return hash == HR_SHAKE128 || hash == HR_SHAKE256;
}

CK_RV pk_hash_update(struct op *op, hr_alg hash, const CK_BYTE *in, size_t len)
{
    struct hr_digest_ctx *digest = &op->u.message.hash.digest;
    struct hr_xof_ctx *xof = &op->u.message.hash.xof;
    int error = 0;
    if (!op->u.message.is_begun)
        error = is_xof(hash) ? hr_xof_init(xof, hash) : hr_digest_init(digest, hash);
    if (error)
        return error_of(error);
    op->u.message.is_begun = true;
    op->is_context = 1;
    return error_of(is_xof(hash) ? hr_xof_update(xof, in, len) : hr_digest_update(digest, in, len));
}

/* The standards have twice the strength of SHAKE as its digest's length. */
static RV end(struct op *op, hr_alg hash, uint8_t digest[PK_HASH_MOST], size_t *len)
{
    *len = hr_algorithm(hash)->out_len;
    if (!is_xof(hash))
        return error_of(hr_digest_final(&op->u.message.hash.digest, digest));
    *len = hash == HR_SHAKE128 ? 32 : 64;
    return error_of(hr_xof_squeeze(&op->u.message.hash.xof, digest, *len));
}

static RV take_digest(struct op *op, hr_alg hash, uint8_t digest[PK_HASH_MOST], const CK_BYTE **in,
                      size_t *len)
{
    const CK_RV rv = *in ? pk_hash_update(op, hash, *in, *len)
                         : pk_hash_update(op, hash, (const CK_BYTE *)"", 0);
    *in = digest;
    return rv == CKR_OK ? end(op, hash, digest, len) : rv;
}

CK_RV pk_take(struct op *op, hr_alg hash, uint8_t digest[PK_HASH_MOST], const CK_BYTE **in,
              size_t *len)
{
    if (hash != HR_ALG_NONE)
        return take_digest(op, hash, digest, in, len);
    if (!*in) { /* the signature of C_VerifySignatureInit lies before */
        *len = op->more_len - op->sig_len;
        *in = *len ? op->more + op->sig_len : (const CK_BYTE *)"";
    }
    return CKR_OK;
}
