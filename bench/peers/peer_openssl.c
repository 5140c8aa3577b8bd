/* SPDX-License-Identifier: Apache-2.0 */
/* Any libcrypto of OpenSSL 3, opened by its path (ARG), so that several builds can be timed in one
 * process.
 *
 * modes: evp      objects fetched once, contexts kept, initialised again without a type: the lowest
 *                 overhead that an application can have
 *        implicit EVP_aes_128_cbc() and a new context for each message; EVP_Digest(); HMAC(): the
 *                 common old code
 *        fetch    fetched by name, with a new context, for each message
 *        upd      ciphers: EVP_CipherUpdate alone on a running context
 *        low      digests: the deprecated SHA256_Init, Update and Final and its like */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "peer.h"
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#undef EVP_PKEY_CTX_set_rsa_padding
#undef EVP_PKEY_CTX_set_signature_md
/* clang-format off */
#define FUNCTIONS(X) \
    X(OpenSSL_version) X(OSSL_PROVIDER_load) \
    X(EVP_CIPHER_fetch) X(EVP_CIPHER_free) X(EVP_CIPHER_CTX_new) X(EVP_CIPHER_CTX_free) \
    X(EVP_CipherInit_ex2) X(EVP_CipherInit_ex) X(EVP_CipherUpdate) X(EVP_CipherFinal_ex) \
    X(EVP_CIPHER_CTX_ctrl) X(EVP_CIPHER_CTX_set_padding) X(EVP_get_cipherbyname) \
    X(EVP_MD_fetch) X(EVP_MD_free) X(EVP_MD_CTX_new) X(EVP_MD_CTX_free) X(EVP_DigestInit_ex2) \
    X(EVP_DigestUpdate) X(EVP_DigestFinal_ex) X(EVP_Digest) X(EVP_get_digestbyname) \
    X(EVP_MAC_fetch) X(EVP_MAC_free) X(EVP_MAC_CTX_new) X(EVP_MAC_CTX_free) X(EVP_MAC_init) \
    X(EVP_MAC_update) X(EVP_MAC_final) X(EVP_Q_mac) X(HMAC) \
    X(MD5_Init) X(MD5_Update) X(MD5_Final) X(SHA1_Init) X(SHA1_Update) X(SHA1_Final) \
    X(SHA256_Init) X(SHA256_Update) X(SHA256_Final) X(SHA512_Init) X(SHA512_Update) \
    X(SHA512_Final) X(d2i_AutoPrivateKey) X(EVP_PKEY_free) X(EVP_PKEY_CTX_new) \
    X(EVP_PKEY_CTX_free) X(EVP_PKEY_sign_init) X(EVP_PKEY_sign) X(EVP_PKEY_verify_init) \
    X(EVP_PKEY_verify) X(EVP_PKEY_derive_init) X(EVP_PKEY_derive_set_peer) X(EVP_PKEY_derive) \
    X(EVP_PKEY_CTX_set_rsa_padding) X(EVP_PKEY_CTX_set_signature_md) X(EVP_DigestSignInit) \
    X(EVP_DigestSign) X(EVP_DigestVerifyInit) X(EVP_DigestVerify) \
    X(OSSL_PARAM_construct_utf8_string) X(OSSL_PARAM_construct_end)
/* clang-format on */

struct lib {
#define X(function) __typeof__(&function) function;
    FUNCTIONS(X)
#undef X
};

enum mode { EVP, IMPLICIT, FETCH, UPD, LOW, NUM_MODES };
static const char *const mode_names[] = { "evp", "implicit", "fetch", "upd", "low", NULL };

