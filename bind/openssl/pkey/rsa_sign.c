/* SPDX-License-Identifier: Apache-2.0 */
/* provider-signature(7) for RSA: of digests, and of what a program pads itself. */
#include "rsa.h"
#include <headrace/algorithms.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <strings.h>

/* OpenSSL's numbers of salt lengths; the last one came with 3.1. */
enum { SALT_DIGEST = -1, SALT_AUTO = -2, SALT_MAX = -3, SALT_AUTO_DIGEST_MAX = -4 };

struct asked {
    int padding, salt;
    char digest[64], mgf[64];
};

/* ask learns from the other provider's context how to pad. */
static int ask(struct rsa_use *use, struct asked *a)
{
    OSSL_PARAM list[] = {
        { OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PARAM_INTEGER, &a->padding, sizeof a->padding,
          PARAM_NONE },
        { OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PARAM_INTEGER, &a->salt, sizeof a->salt,
          PARAM_NONE },
        { OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, a->digest, sizeof a->digest,
          PARAM_NONE },
        { OSSL_SIGNATURE_PARAM_MGF1_DIGEST, OSSL_PARAM_UTF8_STRING, a->mgf, sizeof a->mgf,
          PARAM_NONE },
        PARAM_END,
    };
    memset(a, 0, sizeof *a);
    return rsa_use_get_params(use, list);
}

/* ---- salts ---- */

/* salt_to_sign returns the length of a new salt, or -1 if there is no room for it. */
static int salt_to_sign(int salt, unsigned bits, int digest_len)
{
    const int most = (int)(bits + 6) / 8 - digest_len - 2;
    if (salt == SALT_DIGEST || (salt == SALT_AUTO_DIGEST_MAX && digest_len < most))
        salt = digest_len;
    if (salt < 0)
        salt = most;
    return salt <= most ? salt : -1;
}

static int salt_to_verify(int salt)
{
    switch (salt) {
    case SALT_DIGEST:
        return HR_RSA_SALT_DIGEST;
    case SALT_MAX:
        return HR_RSA_SALT_MAX;
    case SALT_AUTO:
    case SALT_AUTO_DIGEST_MAX:
        return HR_RSA_SALT_ANY;
    default:
        return salt;
    }
}

/* take_salt: the salt is drawn from the library context's generator, as OpenSSL's. */
static int take_salt(struct rsa_use *use, struct rsa_plan *plan, int salt, unsigned bits)
{
    struct hr_rsa_options *o = &plan->options;
    if (use->operation == RSA_VERIFY) {
        o->salt_len = salt_to_verify(salt);
        return 1;
    }
    o->salt_len = salt_to_sign(salt, bits, (int)hr_algorithm(o->digest)->out_len);
    o->random = plan->random;
    return o->salt_len >= 0 && random_bytes(use->provider, plan->random, (size_t)o->salt_len);
}

/* ---- plans ---- */

/* plan_of makes the library's options, or returns 0 if it does not pad in this way.  MD5-SHA1 is
 * two digests without an identifier (RFC 2246 section 7.4.3).  Nobody signs nothing. */
static int plan_of(struct rsa_use *use, struct rsa_plan *plan, const struct rsa_ready *ready,
                   size_t in_len)
{
    enum { TWO_DIGESTS = 36 };
    struct asked a;
    struct hr_rsa_options *o = &plan->options;
    *o = (struct hr_rsa_options){ .strict = use->provider->strict != 0 };
    if (!ready || !ask(use, &a))
        return 0;
    const int bare = !strcasecmp(a.digest, "MD5-SHA1");
    if (!in_len || (bare ? in_len != TWO_DIGESTS : !rsa_use_digest(&o->digest, a.digest)))
        return 0;
    switch (a.padding) {
    case RSA_PKCS1_PADDING:
        o->padding = HR_RSA_PKCS1;
        return 1;
    case RSA_NO_PADDING:
        o->padding = HR_RSA_NONE;
        return !*a.digest;
    case RSA_PKCS1_PSS_PADDING:
        o->padding = HR_RSA_PSS;
        return o->digest && rsa_use_digest(&o->mgf_digest, a.mgf) &&
               take_salt(use, plan, a.salt, ready->bits);
    default:
        return 0;
    }
}

/* ---- operations ---- */

static int sign_ours(struct rsa_use *use, uint8_t *sig, size_t *sig_len, size_t sig_size,
                     const uint8_t *in, size_t in_len)
{
    struct rsa_plan plan;
    const struct rsa_ready *ready = rsa_ready_private(use->key);
    size_t len = sig_size;
    if (!plan_of(use, &plan, ready, in_len) ||
        hr_rsa_sign(sig, &len, in, in_len, &ready->key, &plan.options))
        return 0;
    *sig_len = len;
    return rsa_use_counts(use, ready, in_len);
}

int rsa_sign(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size,
             const unsigned char *in, size_t in_len)
{
    struct rsa_use *use = ctx;
    if (!use->other)
        return 0;
    if (sig && sign_ours(use, sig, sig_len, sig_size, in, in_len))
        return 1;
    *sig_len = sig_size;
    return pkey_libcrypto_of(use->provider)->EVP_PKEY_sign(use->other, sig, sig_len, in, in_len);
}

