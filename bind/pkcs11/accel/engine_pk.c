/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of public key: the service signs and decrypts, by the terms of the key, and this
 * process verifies and encrypts.  Messages are digested here. */
#include "../async.h"
#include "../pk/pk.h"
#include "accel.h"
#include "public.h"
#include <headrace/algorithms.h>
#include <headrace/rsa.h>

enum { MAX_MESSAGE = 4096, MAX_LABEL = 1024, MAX_RSA = 2048 };

#define P11_MECHANISM(type, row, engine, key, other, min, max, flags, detail, digest) \
    { type, "CKM_" #row, engine, CKK_##key, CKK_##other, min, max, detail, flags, HR_##digest },
const struct mechanism accel_mechanisms[] = {
#include "mechanism.def"
};
const size_t accel_num_mechanisms = COUNT(accel_mechanisms);

/* ---- forms of a key ---- */

struct form_pk {
    struct accel_named *named; /* of a private key */
    size_t result_len;
    _Alignas(64) uint8_t key[]; /* of a public key */
};

static size_t key_size(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_RSA ? sizeof(struct hr_rsa_key) : hr_sign_key_size(row->alg);
}

static int key_init(void *key, const struct public_key *p)
{
    const struct hr_rsa_parts parts = { .n = { p->n.at, p->n.len }, .e = { p->e.at, p->e.len } };
    return p->type == CKK_RSA ? hr_rsa_key_init_public(key, &parts)
                              : hr_sign_key_init_public(key, p->alg, p->bytes.at, p->bytes.len);
}

static RV pk_form(const struct mechanism *mech, struct module *m, const struct object *key,
                  void **form, hr_alg *alg)
{
    struct accel_named *named = accel_of(key);
    struct public_key public;
    size_t len;
    const uint8_t *spki = object_value(key, CKA_PUBLIC_KEY_INFO, &len);
    const bool is_private = key->cls == CKO_PRIVATE_KEY;
    if (!named || !spki || !public_parse(&public, named->key.alg, spki, len))
        return CKR_KEY_TYPE_INCONSISTENT;
    *alg = named->key.alg;
    const struct hr_algorithm *row = hr_algorithm(*alg);
    struct form_pk *f = secret_new(m, sizeof *f + (is_private ? 0 : key_size(row)));
    if (!f)
        return CKR_HOST_MEMORY;
    f->result_len = public.type == CKK_RSA ? public.n.len : row->out_len;
    f->named = is_private ? named : NULL;
    const int error = is_private ? 0 : key_init(f->key, &public);
    if (error)
        secret_free(m, f);
    *form = f;
    return error_of(error);
}

static size_t result_len(const struct op *op)
{
    return ((const struct form_pk *)op->form)->result_len;
}

/* ---- parameters: op->iv has this, op->u.message.context the context, op->more the label ---- */

struct parameter {
    hr_alg digest, mgf_digest;
    hr_alg hash; /* by which this process digests the message, or HR_ALG_NONE */
    int32_t salt_len;
    uint32_t flags, context_len;
};

static struct parameter parameter_of(const struct op *op)
{
    struct parameter p;
    static_assert(sizeof p <= sizeof op->iv, "room for the parameter");
    memcpy(&p, op->iv, sizeof p);
    return p;
}

/* copy copies a parameter of this length, or returns false. */
static bool copy(void *params, size_t len, const CK_MECHANISM *mechanism)
{
    if (mechanism->ulParameterLen != len)
        return false;
    memcpy(params, mechanism->pParameter, len);
    return true;
}

/* take_digests takes the digests of PSS or OAEP. */
static bool take_digests(const struct op *op, struct parameter *p, const struct pk_digest *digest,
                         CK_RSA_PKCS_MGF_TYPE mgf)
{
    const struct pk_digest *mgf_digest = pk_digest_of_mgf(digest, mgf);
    if (!digest || !mgf_digest)
        return false;
    p->digest = digest->alg;
    p->mgf_digest = mgf_digest->alg;
    return !op->mech->digest || op->mech->digest == p->digest;
}

static RV read_pss(struct op *op, struct parameter *p, const CK_MECHANISM *mechanism)
{
    CK_RSA_PKCS_PSS_PARAMS params;
    if (!copy(&params, sizeof params, mechanism) || params.sLen > MAX_RSA ||
        !take_digests(op, p, pk_digest(PK_BY_TYPE, params.hashAlg), params.mgf))
        return CKR_MECHANISM_PARAM_INVALID;
    p->salt_len = (int32_t)params.sLen;
    /* RFC 8017 section 9.1.1, step 3; digest and salt are beside two bytes at least. */
    const size_t len = params.sLen + hr_algorithm(p->digest)->out_len + 2;
    return len > result_len(op) ? CKR_MECHANISM_PARAM_INVALID : CKR_OK;
}

static RV read_oaep(struct op *op, struct parameter *p, const CK_MECHANISM *mechanism)
{
    CK_RSA_PKCS_OAEP_PARAMS params;
    if (!copy(&params, sizeof params, mechanism) || params.ulSourceDataLen > MAX_LABEL ||
        !take_digests(op, p, pk_digest_of_oaep(params.hashAlg), params.mgf))
        return CKR_MECHANISM_PARAM_INVALID;
    if ((params.source && params.source != CKZ_DATA_SPECIFIED) ||
        (params.ulSourceDataLen && !params.pSourceData))
        return CKR_MECHANISM_PARAM_INVALID;
    op->aad_len = (uint32_t)params.ulSourceDataLen;
    return op->aad_len ? op_keep(op, params.pSourceData, op->aad_len) : CKR_OK;
}

/* read_message reads the parameter of EdDSA or ML-DSA. */
static RV read_message(struct op *op, struct parameter *p, const CK_MECHANISM *mechanism)
{
    struct pk_message m;
    const CK_RV rv = pk_read_message(&m, op, mechanism);
    p->digest = m.digest;
    p->hash = m.hash;
    p->flags = m.flags;
    p->context_len = m.context_len;
    return rv;
}

static RV pk_init(struct op *op, const CK_MECHANISM *mechanism)
{
    struct parameter p = { .digest = op->mech->digest, .hash = op->mech->digest };
    CK_RV rv;
    op->aad_len = 0;
    op->u.message.is_begun = false;
    if (op->mech->detail == HR_RSA_PSS)
        rv = read_pss(op, &p, mechanism);
    else if (op->mech->detail == HR_RSA_OAEP)
        rv = read_oaep(op, &p, mechanism);
    else if (op->mech->key_type == CKK_EC_EDWARDS || op->mech->key_type == CKK_ML_DSA)
        rv = read_message(op, &p, mechanism);
    else
        rv = no_parameter(mechanism);
    memcpy(op->iv, &p, sizeof p);
    return rv;
}

/* struct options has room for what a job's options may be. */
struct options {
    struct hr_rsa_options rsa;
    struct hr_sign_options sign;
    const void *which;
};

static void options_of(struct options *out, const struct op *op)
{
    const struct parameter p = parameter_of(op);
    const bool is_rsa = op->mech->key_type == CKK_RSA;
    *out = (struct options){
        .rsa = { .padding = (enum hr_rsa_padding)op->mech->detail,
                 .digest = p.digest,
                 .mgf_digest = p.mgf_digest,
                 .salt_len = p.salt_len,
                 .label = op->aad_len ? op->more : NULL,
                 .label_len = op->aad_len },
        .sign = { .flags = p.flags,
                  .digest = p.digest,
                  .context = p.context_len ? op->u.message.context : NULL,
                  .context_len = p.context_len },
    };
    out->which = is_rsa ? (const void *)&out->rsa : p.flags || p.context_len ? &out->sign : NULL;
}

/* ---- signatures ---- */

static size_t pk_size(const struct op *op, size_t len, enum op_stage stage)
{
    return result_len(op);
}

static int run_job(void *job, uint64_t handle)
{
    ((struct hr_job *)job)->handle = handle;
    return client_get()->hr_accel_run(job);
}

static int do_nothing(void *what, uint64_t handle)
{
    return 0;
}

/* run runs a job of which all but the key is set. */
static RV run(const struct op *op, struct hr_job *job)
{
    const struct form_pk *f = op->form;
    struct options options;
    options_of(&options, op);
    job->alg = (uint16_t)op->alg;
    job->key_form = HR_KEY_HANDLE;
    job->options = options.which;
    return accel_use(f->named, run_job, job);
}

/* sign signs a digest, or what the algorithm takes instead. */
static RV sign(const struct op *op, const uint8_t *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct form_pk *f = op->form;
    struct hr_job job = {
        .op = HR_JOB_SIGN, .in = in, .len = len, .tag = out, .tag_len = (uint32_t)f->result_len
    };
    if (len > MAX_MESSAGE)
        return CKR_DATA_LEN_RANGE;
    *out_len = f->result_len;
    return run(op, &job);
}

static RV verify(const struct op *op, const uint8_t *in, size_t len, const CK_BYTE *sig,
                 size_t sig_len)
{
    const struct form_pk *f = op->form;
    struct options options;
    if (sig_len != f->result_len)
        return CKR_SIGNATURE_LEN_RANGE;
    options_of(&options, op);
    const int error = op->mech->key_type == CKK_RSA
                          ? hr_rsa_verify(sig, sig_len, in, len, (const void *)f->key, &options.rsa)
                          : hr_verify(sig, sig_len, in, len, (const void *)f->key, options.which);
    return error == HR_EMAC ? CKR_SIGNATURE_INVALID : error_of(error);
}

static RV take(struct op *op, uint8_t digest[PK_HASH_MOST], const CK_BYTE **in, size_t *len)
{
    return pk_take(op, parameter_of(op).hash, digest, in, len);
}

/* ---- encryption ---- */

static RV encrypt(const struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct form_pk *f = op->form;
    struct options options;
    if (*out_len < f->result_len) {
        *out_len = f->result_len;
        return CKR_BUFFER_TOO_SMALL;
    }
    options_of(&options, op);
    return error_of(hr_rsa_encrypt(out, out_len, in, len, (const void *)f->key, &options.rsa));
}

static RV decrypt(const struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    uint8_t text[MAX_RSA];
    struct hr_job job = { .op = HR_JOB_PK_DECRYPT, .in = in, .len = len, .tag = text };
    const struct form_pk *f = op->form;
    job.tag_len = (uint32_t)f->result_len;
    if (len != f->result_len)
        return CKR_ENCRYPTED_DATA_LEN_RANGE;
    CK_RV rv = run(op, &job);
    if (rv == CKR_DATA_LEN_RANGE)
        rv = CKR_ENCRYPTED_DATA_INVALID; /* not below n */
    if (rv == CKR_OK && job.tag_len > *out_len)
        rv = CKR_BUFFER_TOO_SMALL;
    if (rv == CKR_OK)
        memcpy(out, text, job.tag_len);
    *out_len = job.tag_len;
    WIPE(&text);
    return rv;
}

/* ---- the engine ---- */

static RV pk_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    uint8_t digest[PK_HASH_MOST];
    if (op->kind == OP_ENCRYPT)
        return encrypt(op, in, len, out, out_len);
    if (op->kind == OP_DECRYPT)
        return decrypt(op, in, len, out, out_len);
    const CK_RV rv = take(op, digest, &in, &len);
    return rv == CKR_OK ? sign(op, in, len, out, out_len) : rv;
}