struct state {
    const struct lib *f;
    enum mode mode;
    const char *name;
    size_t size, key_len;
    int encrypt;
    EVP_CIPHER *fetched_cipher;
    const EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cipher_ctx;
    EVP_MD *fetched_md;
    const EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
    const char *mac_digest; /* HMAC's, or CMAC's cipher; NULL: the key is for one message */
    struct pkey_state *pkey;
    union {
        MD5_CTX MD5;
        SHA_CTX SHA1;
        SHA256_CTX SHA256;
        SHA512_CTX SHA512;
    } low;
    uint8_t key[64], iv[16], tag[16], *in, *out;
};

/* ---- ciphers ---- */

static void run_cipher_evp(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    const struct lib *const f = s->f;
    int len;
    while (n--) {
        f->EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, s->encrypt, NULL);
        f->EVP_CipherUpdate(s->cipher_ctx, s->out, &len, s->in, (int)s->size);
    }
}

static void run_cipher_upd(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    int len;
    while (n--)
        s->f->EVP_CipherUpdate(s->cipher_ctx, s->out, &len, s->in, (int)s->size);
}

static void cipher_rest(const struct state *s, EVP_CIPHER_CTX *c)
{
    int len, rest;
    s->f->EVP_CIPHER_CTX_set_padding(c, 0);
    s->f->EVP_CipherUpdate(c, s->out, &len, s->in, (int)s->size);
    s->f->EVP_CipherFinal_ex(c, s->out + len, &rest);
}

static int aead_rest(const struct state *s, EVP_CIPHER_CTX *c)
{
    const struct lib *const f = s->f;
    int len, rest;
    if (!s->encrypt)
        f->EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, (void *)s->tag);
    f->EVP_CipherUpdate(c, s->out, &len, s->in, (int)s->size);
    const int ok = f->EVP_CipherFinal_ex(c, s->out + len, &rest);
    if (s->encrypt)
        f->EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, s->out + s->size);
    return ok;
}

static void run_aead_evp(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        s->f->EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, s->encrypt, NULL);
        must(aead_rest(s, s->cipher_ctx));
    }
}

#define CIPHER_NEW(kind)                                                            \
    static void run_##kind##_implicit(void *ctx, uint64_t n)                        \
    {                                                                               \
        struct state *s = ctx;                                                      \
        while (n--) {                                                               \
            EVP_CIPHER_CTX *c = s->f->EVP_CIPHER_CTX_new();                         \
            s->f->EVP_CipherInit_ex(c, s->cipher, NULL, s->key, s->iv, s->encrypt); \
            kind##_rest(s, c);                                                      \
            s->f->EVP_CIPHER_CTX_free(c);                                           \
        }                                                                           \
    }                                                                               \
    static void run_##kind##_fetch(void *ctx, uint64_t n)                           \
    {                                                                               \
        struct state *s = ctx;                                                      \
        while (n--) {                                                               \
            EVP_CIPHER *fetched = s->f->EVP_CIPHER_fetch(NULL, s->name, NULL);      \
            EVP_CIPHER_CTX *c = s->f->EVP_CIPHER_CTX_new();                         \
            s->f->EVP_CipherInit_ex2(c, fetched, s->key, s->iv, s->encrypt, NULL);  \
            kind##_rest(s, c);                                                      \
            s->f->EVP_CIPHER_CTX_free(c);                                           \
            s->f->EVP_CIPHER_free(fetched);                                         \
        }                                                                           \
    }
CIPHER_NEW(cipher)
CIPHER_NEW(aead)

enum kind { ECB, IV, XTS, AEAD };
/* cipher_runs has the run functions of each kind of cipher, by enum mode. */
static peer_run_fn *const cipher_runs[][NUM_MODES] = {
    [ECB] = { run_cipher_upd, run_cipher_implicit, run_cipher_fetch },
    [IV] = { run_cipher_evp, run_cipher_implicit, run_cipher_fetch, run_cipher_upd },
    [XTS] = { run_cipher_evp, run_cipher_implicit, run_cipher_fetch },
    [AEAD] = { run_aead_evp, run_aead_implicit, run_aead_fetch },
};

