/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of a message as a whole: EdDSA, ML-DSA, SLH-DSA, and of its digest: HashML-DSA (FIPS
 * 204), HashSLH-DSA (FIPS 205).  Pieces of it are digested, or wait in op->more. */
#include "pk.h"
#include <headrace/algorithms.h>

enum { MAX_CONTEXT = 255 };

/* ---- parameters: op->iv has these, op->u.message the context of op->aad_len bytes ---- */

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
        memcpy(op->u.message.context, context, len);
    op->u.message.is_begun = false;
    op->is_context = len != 0;
    return CKR_OK;
}

static struct hr_sign_options options_of(const struct op *op)
{
    struct parameter p;
    memcpy(&p, op->iv, sizeof p);
    return (struct hr_sign_options){ .flags = p.flags,
                                     .digest = p.digest,
                                     .context = op->aad_len ? op->u.message.context : NULL,
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

/* ---- the digest, of Ed25519ph, HashML-DSA and HashSLH-DSA ---- */

enum { XOF_OUT = 64 };

/* hash_of returns the digest that is signed instead of the message; HR_ALG_NONE: none is, or the
 * message is one already. */
static hr_alg hash_of(const struct op *op)
{
    const struct hr_sign_options options = options_of(op);
    if (!(options.flags & HR_SIGN_PREHASH) || op->mech->detail & PK_DIGEST)
        return HR_ALG_NONE;
    return options.digest ? options.digest : HR_SHA512;
}

static bool is_xof(hr_alg alg)
{
    return alg == HR_SHAKE128 || alg == HR_SHAKE256;
}

static RV hash_update(struct op *op, hr_alg alg, const CK_BYTE *in, size_t len)
{
    int error = 0;
    if (!op->u.message.is_begun)
        error = is_xof(alg) ? hr_xof_init(&op->u.message.hash.xof, alg)
                            : hr_digest_init(&op->u.message.hash.digest, alg);
    if (error)
        return error_of(error);
    op->u.message.is_begun = true;
    op->is_context = 1;
    return error_of(is_xof(alg) ? hr_xof_update(&op->u.message.hash.xof, in, len)
                                : hr_digest_update(&op->u.message.hash.digest, in, len));
}

/* hash_final writes the digest, of SHAKE128 and SHAKE256 as long as both standards say. */
static RV hash_final(struct op *op, hr_alg alg, uint8_t digest[XOF_OUT], size_t *len)
{
    *len = hr_algorithm(alg)->out_len;
    if (is_xof(alg))
        *len = alg == HR_SHAKE128 ? 32 : XOF_OUT;
    return error_of(is_xof(alg) ? hr_xof_squeeze(&op->u.message.hash.xof, digest, *len)
                                : hr_digest_final(&op->u.message.hash.digest, digest));
}

/* ---- the engine ---- */

static size_t message_size(const struct op *op, size_t len, enum op_stage stage)
{
    return hr_algorithm(op->alg)->out_len;
}

static RV message_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out,
                         size_t *out_len)
{
    const hr_alg alg = hash_of(op);
    return alg == HR_ALG_NONE ? op_keep(op, in, len) : hash_update(op, alg, in, len);
}

/* take points to what is signed: the last piece of a message, or all of it, or its digest.  Pieces
 * that were kept lie behind the signature of C_VerifySignatureInit; without a last one `in` is
 * NULL. */
static RV take(struct op *op, uint8_t digest[XOF_OUT], const CK_BYTE **in, size_t *len)
{
    const hr_alg alg = hash_of(op);
    const bool is_kept = !*in;
    if (alg != HR_ALG_NONE) {
        const CK_RV rv = hash_update(op, alg, is_kept ? (const CK_BYTE *)"" : *in, *len);
        *in = digest;
        return rv == CKR_OK ? hash_final(op, alg, digest, len) : rv;
    }
    if (is_kept) {
        *len = op->more_len - op->sig_len;
        *in = *len ? op->more + op->sig_len : (const CK_BYTE *)"";
    }
    return CKR_OK;
}

static RV message_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct hr_sign_options options = options_of(op);
    uint8_t digest[XOF_OUT];
    const CK_RV rv = take(op, digest, &in, &len);
    return rv == CKR_OK ? error_of(hr_sign(out, out_len, in, len, op->form, &options)) : rv;
}

static RV message_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    return message_whole(op, NULL, 0, out, out_len);
}

static RV message_verify(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                         size_t sig_len)
{
    struct hr_sign_options options = options_of(op);
    uint8_t digest[XOF_OUT];
    const CK_RV rv = take(op, digest, &in, &len);
    options.flags &= ~(uint32_t)HR_SIGN_DETERMINISTIC;
    return rv == CKR_OK ? pk_verdict(hr_verify(sig, sig_len, in, len, op->form, &options), sig_len,
                                     hr_algorithm(op->alg)->out_len)
                        : rv;
}

static RV message_verify_final(struct op *op, const CK_BYTE *sig, size_t sig_len)
{
    return message_verify(op, NULL, 0, sig, sig_len);
}

static RV message_prepare(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to)
{
    to->options.sign = options_of(op);
    to->job.options = &to->options.sign;
    const CK_RV rv = take(op, to->digest, &in, &len);
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
