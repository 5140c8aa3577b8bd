/* SPDX-License-Identifier: Apache-2.0 */
#include "pk.h"
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <string.h>

/* ---- keys ---- */

/* Makes a key by a new context, as programs and libssl do. */
static EVP_PKEY *new_key(struct pk_side *s)
{
    const struct openssl *ssl = s->ssl;
    EVP_PKEY *key = NULL;
    char group[8];
    uint64_t bits = 8 * (uint64_t)s->row->out_len; /* of an RSA key */
    const bool has_size = s->row->cls == HR_CLASS_RSA;
    snprintf(group, sizeof group, "%s", s->group ? s->group : "");
    const OSSL_PARAM params[] = {
        has_size ? ssl->OSSL_PARAM_construct_uint64(OSSL_PKEY_PARAM_RSA_BITS, &bits)
                 : ssl->OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        ssl->OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *maker = ssl->EVP_PKEY_CTX_new_from_name(s->libctx, s->type, s->properties);
    s->failed |= !maker || ssl->EVP_PKEY_keygen_init(maker) != 1 ||
                 ((s->group || has_size) && ssl->EVP_PKEY_CTX_set_params(maker, params) != 1) ||
                 ssl->EVP_PKEY_generate(maker, &key) != 1;
    ssl->EVP_PKEY_CTX_free(maker);
    return key;
}

/* Makes an RSA key of the row once, and takes it from then on: a key of 4,096 bits takes seconds.
 */
static EVP_PKEY *rsa_key(struct pk_side *s)
{
    static OSSL_PARAM *made[4];
    const struct openssl *ssl = s->ssl;
    OSSL_PARAM **const parts = &made[(s->row->alg - HR_RSA1024) % COUNT(made)];
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

/* The curves' rows, which have no name of their own in OpenSSL. */
static const struct curve {
    hr_alg sign, agree;
    const char *group, *digest;
} curves[] = {
    { HR_ECDSA_P256, HR_ECDH_P256, "P-256", "SHA256" },
    { HR_ECDSA_P384, HR_ECDH_P384, "P-384", "SHA384" },
    { HR_ECDSA_P521, HR_ECDH_P521, "P-521", "SHA512" },
};

static const struct curve *curve_of(const struct hr_algorithm *row)
{
    for (size_t i = 0; i < COUNT(curves); i++)
        if (curves[i].sign == row->alg || curves[i].agree == row->alg)
            return &curves[i];
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
    if (s->row->cls == HR_CLASS_AGREE)
        return set_up(s, s->deriver = user(s, s->key), s->key);
    if (s->row->cls == HR_CLASS_SIGN || s->row->cls == HR_CLASS_RSA)
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
    const struct curve *curve = curve_of(row);
    *s = (struct pk_side){
        .row = row,
        .ssl = sides->ssl,
        .libctx = ours ? sides->ours : sides->stock,
        .properties = ours ? "?provider=headrace" : NULL,
        .group = curve ? curve->group : NULL,
        .digest = curve ? curve->digest : NULL,
        .type = "EC",
    };
    if (row->cls == HR_CLASS_RSA) {
        strcpy(s->type, "RSA");
        s->digest = "SHA256";
    } else if (!curve)
        ways_openssl_name(row->openssl_names, s->type, sizeof s->type);
    s->key = row->cls == HR_CLASS_RSA ? rsa_key(s) : new_key(s);
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