static const struct cipher {
    const char *alg, *name;
    size_t key_len;
    enum kind kind;
} ciphers[] = {
    { "AES-128-ECB", "AES-128-ECB", 16, ECB },
    { "AES-256-ECB", "AES-256-ECB", 32, ECB },
    { "AES-128-CBC", "AES-128-CBC", 16, IV },
    { "AES-256-CBC", "AES-256-CBC", 32, IV },
    { "AES-128-CTR", "AES-128-CTR", 16, IV },
    { "AES-256-CTR", "AES-256-CTR", 32, IV },
    { "AES-128-CFB", "AES-128-CFB", 16, IV },
    { "AES-256-CFB", "AES-256-CFB", 32, IV },
    { "AES-128-GCM", "AES-128-GCM", 16, AEAD },
    { "AES-256-GCM", "AES-256-GCM", 32, AEAD },
    { "AES-128-XTS", "AES-128-XTS", 32, XTS },
    { "AES-256-XTS", "AES-256-XTS", 64, XTS },
    { "DES-CBC", "DES-CBC", 8, IV },
    { "3DES-CBC", "DES-EDE3-CBC", 24, IV },
    { "CAMELLIA-128-CBC", "CAMELLIA-128-CBC", 16, IV },
    { "CAMELLIA-128-CTR", "CAMELLIA-128-CTR", 16, IV },
    { "CHACHA20-POLY1305", "ChaCha20-Poly1305", 32, AEAD },
};

static void seal_first(struct state *s)
{
    s->encrypt = 1;
    s->f->EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, s->key, s->iv, 1, NULL);
    aead_rest(s, s->cipher_ctx);
    memcpy(s->in, s->out, s->size);
    memcpy(s->tag, s->out + s->size, 16);
    s->encrypt = 0;
}

static void cipher_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct lib *const f = s->f;
    const struct cipher *const c = PEER_ROW(ciphers, rq->alg);
    if (!c || !cipher_runs[c->kind][s->mode])
        return;
    s->name = c->name;
    s->encrypt = peer_is(rq->op, "enc");
    peer_key(s->key, c->key_len);
    peer_iv(s->iv, sizeof s->iv);
    s->cipher = s->fetched_cipher = f->EVP_CIPHER_fetch(NULL, c->name, NULL);
    if (!s->cipher)
        return;
    s->cipher_ctx = f->EVP_CIPHER_CTX_new();
    if (c->kind == AEAD && !s->encrypt)
        seal_first(s);
    f->EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, s->key, c->kind == ECB ? NULL : s->iv,
                          s->encrypt, NULL);
    f->EVP_CIPHER_CTX_set_padding(s->cipher_ctx, 0);
    if (s->mode == IMPLICIT && !(s->cipher = f->EVP_get_cipherbyname(c->name)))
        return;
    out->run = cipher_runs[c->kind][s->mode];
    if (s->mode != UPD) /* its outputs differ from run to run, because the chain goes on */
        out->outlen = s->size + (c->kind == AEAD && s->encrypt ? 16 : 0);
}

/* ---- digests ---- */

static void run_digest_evp(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    const struct lib *const f = s->f;
    unsigned len;
    while (n--) {
        f->EVP_DigestInit_ex2(s->md_ctx, NULL, NULL);
        f->EVP_DigestUpdate(s->md_ctx, s->in, s->size);
        f->EVP_DigestFinal_ex(s->md_ctx, s->out, &len);
    }
}

static void run_digest_implicit(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    unsigned len;
    while (n--)
        s->f->EVP_Digest(s->in, s->size, s->out, &len, s->md, NULL);
}

static void run_digest_fetch(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    const struct lib *const f = s->f;
    unsigned len;
    while (n--) {
        EVP_MD *md = f->EVP_MD_fetch(NULL, s->name, NULL);
        f->EVP_Digest(s->in, s->size, s->out, &len, md, NULL);
        f->EVP_MD_free(md);
    }
}

