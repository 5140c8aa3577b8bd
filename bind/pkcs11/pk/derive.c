/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement on secrets, and encapsulation. */
#include "pk.h"
#include <headrace/algorithms.h>

PK_FORM(ecdh_form, pk_make_agreer)
PK_FORM(dh_form, pk_make_dh)
PK_FORM(kem_form, pk_make_kem)

enum { MAX_SHARED = 1024 }; /* DH modulo 8,192 bits */

/* peer_error translates what is wrong with the other party's key. */
static CK_RV peer_error(int error)
{
    return error == HR_EKEY || error == HR_EKEYLEN ? CKR_PUBLIC_KEY_INVALID : error_of(error);
}

/* take_last leaves the last `wanted` bytes of a secret, as both mechanisms say; 0: all. */
static RV take_last(uint8_t *secret, size_t len, size_t *wanted)
{
    if (*wanted > len)
        return CKR_KEY_SIZE_RANGE;
    if (*wanted)
        memmove(secret, secret + len - *wanted, *wanted);
    else
        *wanted = len;
    return CKR_OK;
}

/* ---- ECDH and X25519 ---- */

/* x963 is the derivation of ANSI X9.63: digests of the secret, a counter, and what both know. */
static RV x963(uint8_t *out, size_t out_len, hr_alg alg, const uint8_t *secret, size_t len,
               const CK_ECDH1_DERIVE_PARAMS *p)
{
    struct hr_digest_ctx ctx;
    uint8_t digest[HR_DIGEST_MAX_OUT];
    const size_t step = hr_algorithm(alg)->out_len;
    int error = 0;
    for (uint32_t i = 0; i * step < out_len && !error; i++) {
        const uint32_t n = i + 1;
        const uint8_t counter[4] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
                                     (uint8_t)n };
        const size_t left = out_len - i * step;
        error = hr_digest_init(&ctx, alg);
        if (!error)
            error = hr_digest_update(&ctx, secret, len);
        if (!error)
            error = hr_digest_update(&ctx, counter, sizeof counter);
        if (!error && p->ulSharedDataLen)
            error = hr_digest_update(&ctx, p->pSharedData, p->ulSharedDataLen);
        if (!error)
            error = hr_digest_final(&ctx, digest);
        if (!error)
            memcpy(out + i * step, digest, left < step ? left : step);
    }
    WIPE(&ctx);
    WIPE(&digest);
    return error_of(error);
}

static RV ecdh_init(struct op *op, const CK_MECHANISM *mechanism)
{
    CK_ECDH1_DERIVE_PARAMS p;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const bool is_plain = p.kdf == CKD_NULL;
    if (!p.pPublicData || (!is_plain && !pk_digest(PK_BY_KDF, p.kdf)) ||
        (is_plain && p.ulSharedDataLen) || (!p.pSharedData && p.ulSharedDataLen) ||
        p.ulSharedDataLen > MAX_VALUE)
        return CKR_MECHANISM_PARAM_INVALID;
    return CKR_OK;
}

static RV agree(const struct op *op, const CK_ECDH1_DERIVE_PARAMS *p, uint8_t *shared, size_t *len)
{
    const struct hr_algorithm *row = hr_algorithm(op->alg);
    const struct pk_curve curve = { .type = op->alg == HR_X25519 ? CKK_EC_MONTGOMERY : CKK_EC,
                                    .len = row->key_len };
    const struct hr_number given = { p->pPublicData, p->ulPublicDataLen },
                           point = pk_point_of(&curve, given);
    return peer_error(hr_agree(shared, len, point.bytes, point.len, op->form));
}

static RV ecdh_derive(struct op *op, const CK_MECHANISM *mechanism, uint8_t *secret, size_t *len)
{
    CK_ECDH1_DERIVE_PARAMS p;
    uint8_t shared[128];
    size_t shared_len = sizeof shared;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const struct pk_digest *kdf = p.kdf == CKD_NULL ? NULL : pk_digest(PK_BY_KDF, p.kdf);
    CK_RV rv = agree(op, &p, shared, &shared_len);
    if (rv == CKR_OK && kdf) {
        *len = *len ? *len : hr_algorithm(kdf->alg)->out_len;
        rv = x963(secret, *len, kdf->alg, shared, shared_len, &p);
    } else if (rv == CKR_OK) {
        memcpy(secret, shared, shared_len);
        rv = take_last(secret, shared_len, len);
    }
    op_count(op, shared_len);
    WIPE(&shared);
    return rv;
}

const struct engine engine_ecdh = { .init = ecdh_init, .form = ecdh_form, .derive = ecdh_derive };

/* ---- DH: the parameter is the other party's public key ---- */

static RV dh_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return mechanism->ulParameterLen ? CKR_OK : CKR_MECHANISM_PARAM_INVALID;
}

static RV dh_derive(struct op *op, const CK_MECHANISM *mechanism, uint8_t *secret, size_t *len)
{
    size_t shared_len = MAX_SHARED;
    const CK_RV rv = peer_error(hr_dh_agree(secret, &shared_len, mechanism->pParameter,
                                            mechanism->ulParameterLen, op->form, 0));
    op_count(op, shared_len);
    return rv == CKR_OK ? take_last(secret, shared_len, len) : rv;
}

const struct engine engine_dh = { .init = dh_init, .form = dh_form, .derive = dh_derive };

/* ---- ML-KEM ---- */

static RV kem_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return no_parameter(mechanism);
}

static size_t kem_size(const struct op *op, size_t len, enum op_stage stage)
{
    return hr_kem_ciphertext_len(op->alg);
}

static RV kem_encapsulate(struct op *op, CK_BYTE *ciphertext, size_t *ciphertext_len,
                          uint8_t *secret, size_t *len)
{
    *len = HR_KEM_SECRET_LEN;
    op_count(op, *len);
    return error_of(hr_kem_encapsulate(ciphertext, ciphertext_len, secret, op->form, NULL));
}

static RV kem_decapsulate(struct op *op, const CK_BYTE *ciphertext, size_t ciphertext_len,
                          uint8_t *secret, size_t *len)
{
    *len = HR_KEM_SECRET_LEN;
    op_count(op, *len);
    const int error = hr_kem_decapsulate(secret, ciphertext, ciphertext_len, op->form);
    return error == HR_ELENGTH ? CKR_ENCRYPTED_DATA_LEN_RANGE : error_of(error);
}

const struct engine engine_kem = { .init = kem_init,
                                   .form = kem_form,
                                   .size = kem_size,
                                   .encapsulate = kem_encapsulate,
                                   .decapsulate = kem_decapsulate };
