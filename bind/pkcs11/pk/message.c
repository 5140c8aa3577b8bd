/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of a message as a whole: EdDSA, ML-DSA, SLH-DSA, and of its digest: HashML-DSA (FIPS
 * 204), HashSLH-DSA (FIPS 205).  Pieces of it wait in op->more. */
#include "pk.h"
#include <headrace/algorithms.h>

enum { MAX_CONTEXT = 255 };

/* ---- parameters: op->iv has these, op->u.other the context of op->aad_len bytes ---- */

struct parameter {
    uint32_t flags;
    hr_alg digest; /* of HashML-DSA and HashSLH-DSA */
};

static RV set_options(struct op *op, struct parameter p, const CK_BYTE *context, CK_ULONG len)
{
    if (len > MAX_CONTEXT || (!context && len))
        return CKR_MECHANISM_PARAM_INVALID;
    if (p.digest)
        p.flags |= HR_SIGN_PREHASH;
    memcpy(op->iv, &p, sizeof p);
    op->aad_len = (uint32_t)len;
    if (len)
        memcpy(op->u.other, context, len);
    op->is_context = len != 0;
    return CKR_OK;
}

static struct hr_sign_options options_of(const struct op *op)
{
    struct parameter p;
    memcpy(&p, op->iv, sizeof p);
    return (struct hr_sign_options){ .flags = p.flags,
                                     .digest = p.digest,
                                     .context = op->aad_len ? op->u.other : NULL,
                                     .context_len = op->aad_len };
}

static RV eddsa_init(struct op *op, const CK_MECHANISM *mechanism)
{
    CK_EDDSA_PARAMS p;
    if (!mechanism->ulParameterLen)
        return set_options(op, (struct parameter){ 0 }, NULL, 0);
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    return set_options(op,
                       (struct parameter){ .flags = p.phFlag ? HR_SIGN_PREHASH : HR_SIGN_CONTEXT },
                       p.pContextData, p.ulContextDataLen);
}

/* read_hash reads the parameter of a mechanism whose message is a digest already. */
static RV read_hash(struct op *op, const CK_MECHANISM *mechanism)
{
    CK_HASH_SIGN_ADDITIONAL_CONTEXT p;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const struct pk_digest *digest = pk_digest(PK_BY_TYPE, p.hash);
    if (!digest || digest->alg == HR_SHA1 || p.hedgeVariant > CKH_DETERMINISTIC_REQUIRED)
        return CKR_MECHANISM_PARAM_INVALID;
    const bool is_fixed = p.hedgeVariant == CKH_DETERMINISTIC_REQUIRED;
    return set_options(op, (struct parameter){ is_fixed ? HR_SIGN_DETERMINISTIC : 0, digest->alg },
                       p.pContext, p.ulContextLen);
}

static RV message_init(struct op *op, const CK_MECHANISM *mechanism)
{
    CK_SIGN_ADDITIONAL_CONTEXT p;
    if (op->mech->type == CKM_EDDSA)
        return eddsa_init(op, mechanism);
    if (op->mech->detail & PK_DIGEST)
        return read_hash(op, mechanism);
    if (!mechanism->ulParameterLen)
        return set_options(op, (struct parameter){ 0, op->mech->digest }, NULL, 0);
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    if (p.hedgeVariant > CKH_DETERMINISTIC_REQUIRED)
        return CKR_MECHANISM_PARAM_INVALID;
    const bool is_fixed = p.hedgeVariant == CKH_DETERMINISTIC_REQUIRED;
    return set_options(op,
                       (struct parameter){ is_fixed ? HR_SIGN_DETERMINISTIC : 0, op->mech->digest },
                       p.pContext, p.ulContextLen);
}

/* ---- the engine ---- */

static size_t message_size(const struct op *op, size_t len, enum op_stage stage)
{
    return hr_algorithm(op->alg)->out_len;
}

/* squeeze digests by SHAKE128 or SHAKE256, as long as both standards say. */
static RV squeeze(uint8_t digest[64], size_t *digest_len, hr_alg alg, const CK_BYTE *in, size_t len)
{
    struct hr_xof_ctx ctx;
    *digest_len = alg == HR_SHAKE128 ? 32 : 64;
    int error = hr_xof_init(&ctx, alg);
    if (!error)
        error = hr_xof_update(&ctx, in, len);
    if (!error)
        error = hr_xof_squeeze(&ctx, digest, *digest_len);
    WIPE(&ctx);
    return error_of(error);
}

/* prehash takes the digest of the message in its place, unless it is one, for Ed25519ph, HashML-DSA
 * and HashSLH-DSA. */
static RV prehash(const struct op *op, const struct hr_sign_options *options, uint8_t digest[64],
                  const CK_BYTE **in, size_t *len)
{
    const hr_alg alg = options->digest ? options->digest : HR_SHA512;
    const bool is_xof = alg == HR_SHAKE128 || alg == HR_SHAKE256;
    if (!(options->flags & HR_SIGN_PREHASH) || op->mech->detail & PK_DIGEST)
        return CKR_OK;
    size_t digest_len = is_xof ? 0 : hr_algorithm(alg)->out_len;
    const CK_RV rv = is_xof ? squeeze(digest, &digest_len, alg, *in, *len)
                            : error_of(hr_digest(digest, alg, *in, *len));
    *in = digest;
    *len = digest_len;
    return rv;
}

static RV message_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct hr_sign_options options = options_of(op);
    uint8_t digest[64];
    const CK_RV rv = prehash(op, &options, digest, &in, &len);
    return rv == CKR_OK ? error_of(hr_sign(out, out_len, in, len, op->form, &options)) : rv;
}

static RV message_verify(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                         size_t sig_len)
{
    struct hr_sign_options options = options_of(op);
    uint8_t digest[64];
    const CK_RV rv = prehash(op, &options, digest, &in, &len);
    options.flags &= ~(uint32_t)HR_SIGN_DETERMINISTIC;
    return rv == CKR_OK ? pk_verdict(hr_verify(sig, sig_len, in, len, op->form, &options), sig_len,
                                     hr_algorithm(op->alg)->out_len)
                        : rv;
}

static RV message_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out,
                         size_t *out_len)
{
    return op_keep(op, in, len);
}

/* The signature of C_VerifySignatureInit lies before the message. */
static const CK_BYTE *kept(const struct op *op, size_t *len)
{
    *len = op->more_len - op->sig_len;
    return *len ? op->more + op->sig_len : (const CK_BYTE *)"";
}

static RV message_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    size_t len;
    const CK_BYTE *in = kept(op, &len);
    return message_whole(op, in, len, out, out_len);
}

static RV message_verify_final(struct op *op, const CK_BYTE *sig, size_t sig_len)
{
    size_t len;
    const CK_BYTE *in = kept(op, &len);
    return message_verify(op, in, len, sig, sig_len);
}

/* message_prepare leaves a message in pieces in op->more. */
static RV message_prepare(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to)
{
    if (!in)
        in = kept(op, &len);
    to->options.sign = options_of(op);
    to->job.options = &to->options.sign;
    const CK_RV rv = prehash(op, &to->options.sign, to->digest, &in, &len);
    return rv == CKR_OK ? pk_prepare(op, in, len, to) : rv;
}

PK_FORM(message_form, pk_make_signer)

const struct engine engine_message = { .init = message_init,
                                       .form = message_form,
                                       .size = message_size,
                                       .whole = message_whole,
                                       .update = message_update,
                                       .final = message_final,
                                       .prepare = message_prepare,
                                       .verify = message_verify,
                                       .verify_final = message_verify_final };