#define DIGEST_LOW(digest)                                             \
    PEER_LOOP(run_##digest##_low, s->f->digest##_Init(&s->low.digest); \
              s->f->digest##_Update(&s->low.digest, s->in, s->size);   \
              s->f->digest##_Final(s->out, &s->low.digest))
DIGEST_LOW(MD5)
DIGEST_LOW(SHA1)
DIGEST_LOW(SHA256)
DIGEST_LOW(SHA512)

static const struct digest {
    const char *alg;
    size_t out_len;
    peer_run_fn *low;
} digests[] = {
    { "MD5", 16, run_MD5_low }, { "SHA1", 20, run_SHA1_low },
    { "SHA224", 28, NULL },     { "SHA256", 32, run_SHA256_low },
    { "SHA384", 48, NULL },     { "SHA512", 64, run_SHA512_low },
    { "SHA512-256", 32, NULL },
};

static void digest_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static peer_run_fn *const runs[NUM_MODES] = { run_digest_evp, run_digest_implicit,
                                                  run_digest_fetch };
    const struct digest *const d = PEER_ROW(digests, rq->alg);
    if (!d)
        return;
    s->name = d->alg;
    s->md = s->fetched_md = s->f->EVP_MD_fetch(NULL, s->name, NULL);
    if (!s->md)
        return;
    s->md_ctx = s->f->EVP_MD_CTX_new();
    s->f->EVP_DigestInit_ex2(s->md_ctx, s->md, NULL);
    if (s->mode == IMPLICIT && !(s->md = s->f->EVP_get_digestbyname(s->name)))
        return;
    out->run = s->mode == LOW ? d->low : runs[s->mode];
    out->outlen = d->out_len;
}

/* ---- MACs: HMAC's key is kept, Poly1305's is for one message ---- */

static void run_mac_evp(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    const struct lib *const f = s->f;
    const uint8_t *const key = s->mac_digest ? NULL : s->key;
    size_t len;
    while (n--) {
        f->EVP_MAC_init(s->mac_ctx, key, key ? s->key_len : 0, NULL);
        f->EVP_MAC_update(s->mac_ctx, s->in, s->size);
        f->EVP_MAC_final(s->mac_ctx, s->out, &len, 64);
    }
}

static void run_mac_implicit(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    unsigned len;
    while (n--)
        s->f->HMAC(s->md, s->key, (int)s->key_len, s->in, s->size, s->out, &len);
}

static void run_mac_fetch(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    size_t len;
    while (n--)
        s->f->EVP_Q_mac(NULL, s->name, NULL, s->mac_digest, NULL, s->key, s->key_len, s->in,
                        s->size, s->out, 64, &len);
}

static const struct mac {
    const char *alg, *name, *parameter, *digest;
    size_t key_len, out_len;
    peer_run_fn *runs[NUM_MODES];
} macs[] = {
    { "AES-128-CMAC",
      "CMAC",
      "cipher",
      "AES-128-CBC",
      16,
      16,
      { run_mac_evp, NULL, run_mac_fetch } },
    { "AES-256-CMAC",
      "CMAC",
      "cipher",
      "AES-256-CBC",
      32,
      16,
      { run_mac_evp, NULL, run_mac_fetch } },
    { "HMAC-MD5",
      "HMAC",
      "digest",
      "MD5",
      32,
      16,
      { run_mac_evp, run_mac_implicit, run_mac_fetch } },
    { "HMAC-SHA1",
      "HMAC",
      "digest",
      "SHA1",
      32,
      20,
      { run_mac_evp, run_mac_implicit, run_mac_fetch } },
    { "HMAC-SHA256",
      "HMAC",
      "digest",
      "SHA256",
      32,
      32,
      { run_mac_evp, run_mac_implicit, run_mac_fetch } },
    { "POLY1305", "POLY1305", NULL, NULL, 32, 16, { run_mac_evp, NULL, run_mac_fetch } },
};

