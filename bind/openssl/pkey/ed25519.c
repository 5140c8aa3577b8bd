/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 (RFC 8032 section 5.1): what its provider-keymgmt(7) has for itself, and
 * provider-signature(7) of it and of its variants Ed25519ctx and Ed25519ph.  Since OpenSSL 3.2 the
 * parameter "instance" chooses a variant; each also has an algorithm of its own, which always is
 * that variant. */
#include "../custody/custody.h"
#include "bytes.h"
#include "ecx.h"
#include <headrace/sign.h>
#include <stdlib.h>
#include <strings.h>

enum { SIGNATURE_LEN = 64, DIGEST_LEN = 64, MAX_CONTEXT = 255 };

/* Parameters and reasons of OpenSSL 3.2 and later. */
#define PARAM_INSTANCE "instance"
#define PARAM_CONTEXT "context-string"
enum {
    R_INVALID_PREHASHED_DIGEST_LENGTH = 241,
    R_NO_INSTANCE_ALLOWED = 242,
    R_INVALID_INSTANCE = 243,
};
enum { SIGN_MESSAGE_INIT = 27, VERIFY_MESSAGE_INIT = 30, QUERY_KEY_TYPES = 26 };

enum variant { PURE, CTX, PH, NUM_VARIANTS };
static const char names[NUM_VARIANTS][12] = { "Ed25519", "Ed25519ctx", "Ed25519ph" };
/* Names that are known, but of another key. */
static const char foreign_names[][12] = { "Ed448", "Ed448ph" };

struct signer {
    const struct provider *provider;
    struct served served;
    struct ecx *key;
    enum variant variant;
    int preset;    /* the algorithm is the variant: the parameter is refused */
    int of_digest; /* the caller digests the message */
    size_t context_len;
    uint8_t context[MAX_CONTEXT];
};

/* ---- keys ---- */

static void drop(void *made)
{
    bytes_free(made, hr_sign_key_size(HR_ED25519));
}

static void *make_signer(const struct ecx *key)
{
    struct hr_sign_key *made = pkey_aligned(hr_sign_key_size(HR_ED25519));
    if (!made)
        return NULL;
    const int error = key->base.has_private
                          ? hr_sign_key_init(made, HR_ED25519, key->private, ECX_LEN)
                          : hr_sign_key_init_public(made, HR_ED25519, key->public, ECX_LEN);
    if (!error)
        return made;
    drop(made);
    return NULL;
}

/* library_key returns the key as the library has it, or NULL if it is no point or there is no
 * memory. */
static const struct hr_sign_key *library_key(struct ecx *key)
{
    void *made = atomic_load_explicit(&key->prepared, memory_order_acquire);
    return made ? made : pkey_keep(&key->prepared, make_signer(key), drop);
}

static int public_of(uint8_t out[ECX_LEN], struct ecx *key)
{
    const struct hr_sign_key *made = library_key(key);
    size_t len = ECX_LEN;
    return made ? hr_sign_key_public(out, &len, made) : HR_EKEY;
}

static const struct ecx_kind kind = { public_of, hr_sign_key_size, INDEX_ed25519,
                                      256,       SIGNATURE_LEN,    1,
                                      "" };

static void *new (void *provctx)
{
    return ecx_new(provctx, &kind);
}

static void *gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return ecx_gen_init(provctx, selection, params, &kind);
}

static const OSSL_PARAM *gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_SECURITY_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_MAX_SIZE),
        PARAM_INT_SINCE(CATEGORY_SINCE, PARAM_CATEGORY),
        PARAM_TEXT(OSSL_PKEY_PARAM_MANDATORY_DIGEST),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_ED25519_GOT, list);
}

static int set_params(void *keydata, const OSSL_PARAM params[])
{
    return 1; /* there are none */
}

static const OSSL_PARAM *settable(void *provctx)
{
    static const struct param_spec list[] = { PARAM_LIST_END };
    return param_list(provctx, LIST_ED25519_TAKEN, list);
}

any_function *ed25519_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_NEW:
        return (any_function *)new;
    case OSSL_FUNC_KEYMGMT_GEN_INIT:
        return (any_function *)gen_init;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_KEYMGMT_SET_PARAMS:
        return (any_function *)set_params;
    case OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS:
        return (any_function *)settable;
    default:
        return ecx_keymgmt(id);
    }
}

/* ---- contexts ---- */

static void *newctx(void *provctx, const char *properties)
{
    struct signer *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->provider = provctx;
    served_init(&s->served, INDEX_ed25519);
    return s;
}

static void freectx(void *ctx)
{
    struct signer *s = ctx;
    if (!s)
        return;
    stats_fold(&s->served);
    pkey_release(s->key);
    free(s);
}

static void *dupctx(void *ctx)
{
    const struct signer *s = ctx;
    struct signer *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *s;
    served_init(&copy->served, INDEX_ed25519);
    if (copy->key)
        pkey_hold(copy->key);
    return copy;
}

