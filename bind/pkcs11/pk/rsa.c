/* SPDX-License-Identifier: Apache-2.0 */
/* RSA: signatures, recovery and encryption.  PKCS#1's encryption rejects implicitly: a ciphertext
 * with bad padding gives a message that the key and the ciphertext determine. */
#include "pk.h"
#include <headrace/algorithms.h>

enum { MAX_MODULUS = 2048 };

CK_RV pk_make_rsa(struct module *m, const struct pk_source *from, void **form, hr_alg *alg)
{
    const struct hr_rsa_parts parts = { .n = pk_value(from, CKA_MODULUS),
                                        .e = pk_value(from, CKA_PUBLIC_EXPONENT),
                                        .d = pk_value(from, CKA_PRIVATE_EXPONENT),
                                        .p = pk_value(from, CKA_PRIME_1),
                                        .q = pk_value(from, CKA_PRIME_2),
                                        .dp = pk_value(from, CKA_EXPONENT_1),
                                        .dq = pk_value(from, CKA_EXPONENT_2),
                                        .qinv = pk_value(from, CKA_COEFFICIENT) };
    *form = secret_new(m, sizeof(struct hr_rsa_key));
    if (!*form)
        return CKR_HOST_MEMORY;
    const int error = from->cls == CKO_PRIVATE_KEY ? hr_rsa_key_init(*form, &parts)
                                                   : hr_rsa_key_init_public(*form, &parts);
    *alg = error ? HR_ALG_NONE : pk_row_of_size(HR_CLASS_RSA, hr_rsa_size(*form));
    return pk_finish_make(m, form, error);
}

PK_FORM(rsa_form, pk_make_rsa)

/* ---- parameters: op->iv has the options, op->more the label ---- */

static struct hr_rsa_options options_of(const struct op *op)
{
    struct hr_rsa_options options;
    static_assert(sizeof options <= sizeof op->iv, "room for the options");
    memcpy(&options, op->iv, sizeof options);
    options.label = op->more;
    options.label_len = op->mech->detail & PK_OAEP ? op->more_len : 0;
    return options;
}

static RV set_digests(struct hr_rsa_options *options, const struct pk_digest *digest, CK_ULONG mgf)
{
    const struct pk_digest *mgf_digest = pk_digest_of_mgf(digest, mgf);
    if (!digest || !mgf_digest)
        return CKR_MECHANISM_PARAM_INVALID;
    options->digest = digest->alg;
    options->mgf_digest = mgf_digest->alg;
    return CKR_OK;
}

static RV read_pss(struct op *op, const CK_MECHANISM *mechanism, struct hr_rsa_options *options)
{
    CK_RSA_PKCS_PSS_PARAMS p;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    const CK_RV rv = set_digests(options, pk_digest(PK_BY_TYPE, p.hashAlg), p.mgf);
    if (rv != CKR_OK || p.sLen > MAX_MODULUS ||
        (op->mech->digest && op->mech->digest != options->digest))
        return CKR_MECHANISM_PARAM_INVALID;
    options->padding = HR_RSA_PSS;
    options->salt_len = (int32_t)p.sLen;
    /* RFC 8017 section 9.1.1, step 3; digest and salt are beside two bytes at least. */
    return p.sLen + hr_algorithm(options->digest)->out_len + 2 > hr_rsa_size(op->form)
               ? CKR_MECHANISM_PARAM_INVALID
               : CKR_OK;
}

static RV read_oaep(struct op *op, const CK_MECHANISM *mechanism, struct hr_rsa_options *options)
{
    CK_RSA_PKCS_OAEP_PARAMS p;
    if (mechanism->ulParameterLen != sizeof p)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&p, mechanism->pParameter, sizeof p);
    if ((p.source && p.source != CKZ_DATA_SPECIFIED) || (!p.pSourceData && p.ulSourceDataLen) ||
        p.ulSourceDataLen > MAX_VALUE)
        return CKR_MECHANISM_PARAM_INVALID;
    options->padding = HR_RSA_OAEP;
    const CK_RV rv = set_digests(options, pk_digest_of_oaep(p.hashAlg), p.mgf);
    return rv == CKR_OK ? op_keep(op, p.pSourceData, p.ulSourceDataLen) : rv;
}