/* pk_update digests a piece, or keeps it for a signature of the message itself: to sign, as much as
 * the service takes. */
static RV pk_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const hr_alg hash = parameter_of(op).hash;
    if (hash != HR_ALG_NONE)
        return pk_hash_update(op, hash, in, len);
    return op->kind == OP_SIGN && len > MAX_MESSAGE - op->more_len ? CKR_DATA_LEN_RANGE
                                                                   : op_keep(op, in, len);
}

static RV pk_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    return pk_whole(op, NULL, 0, out, out_len);
}

static RV accel_prepare(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to)
{
    const struct form_pk *f = op->form;
    struct options options;
    CK_RV rv = take(op, to->digest, &in, &len);
    if (rv == CKR_OK && len > MAX_MESSAGE)
        rv = CKR_DATA_LEN_RANGE;
    if (rv == CKR_OK && !atomic_load(&f->named->handle))
        rv = accel_use(f->named, do_nothing, NULL);
    if (rv != CKR_OK)
        return rv;
    options_of(&options, op);
    if (options.which == &options.rsa)
        to->options.rsa = options.rsa;
    else
        to->options.sign = options.sign;
    to->job.options = options.which ? &to->options : NULL;
    to->job.alg = (uint16_t)op->alg;
    to->job.op = HR_JOB_SIGN;
    to->job.key_form = HR_KEY_HANDLE;
    to->job.handle = atomic_load(&f->named->handle);
    to->job.in = in;
    to->job.len = len;
    return CKR_OK;
}

/* pk_finish runs a job once more whose handle the service did not know: it was restarted. */
static RV pk_finish(const struct op *op, struct prepared *done)
{
    struct hr_job *job = &done->job;
    const struct form_pk *f = op->form;
    return job->result == HR_EHANDLE ? accel_use(f->named, run_job, job) : accel_error(job->result);
}

static RV pk_verify(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                    size_t sig_len)
{
    uint8_t digest[PK_HASH_MOST];
    const CK_RV rv = take(op, digest, &in, &len);
    return rv == CKR_OK ? verify(op, in, len, sig, sig_len) : rv;
}

static RV pk_verify_final(struct op *op, const CK_BYTE *sig, size_t sig_len)
{
    return pk_verify(op, NULL, 0, sig, sig_len);
}

#define WHOLE                                                                                  \
    .init = pk_init, .form = pk_form, .size = pk_size, .whole = pk_whole, .verify = pk_verify, \
    .prepare = accel_prepare, .finish = pk_finish
const struct engine engine_accel_pk = { WHOLE, .update = pk_update, .final = pk_final,
                                        .verify_final = pk_verify_final };
/* Texts, and digests that the caller has made, have no pieces. */
const struct engine engine_accel_pk_whole = { WHOLE };