/* ---- parameters ---- */

static int take_instance(struct signer *s, const OSSL_PARAM *p)
{
    const char *text;
    size_t len;
    if (!p)
        return 1;
    if (s->preset)
        return RAISE(s->provider, R_NO_INSTANCE_ALLOWED);
    if (!param_get_text(p, &text, &len))
        return 0;
    for (enum variant v = PURE; v < NUM_VARIANTS; v++)
        if (strlen(names[v]) == len && !strncasecmp(names[v], text, len)) {
            s->variant = v;
            return 1;
        }
    for (size_t i = 0; i < COUNT(foreign_names); i++)
        if (strlen(foreign_names[i]) == len && !strncasecmp(foreign_names[i], text, len))
            return 1; /* OpenSSL keeps the instance that was */
    return RAISE(s->provider, R_INVALID_INSTANCE);
}

static int take_context(struct signer *s, const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    if (!p)
        return 1;
    s->context_len = 0;
    if (!param_get_octets(p, &bytes, &len) || len > MAX_CONTEXT)
        return 0;
    if (len)
        memcpy(s->context, bytes, len);
    s->context_len = len;
    return 1;
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct signer *s = ctx;
    return take_instance(s, param_find(params, PARAM_INSTANCE)) &&
           take_context(s, param_find(params, PARAM_CONTEXT));
}

static const OSSL_PARAM *settable_ctx(void *ctx, void *provctx)
{
    static const struct param_spec list[] = { PARAM_TEXT(PARAM_INSTANCE),
                                              PARAM_OCTETS(PARAM_CONTEXT), PARAM_LIST_END };
    return param_list(provctx, LIST_ED25519_CTX_TAKEN, list);
}

static const OSSL_PARAM *variant_settable_ctx(void *ctx, void *provctx)
{
    static const struct param_spec list[] = { PARAM_OCTETS(PARAM_CONTEXT), PARAM_LIST_END };
    return param_list(provctx, LIST_ED25519_VARIANT_TAKEN, list);
}

/* get_ctx_params: the AlgorithmIdentifier in DER, with the OID 1.3.101.112 and no parameters (RFC
 * 8410 section 3). */
static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    static const uint8_t id[] = { 0x30, 5, 6, 3, 0x2b, 0x65, 0x70 };
    const struct signer *s = ctx;
    OSSL_PARAM *p = (OSSL_PARAM *)param_find(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    return !p || bytes_set(p, id, s->key ? sizeof id : 0);
}

static const OSSL_PARAM *gettable_ctx(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_OCTETS(OSSL_SIGNATURE_PARAM_ALGORITHM_ID),
        PARAM_TEXT(PARAM_INSTANCE),
        PARAM_OCTETS(PARAM_CONTEXT),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_ED25519_CTX_GOT, list);
}

/* ---- begin ---- */

static int begin(struct signer *s, struct ecx *key, enum variant variant, int preset, int of_digest,
                 const OSSL_PARAM params[])
{
    if (!key)
        return RAISE(s->provider, PROV_R_NO_KEY_SET);
    if (key->kind != &kind)
        return 0;
    pkey_hold(key);
    pkey_release(s->key);
    s->key = key;
    s->variant = variant;
    s->preset = preset;
    s->of_digest = of_digest;
    s->context_len = 0;
    return set_ctx_params(s, params);
}

/* digest_init begins EVP_DigestSign and EVP_DigestVerify.  Without a key it begins again. */
static int digest_init(void *ctx, const char *digest, void *key, const OSSL_PARAM params[])
{
    struct signer *s = ctx;
    if (digest && *digest)
        return RAISE(s->provider, PROV_R_INVALID_DIGEST);
    if (!key && s->key)
        return set_ctx_params(s, params);
    return begin(s, key, PURE, 0, 0, params);
}

/* pure_init begins EVP_PKEY_sign, which takes a digest: only the variant PH has one. */
static int pure_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    return begin(ctx, key, PURE, 0, 1, params);
}

static int pure_message_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    return begin(ctx, key, PURE, 1, 0, params);
}

static int ctx_message_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    return begin(ctx, key, CTX, 1, 0, params);
}

static int ph_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    return begin(ctx, key, PH, 1, 1, params);
}

static int ph_message_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    return begin(ctx, key, PH, 1, 0, params);
}

/* ---- sign and verify ---- */

/* struct input is what the library signs. */
struct input {
    const uint8_t *at;
    size_t len;
    uint8_t digest[DIGEST_LEN];
    struct hr_sign_options options;
};

/* prepare returns 1, or 0 with an error raised.  Ed25519ctx needs a context, and pure Ed25519 must
 * have none: *fits tells whether that holds. */
