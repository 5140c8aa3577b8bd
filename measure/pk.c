/* SPDX-License-Identifier: Apache-2.0 */
#include "pk.h"
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <string.h>

/* ---- keys ---- */

/* How keys are generated: by a text or a number. */
static OSSL_PARAM setting(const struct pk_side *s, char *group, uint64_t *bits)
{
    const struct openssl *ssl = s->ssl;
    *bits = 8 * (uint64_t)s->row->public_len; /* of a modulus */
    switch (s->row->cls) {
    case HR_CLASS_RSA:
        return ssl->OSSL_PARAM_construct_uint64(OSSL_PKEY_PARAM_RSA_BITS, bits);
    case HR_CLASS_DSA:
        return ssl->OSSL_PARAM_construct_uint64(OSSL_PKEY_PARAM_FFC_PBITS, bits);
    default:
        return s->group
                   ? ssl->OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0)
                   : ssl->OSSL_PARAM_construct_end();
    }
}

static EVP_PKEY *generate(struct pk_side *s, EVP_PKEY_CTX *maker, int (*init)(EVP_PKEY_CTX *ctx),
                          const OSSL_PARAM params[])
{
    EVP_PKEY *key = NULL;
    s->failed |= !maker || init(maker) != 1 ||
                 (params->key && s->ssl->EVP_PKEY_CTX_set_params(maker, params) != 1) ||
                 s->ssl->EVP_PKEY_generate(maker, &key) != 1;
    s->ssl->EVP_PKEY_CTX_free(maker);
    return key;
}

/* Makes a key by a new context, as programs and libssl do; of DSA in a new group. */
static EVP_PKEY *new_key(struct pk_side *s)
{
    const struct openssl *ssl = s->ssl;
    char group[16];
    uint64_t bits;
    snprintf(group, sizeof group, "%s", s->group ? s->group : "");
    const OSSL_PARAM end = ssl->OSSL_PARAM_construct_end(),
                     params[] = { setting(s, group, &bits), end };
    EVP_PKEY_CTX *maker = ssl->EVP_PKEY_CTX_new_from_name(s->libctx, s->type, s->properties);
    if (s->row->cls != HR_CLASS_DSA)
        return generate(s, maker, ssl->EVP_PKEY_keygen_init, params);
    EVP_PKEY *domain = generate(s, maker, ssl->EVP_PKEY_paramgen_init, params);
    maker = domain ? ssl->EVP_PKEY_CTX_new_from_pkey(s->libctx, domain, s->properties) : NULL;
    EVP_PKEY *key = generate(s, maker, ssl->EVP_PKEY_keygen_init, &end);
    ssl->EVP_PKEY_free(domain);
    return key;
}

/* Whether a new key takes seconds. */
static bool is_kept(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_RSA || row->cls == HR_CLASS_DSA;
}

/* Makes a key of the row once, and takes it from then on. */
static EVP_PKEY *kept_key(struct pk_side *s)
{
    static OSSL_PARAM *made[8];
    const struct openssl *ssl = s->ssl;
    const size_t dsa = s->row->cls == HR_CLASS_DSA; /* rows of a class have numbers from 1 on */
    OSSL_PARAM **const parts = &made[4 * dsa + ((unsigned)s->row->alg & 0xff) - 1];
    EVP_PKEY *key = NULL;
    if (!*parts) {
        key = new_key(s);
        if (key && ssl->EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, parts) != 1)
            *parts = NULL;
        return key;
    }
    EVP_PKEY_CTX *reader = ssl->EVP_PKEY_CTX_new_from_name(s->libctx, s->type, s->properties);
    s->failed |= !reader || ssl->EVP_PKEY_fromdata_init(reader) != 1 ||
                 ssl->EVP_PKEY_fromdata(reader, &key, EVP_PKEY_KEYPAIR, *parts) != 1;
    ssl->EVP_PKEY_CTX_free(reader);
    return key;
}

