/* SPDX-License-Identifier: Apache-2.0 */
/* provider-asym_cipher(7) for RSA.  PKCS#1 v1.5 is decrypted with implicit rejection on every
 * release of OpenSSL, though its own has it from 3.2 on: bad padding gives a message that nobody
 * can tell from another one, and no error.  What the library refuses is passed on only where the
 * reason is public: how long numbers are, never what a ciphertext contains. */
#include "../custody/custody.h"
#include "rsa.h"
#include <openssl/prov_ssl.h>
#include <openssl/rsa.h>

#define PARAM_REJECTION "implicit-rejection" /* OpenSSL 3.2 and later */

struct asked {
    int padding;
    char digest[64], mgf[64];
    void *label;
    size_t label_len;
    unsigned client, negotiated;
};

static int ask(struct shadow_use *use, struct asked *a)
{
    OSSL_PARAM list[] = {
        SHADOW_ASK(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, OCTET_PTR, a->label),
        SHADOW_ASK(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, INTEGER, a->padding),
        SHADOW_ASK(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, UTF8_STRING, a->digest),
        SHADOW_ASK(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, UTF8_STRING, a->mgf),
        SHADOW_ASK(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, UNSIGNED_INTEGER, a->client),
        SHADOW_ASK(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, UNSIGNED_INTEGER, a->negotiated),
        PARAM_END,
    };
    memset(a, 0, sizeof *a);
    if (!shadow_use_get_params(use, list))
        return 0;
    a->label_len = a->label ? list[0].return_size : 0;
    return 1;
}

/* ---- random numbers, from the library context's generator, as OpenSSL draws them ---- */

static int fill_nonzero(const struct provider *provider, uint8_t *out, size_t len)
{
    int good = random_bytes(provider, out, len);
    for (size_t i = 0; good && i < len; i++)
        while (good && !out[i])
            good = random_bytes(provider, out + i, 1);
    return good;
}

static int take_random(struct shadow_use *use, struct rsa_plan *plan, size_t padding_len)
{
    struct hr_rsa_options *o = &plan->options;
    const struct hr_algorithm *digest = hr_algorithm(o->digest ? o->digest : HR_SHA1);
    o->random = plan->random;
    if (o->padding == HR_RSA_OAEP)
        return random_bytes(use->provider, plan->random, digest->out_len);
    return padding_len <= sizeof plan->random &&
           fill_nonzero(use->provider, plan->random, padding_len);
}

/* ---- plans ---- */

static int plan_oaep(struct hr_rsa_options *o, const struct asked *a)
{
    o->padding = HR_RSA_OAEP;
    o->label = a->label;
    o->label_len = a->label_len;
    return shadow_use_digest(&o->digest, a->digest) && shadow_use_digest(&o->mgf_digest, a->mgf);
}

static int plan_tls(struct hr_rsa_options *o, const struct asked *a)
{
    o->padding = HR_RSA_TLS;
    o->client_version = (uint16_t)a->client;
    o->negotiated_version = (uint16_t)a->negotiated;
    return a->client && a->client <= UINT16_MAX && a->negotiated <= UINT16_MAX;
}

static int plan_of(struct shadow_use *use, struct rsa_plan *plan)
{
    struct asked a;
    struct hr_rsa_options *o = &plan->options;
    *o = (struct hr_rsa_options){ .raise_errors = use->raises,
                                  .strict = use->provider->strict != 0 };
    if (!ask(use, &a))
        return 0;
    switch (a.padding) {
    case RSA_PKCS1_PADDING:
        o->padding = HR_RSA_PKCS1;
        return 1;
    case RSA_NO_PADDING:
        o->padding = HR_RSA_NONE;
        return 1;
    case RSA_PKCS1_OAEP_PADDING:
        return plan_oaep(o, &a);
    case RSA_PKCS1_WITH_TLS_PADDING:
        return use->operation == SHADOW_DECRYPT && plan_tls(o, &a);
    default:
        return 0;
    }
}

/* ---- operations ---- */

static enum shadow_answer encrypt_ours(struct shadow_use *use, uint8_t *out, size_t *out_len,
                                       const uint8_t *in, size_t in_len)
{
    struct rsa_plan plan;
    const struct rsa_ready *ready = rsa_public(use);
    if (!ready || !plan_of(use, &plan))
        return SHADOW_PASS;
    const size_t size = hr_rsa_size(&ready->key);
    if (plan.options.padding != HR_RSA_NONE &&
        (in_len + 11 > size || !take_random(use, &plan, size - 3 - in_len)))
        return SHADOW_PASS;
    if (hr_rsa_encrypt(out, out_len, in, in_len, &ready->key, &plan.options))
        return SHADOW_PASS;
    return shadow_use_counts(use, ready->head.row, in_len);
}

static int encrypt(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                   const unsigned char *in, size_t in_len)
{
    return shadow_use_run(ctx, out, out_len, out_size, in, in_len, encrypt_ours);
}

