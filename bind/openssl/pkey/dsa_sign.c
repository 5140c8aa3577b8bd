/* SPDX-License-Identifier: Apache-2.0 */
/* provider-signature(7) for DSA. */
#include "dsa.h"
#include <headrace/sign.h>

enum { MAX_SIGNATURE = 64, DER_MORE = 9 /* hr_ecdsa_to_der */, DIGEST_NAME = 64 };

/* struct plan is how the library signs, as the other provider's context says. */
struct plan {
    struct hr_sign_options options;
    uint8_t fresh[32];
};

/* has_length tells whether a digest has the length of the one that the context is for: then it may
 * be signed.  A context that is for none takes any. */
static int has_length(hr_alg digest, size_t in_len)
{
    return digest ? in_len == hr_algorithm(digest)->out_len : in_len != 0;
}

/* ask learns the digest, and how nonces are made. */
static int ask(struct shadow_use *use, hr_alg *digest, unsigned *nonce_type)
{
    char name[DIGEST_NAME] = "";
    OSSL_PARAM list[] = {
        SHADOW_ASK(OSSL_SIGNATURE_PARAM_DIGEST, UTF8_STRING, name),
        SHADOW_ASK(PARAM_NONCE_TYPE, UNSIGNED_INTEGER, *nonce_type),
        PARAM_END,
    };
    *nonce_type = 0;
    return shadow_use_get_params(use, list) && shadow_use_digest(digest, name);
}

/* plan_of returns 0 if the library does not sign in this way. */
static int plan_of(struct shadow_use *use, struct plan *plan, size_t in_len)
{
    hr_alg digest;
    unsigned nonce_type;
    if (!ask(use, &digest, &nonce_type) || !has_length(digest, in_len))
        return 0;
    const uint32_t strict = use->provider->strict ? HR_SIGN_STRICT : 0;
    plan->options = (struct hr_sign_options){ .flags = strict, .random = plan->fresh };
    if (!nonce_type)
        return random_secret(use->provider, plan->fresh, sizeof plan->fresh);
    plan->options =
        (struct hr_sign_options){ .flags = HR_SIGN_DETERMINISTIC | strict, .digest = digest };
    return nonce_type == 1 && digest;
}

static enum shadow_answer sign_ours(struct shadow_use *use, uint8_t *sig, size_t *sig_len,
                                    const uint8_t *in, size_t in_len)
{
    struct plan plan;
    uint8_t halves[MAX_SIGNATURE];
    size_t len = sizeof halves;
    const struct dsa_ready *ready = (const struct dsa_ready *)shadow_private(use->key);
    if (!ready || *sig_len < hr_dsa_size(&ready->key) + DER_MORE - 1 ||
        !plan_of(use, &plan, in_len))
        return SHADOW_PASS;
    const int good = !hr_dsa_sign(halves, &len, in, in_len, &ready->key, &plan.options) &&
                     !hr_ecdsa_to_der(sig, sig_len, halves, len);
    WIPE(&plan);
    return good ? shadow_use_counts(use, ready->head.row, in_len) : SHADOW_PASS;
}

static int verify_ours(struct shadow_use *use, const uint8_t *sig, size_t sig_len,
                       const uint8_t *in, size_t in_len)
{
    hr_alg digest;
    unsigned nonce_type;
    uint8_t halves[MAX_SIGNATURE];
    const struct dsa_ready *ready = (const struct dsa_ready *)shadow_public(use->key);
    const size_t len = ready ? hr_dsa_size(&ready->key) : 0;
    return ready && ask(use, &digest, &nonce_type) && has_length(digest, in_len) &&
           !hr_ecdsa_from_der(halves, len, sig, sig_len) &&
           !hr_dsa_verify(halves, len, in, in_len, &ready->key) &&
           shadow_use_counts(use, ready->head.row, in_len);
}

static void *new_context(void *provctx, const char *properties)
{
    return shadow_signature_new(provctx, properties, sign_ours, verify_ours, NULL);
}

static const OSSL_PARAM *gettable(void *ctx, void *provctx)
{
    (void)ctx;
    return shadow_signature_gettable(provctx, DSA_TYPE);
}

static const OSSL_PARAM *settable(void *ctx, void *provctx)
{
    static const OSSL_PARAM none[] = { PARAM_END };
    const struct shadow_use *use = ctx;
    return use && use->is_running ? none : shadow_signature_settable(provctx, DSA_TYPE);
}

any_function *dsa_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_NEWCTX:
        return (any_function *)new_context;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
        return (any_function *)settable;
    default:
        return shadow_signature(id);
    }
}