static void make_key(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--)
        s->ssl->EVP_PKEY_free(new_key(s));
}

static EVP_PKEY *imported(struct pk_side *s, int selection)
{
    EVP_PKEY *key = NULL;
    s->failed |=
        s->ssl->EVP_PKEY_fromdata(s->importer, &key, selection,
                                  selection == EVP_PKEY_KEYPAIR ? s->pair : s->public) != 1;
    return key;
}

/* ---- signatures: a context is set up for each message, as programs do ---- */

static void sign_by(struct pk_side *s, EVP_PKEY *key)
{
    s->sig_len = PK_MOST;
    s->failed |= s->ssl->EVP_DigestSignInit_ex(s->md, NULL, s->digest, s->libctx, s->properties,
                                               key, NULL) != 1 ||
                 s->ssl->EVP_DigestSign(s->md, s->sig, &s->sig_len, s->message, PK_MESSAGE) != 1;
}

static void verify_by(struct pk_side *s, EVP_PKEY *key)
{
    s->failed |= s->ssl->EVP_DigestVerifyInit_ex(s->md, NULL, s->digest, s->libctx, s->properties,
                                                 key, NULL) != 1 ||
                 s->ssl->EVP_DigestVerify(s->md, s->sig, s->sig_len, s->message, PK_MESSAGE) != 1;
}

static void sign(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--)
        sign_by(s, s->key);
}

static void verify(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--)
        verify_by(s, s->key);
}

static void import_sign(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--) {
        EVP_PKEY *key = imported(s, EVP_PKEY_KEYPAIR);
        sign_by(s, key);
        s->ssl->EVP_PKEY_free(key);
    }
}

static void import_verify(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--) {
        EVP_PKEY *key = imported(s, EVP_PKEY_PUBLIC_KEY);
        verify_by(s, key);
        s->ssl->EVP_PKEY_free(key);
    }
}

static EVP_PKEY_CTX *user(struct pk_side *s, EVP_PKEY *key)
{
    return s->ssl->EVP_PKEY_CTX_new_from_pkey(s->libctx, key, s->properties);
}

/* ---- key agreement ---- */

static bool set_up(struct pk_side *s, EVP_PKEY_CTX *ctx, EVP_PKEY *peer)
{
    return ctx && s->ssl->EVP_PKEY_derive_init(ctx) == 1 &&
           s->ssl->EVP_PKEY_derive_set_peer(ctx, peer) == 1;
}

static void derive(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--) {
        size_t len = PK_MOST;
        s->failed |= s->ssl->EVP_PKEY_derive(s->deriver, s->secret, &len) != 1;
    }
}

/* One side of an exchange: a new key, and a peer's that is imported. */
static void import_derive(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    const struct openssl *ssl = s->ssl;
    while (n--) {
        EVP_PKEY *key = new_key(s), *peer = imported(s, EVP_PKEY_PUBLIC_KEY);
        size_t len = PK_MOST;
        EVP_PKEY_CTX *by = user(s, key);
        s->failed |= !set_up(s, by, peer) || ssl->EVP_PKEY_derive(by, s->secret, &len) != 1;
        ssl->EVP_PKEY_CTX_free(by);
        ssl->EVP_PKEY_free(key);
        ssl->EVP_PKEY_free(peer);
    }
}

/* ---- key encapsulation ---- */

static void seal_by(struct pk_side *s, EVP_PKEY_CTX *ctx)
{
    size_t len = PK_MOST;
    s->sig_len = PK_MOST;
    s->failed |= s->ssl->EVP_PKEY_encapsulate(ctx, s->sig, &s->sig_len, s->secret, &len) != 1;
}

static void open_by(struct pk_side *s, EVP_PKEY_CTX *ctx)
{
    size_t len = PK_MOST;
    s->failed |= s->ssl->EVP_PKEY_decapsulate(ctx, s->secret, &len, s->sig, s->sig_len) != 1;
}