static void mac_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct lib *const f = s->f;
    const struct mac *const m = PEER_ROW(macs, rq->alg);
    if (!m || !m->runs[s->mode])
        return;
    s->name = m->name;
    s->mac_digest = m->digest;
    s->key_len = m->key_len;
    peer_key(s->key, s->key_len);
    s->mac = f->EVP_MAC_fetch(NULL, s->name, NULL);
    if (!s->mac)
        return;
    s->mac_ctx = f->EVP_MAC_CTX_new(s->mac);
    OSSL_PARAM params[] = { f->OSSL_PARAM_construct_end(), f->OSSL_PARAM_construct_end() };
    if (m->digest) {
        params[0] = f->OSSL_PARAM_construct_utf8_string(m->parameter, (char *)m->digest, 0);
        s->md = f->EVP_get_digestbyname(m->digest);
    }
    if (!f->EVP_MAC_init(s->mac_ctx, s->key, s->key_len, params))
        return;
    out->run = m->runs[s->mode];
    out->outlen = m->out_len;
}

/* ---- public keys ---- */

#define F(function) s->f->function
#define RESET_MD (void)0
#include "pkey.h"

static void evp_pkey_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    if (s->mode != EVP && s->mode != IMPLICIT)
        return;
    s->fetched_md = s->f->EVP_MD_fetch(NULL, "SHA256", NULL);
    pkey_cell(s, rq, s->fetched_md, s->mode == IMPLICIT, out);
}

/* ---- cells ---- */

static void fini(void *ctx)
{
    struct state *s = ctx;
    const struct lib *const f = s->f;
    f->EVP_CIPHER_CTX_free(s->cipher_ctx);
    f->EVP_CIPHER_free(s->fetched_cipher);
    f->EVP_MD_CTX_free(s->md_ctx);
    f->EVP_MAC_CTX_free(s->mac_ctx);
    f->EVP_MAC_free(s->mac);
    pkey_fini(s);
    f->EVP_MD_free(s->fetched_md);
    free(s->in);
    free(s->out);
    free(s);
}

static int cell(peer *p, const peer_req *rq, peer_cell *out)
{
    static void (*const classes[])(struct state *, const peer_req *, peer_cell *) = {
        cipher_cell,
        digest_cell,
        mac_cell,
        evp_pkey_cell,
    };
    if (rq->lanes != 1)
        return PEER_NONE;
    struct state *s = peer_alloc(sizeof *s);
    s->f = p->priv;
    while (!peer_is(rq->mode, mode_names[s->mode]))
        s->mode++;
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + 128);
    *out = (peer_cell){ NULL, fini, s, s->out, 0 };
    for (size_t i = 0; i < sizeof classes / sizeof *classes && !out->run; i++)
        classes[i](s, rq, out);
    if (out->run)
        return PEER_OK;
    fini(s);
    return PEER_NONE;
}

int peer_open(int abi, const char *arg, peer *p)
{
    if (abi != PEER_ABI || !arg)
        return 1;
    void *const handle = dlopen(arg, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "# %s\n", dlerror());
        return 1;
    }
    struct lib *const f = peer_alloc(sizeof *f);
#define X(function)                                                         \
    if (!(f->function = (__typeof__(f->function))dlsym(handle, #function))) \
        fprintf(stderr, "# %s lacks %s\n", arg, #function);
    FUNCTIONS(X)
#undef X
    f->OSSL_PROVIDER_load(NULL, "default");
    f->OSSL_PROVIDER_load(NULL, "legacy");
    snprintf(p->version, sizeof p->version, "%s; %s", f->OpenSSL_version(OPENSSL_VERSION),
             f->OpenSSL_version(OPENSSL_CPU_INFO));
    p->modes = mode_names;
    p->cell = cell;
    p->priv = f;
    return 0;
}