static int prepare(struct input *in, const struct signer *s, const uint8_t *message, size_t len,
                   int *fits)
{
    *in = (struct input){ .at = message, .len = len };
    in->options.context = s->context;
    in->options.context_len = s->context_len;
    *fits = s->variant == PH || !s->context_len == (s->variant == PURE);
    if (s->variant != PH)
        return !s->of_digest || RAISE(s->provider, R_INVALID_INSTANCE);
    in->options.flags = HR_SIGN_PREHASH;
    if (s->of_digest)
        return len == DIGEST_LEN || RAISE(s->provider, PROV_R_INVALID_DIGEST_LENGTH);
    if (hr_digest(in->digest, HR_SHA512, message, len))
        return RAISE(s->provider, R_INVALID_PREHASHED_DIGEST_LENGTH);
    in->at = in->digest;
    in->len = DIGEST_LEN;
    return 1;
}

/* options_of returns the options for the service, NULL for the usual ones. */
static const struct hr_sign_options *options_of(const struct input *in)
{
    return in->options.flags || in->options.context_len ? &in->options : NULL;
}

static int sign(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                const unsigned char *message, size_t len)
{
    struct signer *s = ctx;
    struct input in;
    size_t written = SIGNATURE_LEN;
    int fits;
    if (!out) {
        *out_len = SIGNATURE_LEN;
        return 1;
    }
    if (out_size < SIGNATURE_LEN)
        return RAISE(s->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    if (!pkey_has_secret(&s->key->base))
        return RAISE(s->provider, PROV_R_NOT_A_PRIVATE_KEY);
    if (!prepare(&in, s, message, len, &fits))
        return 0;
    if (!fits)
        return RAISE(s->provider, PROV_R_FAILED_TO_SIGN);
    if (s->key->base.custody) {
        if (!custody_sign(s->key->base.custody, out, &written, in.at, in.len, options_of(&in)))
            return 0;
    } else {
        const struct hr_sign_key *key = library_key(s->key);
        if (!key || hr_sign(out, &written, in.at, in.len, key, &in.options))
            return RAISE(s->provider, PROV_R_FAILED_TO_SIGN);
    }
    *out_len = written;
    served_add(&s->served, len);
    return 1;
}

static int verify(void *ctx, const unsigned char *signature, size_t signature_len,
                  const unsigned char *message, size_t len)
{
    struct signer *s = ctx;
    struct input in;
    int fits;
    if (signature_len != SIGNATURE_LEN || !prepare(&in, s, message, len, &fits) || !fits)
        return 0;
    const struct hr_sign_key *key = library_key(s->key);
    if (!key)
        return 0;
    served_add(&s->served, len);
    return !hr_verify(signature, signature_len, in.at, in.len, key, &in.options);
}

static const char **key_types(void)
{
    static const char *types[] = { "ED25519", NULL };
    return types;
}

/* ---- functions ---- */

static any_function *shared(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_NEWCTX:
        return (any_function *)newctx;
    case OSSL_FUNC_SIGNATURE_FREECTX:
        return (any_function *)freectx;
    case OSSL_FUNC_SIGNATURE_DUPCTX:
        return (any_function *)dupctx;
    case OSSL_FUNC_SIGNATURE_SIGN:
        return (any_function *)sign;
    case OSSL_FUNC_SIGNATURE_VERIFY:
        return (any_function *)verify;
    case OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS:
        return (any_function *)get_ctx_params;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS:
        return (any_function *)gettable_ctx;
    case OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS:
        return (any_function *)set_ctx_params;
    case QUERY_KEY_TYPES:
        return (any_function *)key_types;
    default:
        return NULL;
    }
}

/* ed25519_message_signature: until OpenSSL 3.4 there was no EVP_PKEY_sign with Ed25519. */
any_function *ed25519_message_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_SIGN:
    case OSSL_FUNC_SIGNATURE_VERIFY_INIT:
    case OSSL_FUNC_SIGNATURE_VERIFY:
        return NULL;
    default:
        return ed25519_signature(id);
    }
}

any_function *ed25519_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_VERIFY_INIT:
        return (any_function *)pure_init;
    case SIGN_MESSAGE_INIT:
    case VERIFY_MESSAGE_INIT:
        return (any_function *)pure_message_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT:
        return (any_function *)digest_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN:
        return (any_function *)sign;
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY:
        return (any_function *)verify;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
        return (any_function *)settable_ctx;
    default:
        return shared(id);
    }
}

any_function *ed25519ctx_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_VERIFY_INIT:
    case SIGN_MESSAGE_INIT:
    case VERIFY_MESSAGE_INIT:
        return (any_function *)ctx_message_init;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
        return (any_function *)variant_settable_ctx;
    default:
        return shared(id);
    }
}

any_function *ed25519ph_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_VERIFY_INIT:
        return (any_function *)ph_init;
    case SIGN_MESSAGE_INIT:
    case VERIFY_MESSAGE_INIT:
        return (any_function *)ph_message_init;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
        return (any_function *)variant_settable_ctx;
    default:
        return shared(id);
    }
}