static void encapsulate(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--)
        seal_by(s, s->sealer);
}

static void decapsulate(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--)
        open_by(s, s->opener);
}

static void import_encapsulate(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--) {
        EVP_PKEY *key = imported(s, EVP_PKEY_PUBLIC_KEY);
        EVP_PKEY_CTX *by = user(s, key);
        s->failed |= !by || s->ssl->EVP_PKEY_encapsulate_init(by, NULL) != 1;
        seal_by(s, by);
        s->ssl->EVP_PKEY_CTX_free(by);
        s->ssl->EVP_PKEY_free(key);
    }
}

static void import_decapsulate(void *ctx, uint64_t n)
{
    struct pk_side *s = ctx;
    while (n--) {
        EVP_PKEY *key = imported(s, EVP_PKEY_KEYPAIR);
        EVP_PKEY_CTX *by = user(s, key);
        s->failed |= !by || s->ssl->EVP_PKEY_decapsulate_init(by, NULL) != 1;
        open_by(s, by);
        s->ssl->EVP_PKEY_CTX_free(by);
        s->ssl->EVP_PKEY_free(key);
    }
}

const struct pk_operation pk_operations[NUM_PK_OPERATIONS] = {
    { HR_CLASS_SIGN, "key", make_key },
    { HR_CLASS_SIGN, "sign", sign },
    { HR_CLASS_SIGN, "verify", verify },
    { HR_CLASS_SIGN, "import, sign", import_sign },
    { HR_CLASS_SIGN, "import, verify", import_verify },
    { HR_CLASS_RSA, "sign", sign }, /* decryption is the same operation, encryption verification */
    { HR_CLASS_RSA, "verify", verify },
    { HR_CLASS_RSA, "import, sign", import_sign },
    { HR_CLASS_RSA, "import, verify", import_verify },
    { HR_CLASS_DSA, "sign", sign },
    { HR_CLASS_DSA, "verify", verify },
    { HR_CLASS_DSA, "import, sign", import_sign },
    { HR_CLASS_DSA, "import, verify", import_verify },
    { HR_CLASS_DH, "key", make_key },
    { HR_CLASS_DH, "derive", derive },
    { HR_CLASS_DH, "key, import, derive", import_derive },
    { HR_CLASS_AGREE, "key", make_key },
    { HR_CLASS_AGREE, "derive", derive },
    { HR_CLASS_AGREE, "key, import, derive", import_derive },
    { HR_CLASS_KEM, "key", make_key },
    { HR_CLASS_KEM, "encapsulate", encapsulate },
    { HR_CLASS_KEM, "decapsulate", decapsulate },
    { HR_CLASS_KEM, "import, encapsulate", import_encapsulate },
    { HR_CLASS_KEM, "import, decapsulate", import_decapsulate },
};

const struct pk_operation *pk_operation_named(enum hr_class cls, const char *name)
{
    for (size_t i = 0; i < NUM_PK_OPERATIONS; i++)
        if (pk_operations[i].cls == cls && !strcmp(pk_operations[i].name, name))
            return &pk_operations[i];
    return NULL;
}

/* ---- set-up ---- */

/* How rows are called that have no name of their own in OpenSSL. */
static const struct called {
    hr_alg alg;
    const char *type, *group, *digest;
} calls[] = {
    { HR_ECDSA_P256, "EC", "P-256", "SHA256" }, { HR_ECDH_P256, "EC", "P-256", NULL },
    { HR_ECDSA_P384, "EC", "P-384", "SHA384" }, { HR_ECDH_P384, "EC", "P-384", NULL },
    { HR_ECDSA_P521, "EC", "P-521", "SHA512" }, { HR_ECDH_P521, "EC", "P-521", NULL },
    { HR_RSA1024, "RSA", NULL, "SHA256" },      { HR_RSA2048, "RSA", NULL, "SHA256" },
    { HR_RSA3072, "RSA", NULL, "SHA256" },      { HR_RSA4096, "RSA", NULL, "SHA256" },
    { HR_DSA1024, "DSA", NULL, "SHA256" },      { HR_DSA2048, "DSA", NULL, "SHA256" },
    { HR_DSA3072, "DSA", NULL, "SHA256" },      { HR_DH2048, "DH", "ffdhe2048", NULL },
    { HR_DH3072, "DH", "ffdhe3072", NULL },     { HR_DH4096, "DH", "ffdhe4096", NULL },
    { HR_DH8192, "DH", "ffdhe8192", NULL },
};