static int verify_ours(struct rsa_use *use, const uint8_t *sig, size_t sig_len, const uint8_t *in,
                       size_t in_len)
{
    struct rsa_plan plan;
    const struct rsa_ready *ready = rsa_ready_public(use->key);
    return plan_of(use, &plan, ready, in_len) &&
           !hr_rsa_verify(sig, sig_len, in, in_len, &ready->key, &plan.options) &&
           rsa_use_counts(use, ready, in_len);
}

/* rsa_verify: a signature that is wrong is looked at a second time by the other provider, for its
 * errors. */
int rsa_verify(void *ctx, const unsigned char *sig, size_t sig_len, const unsigned char *in,
               size_t in_len)
{
    struct rsa_use *use = ctx;
    if (!use->other)
        return 0;
    if (verify_ours(use, sig, sig_len, in, in_len))
        return 1;
    return pkey_libcrypto_of(use->provider)->EVP_PKEY_verify(use->other, sig, sig_len, in, in_len);
}

static int recover_ours(struct rsa_use *use, uint8_t *out, size_t *out_len, size_t out_size,
                        const uint8_t *sig, size_t sig_len)
{
    struct rsa_plan plan;
    const struct rsa_ready *ready = rsa_ready_public(use->key);
    size_t len = out_size;
    if (!plan_of(use, &plan, ready, 1) ||
        hr_rsa_recover(out, &len, sig, sig_len, &ready->key, &plan.options) || !len)
        return 0;
    *out_len = len;
    return rsa_use_counts(use, ready, len);
}

static int recover(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                   const unsigned char *sig, size_t sig_len)
{
    struct rsa_use *use = ctx;
    if (!use->other)
        return 0;
    if (out && recover_ours(use, out, out_len, out_size, sig, sig_len))
        return 1;
    *out_len = out_size;
    return pkey_libcrypto_of(use->provider)
        ->EVP_PKEY_verify_recover(use->other, out, out_len, sig, sig_len);
}

static int sign_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return rsa_use_begin(ctx, keydata, RSA_SIGN, params);
}

static int verify_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return rsa_use_begin(ctx, keydata, RSA_VERIFY, params);
}

static int recover_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return rsa_use_begin(ctx, keydata, RSA_RECOVER, params);
}

/* ---- parameters ---- */

/* The lists are the other provider's, which are part of its code. */

static const OSSL_PARAM *gettable(void *ctx, void *provctx)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);
    EVP_SIGNATURE *signature = ssl->EVP_SIGNATURE_fetch(ssl->base->libctx, RSA_TYPE, OTHER);
    const OSSL_PARAM *list = signature ? ssl->EVP_SIGNATURE_gettable_ctx_params(signature) : NULL;
    (void)ctx;
    ssl->EVP_SIGNATURE_free(signature);
    return list;
}

static const OSSL_PARAM *running_settable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(OSSL_SIGNATURE_PARAM_PAD_MODE),
        PARAM_TEXT(OSSL_SIGNATURE_PARAM_MGF1_DIGEST),
        PARAM_TEXT(OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES),
        PARAM_TEXT(OSSL_SIGNATURE_PARAM_PSS_SALTLEN),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_RSA_TAKEN, list);
}

static const OSSL_PARAM *settable(void *ctx, void *provctx)
{
    const struct rsa_use *use = ctx;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);
    if (use && use->is_running)
        return running_settable(provctx);
    EVP_SIGNATURE *signature = ssl->EVP_SIGNATURE_fetch(ssl->base->libctx, RSA_TYPE, OTHER);
    const OSSL_PARAM *list = signature ? ssl->EVP_SIGNATURE_settable_ctx_params(signature) : NULL;
    ssl->EVP_SIGNATURE_free(signature);
    return list;
}

any_function *rsa_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_NEWCTX:
        return (any_function *)rsa_use_new;
    case OSSL_FUNC_SIGNATURE_FREECTX:
        return (any_function *)rsa_use_free;
    case OSSL_FUNC_SIGNATURE_DUPCTX:
        return (any_function *)rsa_use_dup;
    case OSSL_FUNC_SIGNATURE_SIGN_INIT:
        return (any_function *)sign_init;
    case OSSL_FUNC_SIGNATURE_SIGN:
        return (any_function *)rsa_sign;
    case OSSL_FUNC_SIGNATURE_VERIFY_INIT:
        return (any_function *)verify_init;
    case OSSL_FUNC_SIGNATURE_VERIFY:
        return (any_function *)rsa_verify;
    case OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT:
        return (any_function *)recover_init;
    case OSSL_FUNC_SIGNATURE_VERIFY_RECOVER:
        return (any_function *)recover;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT:
        return (any_function *)rsa_message_sign_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT:
        return (any_function *)rsa_message_verify_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE:
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE:
        return (any_function *)rsa_message_update;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL:
        return (any_function *)rsa_message_sign_final;
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL:
        return (any_function *)rsa_message_verify_final;
    case OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS:
        return (any_function *)rsa_use_get_params;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS:
        return (any_function *)rsa_sign_set_params;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
        return (any_function *)settable;
    case OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS:
        return (any_function *)rsa_message_get_params;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS:
        return (any_function *)rsa_message_gettable;
    case OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS:
        return (any_function *)rsa_message_set_params;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS:
        return (any_function *)rsa_message_settable;
    default:
        return NULL;
    }
}
