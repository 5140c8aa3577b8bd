/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of a digest of the message: RSA, ECDSA, DSA. */
#include "pk.h"
#include <headrace/algorithms.h>

const struct pk_digest *pk_digest(enum pk_digest_member by, CK_ULONG value)
{
    static const struct pk_digest digests[] = {
        { CKM_SHA_1, HR_SHA1, CKG_MGF1_SHA1, CKD_SHA1_KDF },
        { CKM_SHA224, HR_SHA224, CKG_MGF1_SHA224, CKD_SHA224_KDF },
        { CKM_SHA256, HR_SHA256, CKG_MGF1_SHA256, CKD_SHA256_KDF },
        { CKM_SHA384, HR_SHA384, CKG_MGF1_SHA384, CKD_SHA384_KDF },
        { CKM_SHA512, HR_SHA512, CKG_MGF1_SHA512, CKD_SHA512_KDF },
        { CKM_SHA3_224, HR_SHA3_224, CKG_MGF1_SHA3_224, CKD_SHA3_224_KDF },
        { CKM_SHA3_256, HR_SHA3_256, CKG_MGF1_SHA3_256, CKD_SHA3_256_KDF },
        { CKM_SHA3_384, HR_SHA3_384, CKG_MGF1_SHA3_384, CKD_SHA3_384_KDF },
        { CKM_SHA3_512, HR_SHA3_512, CKG_MGF1_SHA3_512, CKD_SHA3_512_KDF },
    };
    for (size_t i = 0; i < COUNT(digests); i++) {
        const struct pk_digest *d = &digests[i];
        const CK_ULONG members[] = { d->type, d->mgf, d->kdf };
        if (members[by] == value)
            return d;
    }
    return NULL;
}

/* ---- the engine ---- */

static const struct scheme {
    CK_KEY_TYPE type;
    pk_sign_fn *sign;
    engine_verify_fn *verify;
    CK_RV (*prepare)(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to);
} schemes[] = {
    { CKK_RSA, pk_sign_rsa, pk_verify_rsa, pk_prepare_rsa },
    { CKK_EC, pk_sign_ecdsa, pk_verify_ecdsa, pk_prepare },
    { CKK_DSA, pk_sign_dsa, pk_verify_dsa, pk_prepare },
};

static const struct scheme *scheme_of(const struct op *op)
{
    const struct scheme *scheme = schemes;
    while (scheme->type != op->mech->key_type)
        scheme++;
    return scheme;
}

static size_t digest_len(const struct op *op)
{
    return hr_algorithm(op->mech->digest)->out_len;
}

CK_RV pk_hashed_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    if (!op->is_context) {
        const int error = hr_digest_init(&op->u.digest, op->mech->digest);
        if (error)
            return error_of(error);
        op->is_context = 1;
    }
    return error_of(hr_digest_update(&op->u.digest, in, len));
}

static RV finish_digest(struct op *op, uint8_t digest[HR_DIGEST_MAX_OUT])
{
    const CK_RV rv = pk_hashed_update(op, (const CK_BYTE *)"", 0, NULL, NULL);
    return rv == CKR_OK ? error_of(hr_digest_final(&op->u.digest, digest)) : rv;
}

CK_RV pk_hashed_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    uint8_t digest[HR_DIGEST_MAX_OUT];
    const CK_RV rv = error_of(hr_digest(digest, op->mech->digest, in, len));
    return rv == CKR_OK ? scheme_of(op)->sign(op, digest, digest_len(op), out, out_len) : rv;
}

CK_RV pk_hashed_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    uint8_t digest[HR_DIGEST_MAX_OUT];
    const CK_RV rv = finish_digest(op, digest);
    return rv == CKR_OK ? scheme_of(op)->sign(op, digest, digest_len(op), out, out_len) : rv;
}

CK_RV pk_hashed_verify(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                       size_t sig_len)
{
    uint8_t digest[HR_DIGEST_MAX_OUT];
    const CK_RV rv = error_of(hr_digest(digest, op->mech->digest, in, len));
    return rv == CKR_OK ? scheme_of(op)->verify(op, digest, digest_len(op), sig, sig_len) : rv;
}

CK_RV pk_hashed_verify_final(struct op *op, const CK_BYTE *sig, size_t sig_len)
{
    uint8_t digest[HR_DIGEST_MAX_OUT];
    const CK_RV rv = finish_digest(op, digest);
    return rv == CKR_OK ? scheme_of(op)->verify(op, digest, digest_len(op), sig, sig_len) : rv;
}

/* ---- jobs ---- */

CK_RV pk_prepare(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to)
{
    to->job.alg = (uint16_t)op->alg;
    to->job.op = HR_JOB_SIGN;
    to->job.key_form = HR_KEY_OBJECT;
    to->job.key = op->form;
    to->job.in = in;
    to->job.len = len;
    return CKR_OK;
}

CK_RV pk_prepare_hashed(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to)
{
    const CK_RV rv = in ? error_of(hr_digest(to->digest, op->mech->digest, in, len))
                        : finish_digest(op, to->digest);
    return rv == CKR_OK ? scheme_of(op)->prepare(op, to->digest, digest_len(op), to) : rv;
}