static const struct called *called(const struct hr_algorithm *row)
{
    for (size_t i = 0; i < COUNT(calls); i++)
        if (calls[i].alg == row->alg)
            return &calls[i];
    return NULL;
}

static bool begin_importing(struct pk_side *s)
{
    const struct openssl *ssl = s->ssl;
    s->importer = ssl->EVP_PKEY_CTX_new_from_name(s->libctx, s->type, s->properties);
    return s->importer && ssl->EVP_PKEY_fromdata_init(s->importer) == 1 &&
           ssl->EVP_PKEY_todata(s->key, EVP_PKEY_KEYPAIR, &s->pair) == 1 &&
           ssl->EVP_PKEY_todata(s->key, EVP_PKEY_PUBLIC_KEY, &s->public) == 1;
}

static bool begin_using(struct pk_side *s)
{
    const struct openssl *ssl = s->ssl;
    if (s->row->cls == HR_CLASS_AGREE || s->row->cls == HR_CLASS_DH)
        return set_up(s, s->deriver = user(s, s->key), s->key);
    if (s->row->cls != HR_CLASS_KEM)
        return (s->md = ssl->EVP_MD_CTX_new()) != NULL;
    return (s->sealer = user(s, s->key)) && ssl->EVP_PKEY_encapsulate_init(s->sealer, NULL) == 1 &&
           (s->opener = user(s, s->key)) && ssl->EVP_PKEY_decapsulate_init(s->opener, NULL) == 1;
}

/* Whether a preference found its provider. */
static bool is_asked(const struct pk_side *s, bool ours)
{
    const OSSL_PROVIDER *provider = s->ssl->EVP_PKEY_get0_provider(s->key);
    return provider && !strcmp(s->ssl->OSSL_PROVIDER_get0_name(provider), "headrace") == ours;
}

bool pk_open(struct pk_side *s, const struct hr_algorithm *row, const struct sides *sides,
             bool ours)
{
    const struct called *name = called(row);
    *s = (struct pk_side){
        .row = row,
        .ssl = sides->ssl,
        .libctx = ours ? sides->ours : sides->stock,
        .properties = ours ? "?provider=headrace" : NULL,
        .group = name ? name->group : NULL,
        .digest = name ? name->digest : NULL,
    };
    if (name)
        strcpy(s->type, name->type);
    else
        ways_openssl_name(row->openssl_names, s->type, sizeof s->type);
    s->key = is_kept(row) ? kept_key(s) : new_key(s);
    if (s->key && is_asked(s, ours) && begin_importing(s) && begin_using(s))
        return true;
    s->failed = false;
    s->ssl->ERR_clear_error();
    return false;
}

void pk_close(struct pk_side *s)
{
    EVP_PKEY_CTX *const all[] = { s->importer, s->deriver, s->sealer, s->opener };
    if (!s->ssl)
        return;
    for (size_t i = 0; i < COUNT(all); i++)
        s->ssl->EVP_PKEY_CTX_free(all[i]);
    s->ssl->EVP_MD_CTX_free(s->md);
    s->ssl->OSSL_PARAM_free(s->pair);
    s->ssl->OSSL_PARAM_free(s->public);
    s->ssl->EVP_PKEY_free(s->key);
}