static RV rsa_init(struct op *op, const CK_MECHANISM *mechanism)
{
    struct hr_rsa_options options = { 0 };
    CK_RV rv;
    if (op->mech->detail & PK_PSS) {
        rv = read_pss(op, mechanism, &options);
    } else if (op->mech->detail & PK_OAEP) {
        rv = read_oaep(op, mechanism, &options);
    } else {
        rv = no_parameter(mechanism);
        options.padding = op->mech->detail & PK_RAW ? HR_RSA_NONE : HR_RSA_PKCS1;
        options.digest = op->mech->digest;
    }
    memcpy(op->iv, &options, sizeof options);
    return rv;
}

static size_t rsa_size(const struct op *op, size_t len, enum op_stage stage)
{
    return hr_rsa_size(op->form);
}

/* ---- signatures ---- */

/* with_zeros lengthens the input of raw RSA to that of the modulus. */
static const CK_BYTE *with_zeros(const struct op *op, uint8_t room[MAX_MODULUS], const CK_BYTE *in,
                                 size_t *len)
{
    const size_t size = hr_rsa_size(op->form);
    if (!(op->mech->detail & PK_RAW) || *len >= size)
        return in;
    memset(room, 0, size - *len);
    memcpy(room + size - *len, in, *len);
    *len = size;
    return room;
}

CK_RV pk_sign_rsa(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct hr_rsa_options options = options_of(op);
    uint8_t room[MAX_MODULUS];
    in = with_zeros(op, room, in, &len);
    const int error = hr_rsa_sign(out, out_len, in, len, op->form, &options);
    WIPE(&room);
    return error_of(error);
}

CK_RV pk_verify_rsa(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                    size_t sig_len)
{
    const struct hr_rsa_options options = options_of(op);
    const size_t size = hr_rsa_size(op->form);
    uint8_t room[MAX_MODULUS];
    in = with_zeros(op, room, in, &len);
    if (sig_len != size)
        return CKR_SIGNATURE_LEN_RANGE;
    return pk_verdict(hr_rsa_verify(sig, sig_len, in, len, op->form, &options), sig_len, size);
}

CK_RV pk_prepare_rsa(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to)
{
    if (op->mech->detail & PK_RAW)
        return CKR_FUNCTION_NOT_SUPPORTED;
    to->options.rsa = options_of(op);
    to->job.options = &to->options.rsa;
    return pk_prepare(op, in, len, to);
}

/* ---- encryption ---- */

static RV encrypt(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct hr_rsa_options options = options_of(op);
    uint8_t room[MAX_MODULUS];
    in = with_zeros(op, room, in, &len);
    if (*out_len < hr_rsa_size(op->form)) {
        *out_len = hr_rsa_size(op->form);
        return CKR_BUFFER_TOO_SMALL;
    }
    const int error = hr_rsa_encrypt(out, out_len, in, len, op->form, &options);
    WIPE(&room);
    return error_of(error);
}

/* decrypt keeps a message for which there is no room: the caller asks again. */
static RV decrypt(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct hr_rsa_options options = options_of(op);
    uint8_t message[MAX_MODULUS];
    size_t message_len = sizeof message;
    if (len != hr_rsa_size(op->form))
        return CKR_ENCRYPTED_DATA_LEN_RANGE;
    const int error = hr_rsa_decrypt(message, &message_len, in, len, op->form, &options);
    CK_RV rv = error == HR_ELENGTH ? CKR_ENCRYPTED_DATA_INVALID : error_of(error);
    if (rv == CKR_OK && message_len > *out_len)
        rv = CKR_BUFFER_TOO_SMALL;
    else if (rv == CKR_OK)
        memcpy(out, message, message_len);
    *out_len = message_len;
    WIPE(&message);
    return rv;
}

/* recover gives out what a signature says was signed. */
static RV recover(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct hr_rsa_options options = options_of(op);
    const size_t size = hr_rsa_size(op->form);
    if (len != size)
        return CKR_SIGNATURE_LEN_RANGE;
    return pk_verdict(hr_rsa_recover(out, out_len, in, len, op->form, &options), len, size);
}

static RV rsa_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    switch (op->kind) {
    case OP_SIGN:
    case OP_SIGN_RECOVER:
        return pk_sign_rsa(op, in, len, out, out_len);
    case OP_VERIFY_RECOVER:
        return recover(op, in, len, out, out_len);
    default:
        return (op->decrypts ? decrypt : encrypt)(op, in, len, out, out_len);
    }
}

const struct engine engine_rsa = { .init = rsa_init,
                                   .form = rsa_form,
                                   .size = rsa_size,
                                   .whole = rsa_whole,
                                   .prepare = pk_prepare_rsa,
                                   .verify = pk_verify_rsa };
const struct engine engine_rsa_hashed = {
    .init = rsa_init, .form = rsa_form, .size = rsa_size, PK_HASHED
};
