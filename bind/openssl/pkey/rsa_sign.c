/* SPDX-License-Identifier: Apache-2.0 */
/* provider-signature(7) for RSA: of digests, and of what a program pads itself. */
#include "../custody/custody.h"
#include "rsa.h"
#include <openssl/rsa.h>
#include <strings.h>

/* OpenSSL's numbers of salt lengths; the last one came with 3.1. */
enum { SALT_DIGEST = -1, SALT_AUTO = -2, SALT_MAX = -3, SALT_AUTO_DIGEST_MAX = -4 };

struct asked {
    int padding, salt;
    char digest[64], mgf[64];
};

/* ask learns from the other provider's context how to pad. */
static int ask(struct shadow_use *use, struct asked *a)
{
    OSSL_PARAM list[] = {
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_PAD_MODE, INTEGER, a->padding),
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, INTEGER, a->salt),
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_DIGEST, UTF8_STRING, a->digest),
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, UTF8_STRING, a->mgf),
        PARAM_END,
    };
    memset(a, 0, sizeof *a);
    return shadow_use_get_params(use, list);
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

/* take_salt: the salt is drawn from the library context's generator, as OpenSSL's, or by the
 * service that has the key. */
static int take_salt(struct shadow_use *use, struct rsa_plan *plan, int salt, unsigned bits)
{
    struct hr_rsa_options *o = &plan->options;
    if (use->operation == SHADOW_VERIFY) {
        o->salt_len = salt_to_verify(salt);
        return 1;
    }
    o->salt_len = salt_to_sign(salt, bits, (int)hr_algorithm(o->digest)->out_len);
    if (o->salt_len < 0 || use->key->head.custody)
        return o->salt_len >= 0;
    o->random = plan->random;
    return random_bytes(use->provider, plan->random, (size_t)o->salt_len);
}

/* ---- plans ---- */

/* plan_of makes the library's options, or returns 0 if it does not pad in this way.  MD5-SHA1 is
 * two digests without an identifier (RFC 2246 section 7.4.3).  Nobody signs nothing. */
static int plan_of(struct shadow_use *use, struct rsa_plan *plan, unsigned bits, size_t in_len)
{
    enum { TWO_DIGESTS = 36 };
    struct asked a;
    struct hr_rsa_options *o = &plan->options;
    *o = (struct hr_rsa_options){ .strict = use->provider->strict != 0 };
    if (!ask(use, &a))
        return 0;
    const int bare = !strcasecmp(a.digest, "MD5-SHA1");
    if (!in_len || (bare ? in_len != TWO_DIGESTS : !shadow_use_digest(&o->digest, a.digest)))
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
        return o->digest && shadow_use_digest(&o->mgf_digest, a.mgf) &&
               take_salt(use, plan, a.salt, bits);
    default:
        return 0;
    }
}

/* forget: a next message is padded by PKCS#1 v1.5, with salts as long as a new context's if it is
 * padded by PSS; the digests stay.  A salt's length can be set only while PSS is the padding. */
static int forget(struct shadow_use *use)
{
    int padding[2] = { 0 }, salt[2] = { 0 };
    OSSL_PARAM lists[2][3];
    for (int i = 0; i < 2; i++) {
        lists[i][0] = (OSSL_PARAM)SHADOW_ASK(OSSL_SIGNATURE_PARAM_PAD_MODE, INTEGER, padding[i]);
        lists[i][1] = (OSSL_PARAM)SHADOW_ASK(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, INTEGER, salt[i]);
        lists[i][2] = (OSSL_PARAM)PARAM_END;
    }
    if (!shadow_use_ask_new(use, lists[0]) || !shadow_use_get_params(use, lists[1]))
        return 0;
    int pss = RSA_PKCS1_PSS_PADDING;
    const OSSL_PARAM salts[] = {
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_PAD_MODE, INTEGER, pss),
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, INTEGER, salt[0]),
        PARAM_END,
    };
    const OSSL_PARAM paddings[] = {
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_PAD_MODE, INTEGER, padding[0]),
        PARAM_END,
    };
    if (salt[0] != salt[1] && !shadow_use_set_params(use, salts))
        return 0;
    return (salt[0] == salt[1] && padding[0] == padding[1]) || shadow_use_set_params(use, paddings);
}

/* ---- operations ---- */