/* room_needed does not depend on the message, which nobody is told the length of before. */
static size_t room_needed(const struct rsa_plan *plan, size_t size)
{
    return plan->options.padding == HR_RSA_TLS ? SSL_MAX_MASTER_KEY_LENGTH : size;
}

/* decrypt_named lets the service decrypt, which rejects bad padding of PKCS#1 implicitly whatever
 * the program asks for. */
static enum shadow_answer decrypt_named(struct shadow_use *use, uint8_t *out, size_t *out_len,
                                        const uint8_t *in, size_t in_len)
{
    struct rsa_plan plan;
    struct custody *named = use->key->head.custody;
    if (!plan_of(use, &plan) || plan.options.padding == HR_RSA_NONE)
        return (enum shadow_answer)custody_refuse(named, plan.options.padding == HR_RSA_NONE
                                                             ? RSA_UNPADDED
                                                             : "not for this padding or digest");
    if (*out_len < room_needed(&plan, (named->bits + 7) / 8))
        return (enum shadow_answer)custody_refuse(named, "no room for the message");
    plan.options.raise_errors = 0;
    const int error = custody_decrypt(named, out, out_len, in, in_len, &plan.options);
    if (error == HR_EPADDING)
        error_raise_packed(use->provider, ERR_PACK(ERR_LIB_RSA, 0, RSA_R_OAEP_DECODING_ERROR),
                           __FILE__, __LINE__, __func__);
    return error ? SHADOW_FAILED : shadow_use_counts(use, named->row, in_len);
}

/* decrypt_ours: whether the library passes does not depend on the message. */
static enum shadow_answer decrypt_ours(struct shadow_use *use, uint8_t *out, size_t *out_len,
                                       const uint8_t *in, size_t in_len)
{
    struct rsa_plan plan;
    if (use->key->head.custody)
        return decrypt_named(use, out, out_len, in, in_len);
    const struct rsa_ready *ready = rsa_private(use);
    if (!ready || !plan_of(use, &plan))
        return SHADOW_PASS;
    if (*out_len < room_needed(&plan, hr_rsa_size(&ready->key)))
        return SHADOW_PASS;
    const int error = hr_rsa_decrypt(out, out_len, in, in_len, &ready->key, &plan.options);
    const int reason =
        plan.options.padding == HR_RSA_OAEP ? RSA_R_OAEP_DECODING_ERROR : RSA_R_PKCS_DECODING_ERROR;
    if (error == HR_EPADDING) {
        error_raise_packed(use->provider, ERR_PACK(ERR_LIB_RSA, 0, reason), __FILE__, __LINE__,
                           __func__);
        return SHADOW_FAILED;
    }
    return error ? SHADOW_PASS : shadow_use_counts(use, ready->head.row, in_len);
}

static int decrypt(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                   const unsigned char *in, size_t in_len)
{
    return shadow_use_run(ctx, out, out_len, out_size, in, in_len, decrypt_ours);
}

/* ---- parameters ---- */

static int set_params(void *ctx, const OSSL_PARAM params[])
{
    struct shadow_use *use = ctx;
    uint64_t number;
    const OSSL_PARAM *p = param_find(params, PARAM_REJECTION);
    if (!shadow_use_set_params(use, params))
        return 0;
    if (p && param_get_number(p, &number)) /* older releases take anything: they do not know it */
        use->raises = !number;
    return 1;
}

static void *new_context(void *provctx)
{
    return shadow_use_new(provctx, NULL);
}

static int encrypt_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return shadow_use_begin(ctx, keydata, SHADOW_ENCRYPT, params) && set_params(ctx, params);
}

static int decrypt_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return shadow_use_begin(ctx, keydata, SHADOW_DECRYPT, params) && set_params(ctx, params);
}

static const OSSL_PARAM *gettable(void *ctx, void *provctx)
{
    (void)ctx;
    return shadow_cipher_gettable(provctx, RSA_TYPE);
}

static const OSSL_PARAM *settable(void *ctx, void *provctx)
{
    (void)ctx;
    return shadow_cipher_settable(provctx, RSA_TYPE);
}

any_function *rsa_cipher(int id)
{
    switch (id) {
    case OSSL_FUNC_ASYM_CIPHER_NEWCTX:
        return (any_function *)new_context;
    case OSSL_FUNC_ASYM_CIPHER_FREECTX:
        return (any_function *)shadow_use_free;
    case OSSL_FUNC_ASYM_CIPHER_DUPCTX:
        return (any_function *)shadow_use_dup;
    case OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT:
        return (any_function *)encrypt_init;
    case OSSL_FUNC_ASYM_CIPHER_ENCRYPT:
        return (any_function *)encrypt;
    case OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT:
        return (any_function *)decrypt_init;
    case OSSL_FUNC_ASYM_CIPHER_DECRYPT:
        return (any_function *)decrypt;
    case OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS:
        return (any_function *)shadow_use_get_params;
    case OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS:
        return (any_function *)set_params;
    case OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS:
        return (any_function *)settable;
    default:
        return NULL;
    }
}
