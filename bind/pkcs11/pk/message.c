/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of a message as a whole: EdDSA, ML-DSA, SLH-DSA, and of its digest: HashML-DSA (FIPS
 * 204), HashSLH-DSA (FIPS 205).  Pieces of it are digested, or wait in op->more. */
#include "pk.h"
#include <headrace/algorithms.h>

/* ---- parameters: op->iv has this, op->u.message the context of op->aad_len bytes ---- */

struct parameter {
    uint32_t flags;
    hr_alg digest; /* of HashML-DSA and HashSLH-DSA */
    hr_alg hash;   /* of a message that is digested here */
};

static RV message_init(struct op *op, const CK_MECHANISM *mechanism)
{
    struct pk_message m;
    const CK_RV rv = pk_read_message(&m, op, mechanism);
    if (rv != CKR_OK)
        return rv;
    const struct parameter p = { m.flags, m.digest, m.hash };
    memcpy(op->iv, &p, sizeof p);
    op->aad_len = m.context_len;
    return CKR_OK;
}

static struct parameter parameter_of(const struct op *op)
{
    struct parameter p;
    memcpy(&p, op->iv, sizeof p);
    return p;
}

static struct hr_sign_options options_of(const struct op *op)
{
    const struct parameter p = parameter_of(op);
    return (struct hr_sign_options){ .flags = p.flags,
                                     .digest = p.digest,
                                     .context = op->aad_len ? op->u.message.context : NULL,
                                     .context_len = op->aad_len };
}

/* ---- the engine ---- */

static size_t message_size(const struct op *op, size_t len, enum op_stage stage)
{
    return hr_algorithm(op->alg)->out_len;
}

static RV message_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out,
                         size_t *out_len)
{
    const hr_alg hash = parameter_of(op).hash;
    return hash == HR_ALG_NONE ? op_keep(op, in, len) : pk_hash_update(op, hash, in, len);
}

static RV take(struct op *op, uint8_t digest[PK_HASH_MOST], const CK_BYTE **in, size_t *len)
{
    return pk_take(op, parameter_of(op).hash, digest, in, len);
}

static RV message_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct hr_sign_options options = options_of(op);
    uint8_t digest[PK_HASH_MOST];
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
    const struct hr_sign_options options = options_of(op);
    uint8_t digest[PK_HASH_MOST];
    const CK_RV rv = take(op, digest, &in, &len);
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