/* sign_named lets the service sign, which makes the padding itself. */
static enum shadow_answer sign_named(struct shadow_use *use, uint8_t *sig, size_t *sig_len,
                                     const uint8_t *in, size_t in_len)
{
    struct rsa_plan plan;
    struct custody *named = use->key->head.custody;
    if (!plan_of(use, &plan, named->bits, in_len))
        return (enum shadow_answer)custody_refuse(named, "not for this padding or digest");
    if (plan.options.padding == HR_RSA_NONE)
        return (enum shadow_answer)custody_refuse(named, RSA_UNPADDED);
    if (!custody_sign(named, sig, sig_len, in, in_len, &plan.options))
        return SHADOW_FAILED;
    return shadow_use_counts(use, named->row, in_len);
}

/* sign_lent lets the service sign if that is faster.  It draws the salt, since its answer is
 * compared with the digest alone. */
static int sign_lent(struct shadow_use *use, uint8_t *sig, size_t *sig_len, const uint8_t *in,
                     size_t in_len)
{
    struct rsa_plan plan;
    const struct rsa_loan *loan = use->provider->lends ? rsa_loan(use->key) : NULL;
    if (!loan || !plan_of(use, &plan, loan->bits, in_len))
        return 0;
    plan.options.random = NULL;
    return rsa_loan_sign(loan, sig, sig_len, in, in_len, &plan.options) &&
           shadow_use_counts(use, loan->row, in_len);
}

static enum shadow_answer sign_ours(struct shadow_use *use, uint8_t *sig, size_t *sig_len,
                                    const uint8_t *in, size_t in_len)
{
    struct rsa_plan plan;
    if (use->key->head.custody)
        return sign_named(use, sig, sig_len, in, in_len);
    if (sign_lent(use, sig, sig_len, in, in_len))
        return SHADOW_DONE;
    const struct rsa_ready *ready = rsa_private(use);
    if (!ready || !plan_of(use, &plan, ready->bits, in_len) ||
        hr_rsa_sign(sig, sig_len, in, in_len, &ready->key, &plan.options))
        return SHADOW_PASS;
    return shadow_use_counts(use, ready->head.row, in_len);
}

static int verify_ours(struct shadow_use *use, const uint8_t *sig, size_t sig_len,
                       const uint8_t *in, size_t in_len)
{
    struct rsa_plan plan;
    const struct rsa_ready *ready = rsa_public(use);
    return ready && plan_of(use, &plan, ready->bits, in_len) &&
           !hr_rsa_verify(sig, sig_len, in, in_len, &ready->key, &plan.options) &&
           shadow_use_counts(use, ready->head.row, in_len);
}

static enum shadow_answer recover_ours(struct shadow_use *use, uint8_t *out, size_t *out_len,
                                       const uint8_t *sig, size_t sig_len)
{
    struct rsa_plan plan;
    const struct rsa_ready *ready = rsa_public(use);
    if (!ready || !plan_of(use, &plan, ready->bits, 1) ||
        hr_rsa_recover(out, out_len, sig, sig_len, &ready->key, &plan.options) || !*out_len)
        return SHADOW_PASS;
    return shadow_use_counts(use, ready->head.row, *out_len);
}

static void *new_context(void *provctx, const char *properties)
{
    struct shadow_use *use =
        shadow_signature_new(provctx, properties, sign_ours, verify_ours, forget);
    if (use)
        use->keeps_digest = 1;
    return use;
}

static int recover_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return shadow_use_begin(ctx, keydata, SHADOW_RECOVER, params);
}

static int recover(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                   const unsigned char *sig, size_t sig_len)
{
    return shadow_use_run(ctx, out, out_len, out_size, sig, sig_len, recover_ours);
}

/* ---- parameters ---- */

static const OSSL_PARAM *gettable(void *ctx, void *provctx)
{
    (void)ctx;
    return shadow_signature_gettable(provctx, RSA_TYPE);
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
    const struct shadow_use *use = ctx;
    return use && use->is_running ? running_settable(provctx)
                                  : shadow_signature_settable(provctx, RSA_TYPE);
}

any_function *rsa_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_NEWCTX:
        return (any_function *)new_context;
    case OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT:
        return (any_function *)recover_init;
    case OSSL_FUNC_SIGNATURE_VERIFY_RECOVER:
        return (any_function *)recover;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
        return (any_function *)settable;
    default:
        return shadow_signature(id);
    }
}
