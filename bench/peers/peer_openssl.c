/* SPDX-License-Identifier: Apache-2.0 */
/* peer_openssl.c - any OpenSSL 3.x libcrypto, opened by path (ARG), so that
 * several builds can be timed in one process.
 *
 * modes: evp      objects fetched once, contexts kept, re-init with NULL type:
 *                 the lowest overhead an application can have
 *        implicit EVP_aes_128_cbc()-style constant object, new context a message;
 *                 EVP_Digest(), HMAC(): the common old-style code
 *        fetch    fetch by name, new context, for every message
 *        upd      ciphers only: EVP_CipherUpdate alone on a running context
 *        low      the deprecated SHA256_Init/Update/Final family (digests only)
 */
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
#define FNS(X)                                                                                               \
    X(OpenSSL_version) X(OSSL_PROVIDER_load) X(EVP_CIPHER_fetch) X(EVP_CIPHER_free) X(EVP_CIPHER_CTX_new)    \
    X(EVP_CIPHER_CTX_free) X(EVP_CipherInit_ex2) X(EVP_CipherInit_ex) X(EVP_CipherUpdate)                    \
    X(EVP_CipherFinal_ex) X(EVP_CIPHER_CTX_ctrl) X(EVP_CIPHER_CTX_set_padding) X(EVP_get_cipherbyname)       \
    X(EVP_MD_fetch) X(EVP_MD_free) X(EVP_MD_CTX_new) X(EVP_MD_CTX_free) X(EVP_DigestInit_ex2)                \
    X(EVP_DigestUpdate) X(EVP_DigestFinal_ex) X(EVP_Digest) X(EVP_get_digestbyname) X(EVP_MAC_fetch)         \
    X(EVP_MAC_free) X(EVP_MAC_CTX_new) X(EVP_MAC_CTX_free) X(EVP_MAC_init) X(EVP_MAC_update)                 \
    X(EVP_MAC_final) X(EVP_Q_mac) X(HMAC) X(MD5_Init) X(MD5_Update) X(MD5_Final) X(SHA1_Init)                \
    X(SHA1_Update) X(SHA1_Final) X(SHA256_Init) X(SHA256_Update) X(SHA256_Final) X(SHA512_Init)              \
    X(SHA512_Update) X(SHA512_Final) X(d2i_AutoPrivateKey) X(EVP_PKEY_free) X(EVP_PKEY_CTX_new)              \
    X(EVP_PKEY_CTX_free) X(EVP_PKEY_sign_init) X(EVP_PKEY_sign) X(EVP_PKEY_verify_init) X(EVP_PKEY_verify)   \
    X(EVP_PKEY_derive_init) X(EVP_PKEY_derive_set_peer) X(EVP_PKEY_derive) X(EVP_PKEY_CTX_set_rsa_padding)   \
    X(EVP_PKEY_CTX_set_signature_md) X(EVP_DigestSignInit) X(EVP_DigestSign) X(EVP_DigestVerifyInit)         \
    X(EVP_DigestVerify) X(OSSL_PARAM_construct_utf8_string) X(OSSL_PARAM_construct_end)

struct lib {
#define X(f) __typeof__(&f) f;
    FNS(X)
#undef X
};

enum kind { CIPH, AEAD, DIG, MACK, MACP, PK };
struct st {
    struct lib *f;
    char name[48];
    int enc, taglen, ivlen, keylen, noiv, is_pk_ed, mac_p;
    size_t size, keyn;
    const EVP_CIPHER *c;
    EVP_CIPHER_CTX *cc;
    const EVP_MD *m;
    EVP_MD_CTX *mc;
    EVP_MAC *mac;
    EVP_MAC_CTX *xc;
    EVP_PKEY *pk, *peer;
    EVP_PKEY_CTX *pc;
    const char *mdname;
    uint8_t key[64], iv[16], tag[16], *in, *out;
    uint8_t sig[1024];
    size_t siglen;
    union { MD5_CTX a; SHA_CTX b; SHA256_CTX c; SHA512_CTX d; } lo;
};

static void fini(void *v)
{
    struct st *s = v;
    struct lib *f = s->f;
    if (s->cc) f->EVP_CIPHER_CTX_free(s->cc);
    if (s->mc) f->EVP_MD_CTX_free(s->mc);
    if (s->xc) f->EVP_MAC_CTX_free(s->xc);
    if (s->pc) f->EVP_PKEY_CTX_free(s->pc);
    if (s->pk) f->EVP_PKEY_free(s->pk);
    if (s->peer) f->EVP_PKEY_free(s->peer);
    free(s->in);
    free(s->out);
    free(s);
}

/* ------------------------------------------------------------- ciphers */
static void c_evp(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    int l;
    while (n--) {
        f->EVP_CipherInit_ex2(s->cc, NULL, NULL, s->iv, s->enc, NULL);
        f->EVP_CipherUpdate(s->cc, s->out, &l, s->in, (int)s->size);
    }
}
static void c_upd(void *v, uint64_t n)
{
    struct st *s = v;
    int l;
    while (n--)
        s->f->EVP_CipherUpdate(s->cc, s->out, &l, s->in, (int)s->size);
}
static void c_implicit(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    int l, m;
    while (n--) {
        EVP_CIPHER_CTX *c = f->EVP_CIPHER_CTX_new();
        f->EVP_CipherInit_ex(c, s->c, NULL, s->key, s->iv, s->enc);
        f->EVP_CIPHER_CTX_set_padding(c, 0);
        f->EVP_CipherUpdate(c, s->out, &l, s->in, (int)s->size);
        f->EVP_CipherFinal_ex(c, s->out + l, &m);
        f->EVP_CIPHER_CTX_free(c);
    }
}
static void c_fetch(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    int l, m;
    while (n--) {
        EVP_CIPHER *e = f->EVP_CIPHER_fetch(NULL, s->name, NULL);
        EVP_CIPHER_CTX *c = f->EVP_CIPHER_CTX_new();
        f->EVP_CipherInit_ex2(c, e, s->key, s->iv, s->enc, NULL);
        f->EVP_CIPHER_CTX_set_padding(c, 0);
        f->EVP_CipherUpdate(c, s->out, &l, s->in, (int)s->size);
        f->EVP_CipherFinal_ex(c, s->out + l, &m);
        f->EVP_CIPHER_CTX_free(c);
        f->EVP_CIPHER_free(e);
    }
}
/* ---------------------------------------------------------------- AEAD */
static inline int aead_body(struct st *s, EVP_CIPHER_CTX *c)
{
    struct lib *f = s->f;
    int l, m;
    if (!s->enc)
        f->EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, s->tag);
    f->EVP_CipherUpdate(c, s->out, &l, s->in, (int)s->size);
    int ok = f->EVP_CipherFinal_ex(c, s->out + l, &m);
    if (s->enc)
        f->EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, s->out + s->size);
    return ok;
}
static void a_evp(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        s->f->EVP_CipherInit_ex2(s->cc, NULL, NULL, s->iv, s->enc, NULL);
        if (!aead_body(s, s->cc))
            abort();
    }
}
static void a_implicit(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    while (n--) {
        EVP_CIPHER_CTX *c = f->EVP_CIPHER_CTX_new();
        f->EVP_CipherInit_ex(c, s->c, NULL, s->key, s->iv, s->enc);
        aead_body(s, c);
        f->EVP_CIPHER_CTX_free(c);
    }
}
static void a_fetch(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    while (n--) {
        EVP_CIPHER *e = f->EVP_CIPHER_fetch(NULL, s->name, NULL);
        EVP_CIPHER_CTX *c = f->EVP_CIPHER_CTX_new();
        f->EVP_CipherInit_ex2(c, e, s->key, s->iv, s->enc, NULL);
        aead_body(s, c);
        f->EVP_CIPHER_CTX_free(c);
        f->EVP_CIPHER_free(e);
    }
}
/* ------------------------------------------------------------- digests */
static void d_evp(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    unsigned l;
    while (n--) {
        f->EVP_DigestInit_ex2(s->mc, NULL, NULL);
        f->EVP_DigestUpdate(s->mc, s->in, s->size);
        f->EVP_DigestFinal_ex(s->mc, s->out, &l);
    }
}
static void d_implicit(void *v, uint64_t n)
{
    struct st *s = v;
    unsigned l;
    while (n--)
        s->f->EVP_Digest(s->in, s->size, s->out, &l, s->m, NULL);
}
static void d_fetch(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    unsigned l;
    while (n--) {
        EVP_MD *m = f->EVP_MD_fetch(NULL, s->name, NULL);
        f->EVP_Digest(s->in, s->size, s->out, &l, m, NULL);
        f->EVP_MD_free(m);
    }
}
#define LOW(fn, P, u)                                       \
    static void fn(void *v, uint64_t n)                     \
    {                                                       \
        struct st *s = v;                                   \
        while (n--) {                                       \
            s->f->P##_Init(&s->lo.u);                       \
            s->f->P##_Update(&s->lo.u, s->in, s->size);     \
            s->f->P##_Final(s->out, &s->lo.u);              \
        }                                                   \
    }
LOW(l_md5, MD5, a)
LOW(l_sha1, SHA1, b)
LOW(l_sha256, SHA256, c)
LOW(l_sha512, SHA512, d)
/* ---------------------------------------------------------------- MACs */
static void m_evp(void *v, uint64_t n)
{
    struct st *s = v;
    struct lib *f = s->f;
    size_t l;
    while (n--) {
        /* HMAC: key kept. Poly1305: a one-time key, so set each time. */
        f->EVP_MAC_init(s->xc, s->mac_p ? s->key : NULL, s->mac_p ? 32 : 0, NULL);
        f->EVP_MAC_update(s->xc, s->in, s->size);
        f->EVP_MAC_final(s->xc, s->out, &l, 64);
    }
}
static void m_implicit(void *v, uint64_t n)
{
    struct st *s = v;
    unsigned l;
    while (n--)
        s->f->HMAC(s->m, s->key, (int)s->keyn, s->in, s->size, s->out, &l);
}
static void m_fetch(void *v, uint64_t n)
{
    struct st *s = v;
    size_t l;
    while (n--)
        s->f->EVP_Q_mac(NULL, s->mac_p ? "POLY1305" : "HMAC", NULL, s->mac_p ? NULL : s->mdname, NULL, s->key,
                        s->keyn, s->in, s->size, s->out, 64, &l);
}
/* ---------------------------------------------------------- public key */
static void p_sign(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        s->siglen = sizeof s->sig;
        if (s->f->EVP_PKEY_sign(s->pc, s->sig, &s->siglen, s->in, s->size) <= 0)
            abort();
    }
}
static void p_verify(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        if (s->f->EVP_PKEY_verify(s->pc, s->sig, s->siglen, s->in, s->size) != 1)
            abort();
}
static void p_derive(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        size_t l = 64;
        if (s->f->EVP_PKEY_derive(s->pc, s->out, &l) <= 0)
            abort();
    }
}
static void p_ed_sign(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        s->siglen = sizeof s->sig;
        s->f->EVP_DigestSignInit(s->mc, NULL, NULL, NULL, s->pk);
        if (s->f->EVP_DigestSign(s->mc, s->sig, &s->siglen, s->in, s->size) <= 0)
            abort();
    }
}
static void p_ed_verify(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        s->f->EVP_DigestVerifyInit(s->mc, NULL, NULL, NULL, s->pk);
        if (s->f->EVP_DigestVerify(s->mc, s->sig, s->siglen, s->in, s->size) != 1)
            abort();
    }
}
/* the naive way: new context every time */
static void pctx(struct st *s, EVP_PKEY_CTX **pc, int sign);
static void p_sign_new(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        EVP_PKEY_CTX *pc;
        pctx(s, &pc, 1);
        s->siglen = sizeof s->sig;
        if (s->f->EVP_PKEY_sign(pc, s->sig, &s->siglen, s->in, s->size) <= 0)
            abort();
        s->f->EVP_PKEY_CTX_free(pc);
    }
}
static void p_verify_new(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        EVP_PKEY_CTX *pc;
        pctx(s, &pc, 0);
        if (s->f->EVP_PKEY_verify(pc, s->sig, s->siglen, s->in, s->size) != 1)
            abort();
        s->f->EVP_PKEY_CTX_free(pc);
    }
}
static void pctx(struct st *s, EVP_PKEY_CTX **pc, int sign)
{
    struct lib *f = s->f;
    *pc = f->EVP_PKEY_CTX_new(s->pk, NULL);
    if (sign)
        f->EVP_PKEY_sign_init(*pc);
    else
        f->EVP_PKEY_verify_init(*pc);
    if (peer_starts(s->name, "RSA")) {
        f->EVP_PKEY_CTX_set_rsa_padding(*pc, RSA_PKCS1_PADDING);
        f->EVP_PKEY_CTX_set_signature_md(*pc, s->m);
    }
}

static EVP_PKEY *load(struct lib *f, const char *dir, const char *name)
{
    size_t n;
    uint8_t *b = peer_file(dir, name, &n);
    if (!b)
        return NULL;
    const unsigned char *q = b;
    EVP_PKEY *k = f->d2i_AutoPrivateKey(NULL, &q, (long)n);
    free(b);
    return k;
}

static const struct { const char *alg, *ossl; int key, iv, tag; } CI[] = {
    { "AES-128-ECB", "AES-128-ECB", 16, 0, 0 }, { "AES-256-ECB", "AES-256-ECB", 32, 0, 0 },
    { "AES-128-CBC", "AES-128-CBC", 16, 16, 0 }, { "AES-256-CBC", "AES-256-CBC", 32, 16, 0 },
    { "AES-128-CTR", "AES-128-CTR", 16, 16, 0 }, { "AES-256-CTR", "AES-256-CTR", 32, 16, 0 },
    { "AES-128-CFB", "AES-128-CFB", 16, 16, 0 }, { "AES-256-CFB", "AES-256-CFB", 32, 16, 0 },
    { "AES-128-GCM", "AES-128-GCM", 16, 12, 16 }, { "AES-256-GCM", "AES-256-GCM", 32, 12, 16 },
    { "AES-128-XTS", "AES-128-XTS", 32, 16, 0 }, { "AES-256-XTS", "AES-256-XTS", 64, 16, 0 },
    { "DES-CBC", "DES-CBC", 8, 8, 0 }, { "3DES-CBC", "DES-EDE3-CBC", 24, 8, 0 },
    { "CAMELLIA-128-CBC", "CAMELLIA-128-CBC", 16, 16, 0 },
    { "CAMELLIA-128-CTR", "CAMELLIA-128-CTR", 16, 16, 0 },
    { "CHACHA20-POLY1305", "ChaCha20-Poly1305", 32, 12, 16 },
};
static const struct { const char *alg, *ossl; unsigned len; } DI[] = {
    { "MD5", "MD5", 16 }, { "SHA1", "SHA1", 20 }, { "SHA224", "SHA224", 28 }, { "SHA256", "SHA256", 32 },
    { "SHA384", "SHA384", 48 }, { "SHA512", "SHA512", 64 }, { "SHA512-256", "SHA512-256", 32 },
};

static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    struct lib *f = p->priv;
    const char *a = rq->alg, *md = rq->mode;
    if (rq->lanes != 1)
        return PEER_NONE;
    int evp = peer_is(md, "evp"), imp = peer_is(md, "implicit"), fet = peer_is(md, "fetch"), upd = peer_is(md, "upd"),
        low = peer_is(md, "low");
    struct st *s = calloc(1, sizeof *s);
    s->f = f;
    s->size = rq->size;
    o->ctx = s;
    o->fini = fini;
    s->out = peer_alloc(rq->size + 128);
    s->in = peer_msg(rq->size);
    for (size_t i = 0; i < sizeof CI / sizeof *CI; i++) {
        if (!peer_is(a, CI[i].alg))
            continue;
        snprintf(s->name, sizeof s->name, "%s", CI[i].ossl);
        s->enc = peer_is(rq->op, "enc");
        peer_key(s->key, (size_t)CI[i].key);
        peer_iv(s->iv, sizeof s->iv);
        EVP_CIPHER *c = f->EVP_CIPHER_fetch(NULL, s->name, NULL);
        if (!c || low || (upd && (CI[i].tag || strstr(a, "XTS"))))
            goto none;
        s->c = c;
        s->cc = f->EVP_CIPHER_CTX_new();
        if (CI[i].tag && !s->enc) { /* make a valid message first */
            s->enc = 1;
            f->EVP_CipherInit_ex2(s->cc, c, s->key, s->iv, 1, NULL);
            aead_body(s, s->cc);
            memcpy(s->in, s->out, s->size);
            memcpy(s->tag, s->out + s->size, 16);
            s->enc = 0;
        }
        f->EVP_CipherInit_ex2(s->cc, c, s->key, CI[i].iv ? s->iv : NULL, s->enc, NULL);
        f->EVP_CIPHER_CTX_set_padding(s->cc, 0);
        if (imp && !(s->c = f->EVP_get_cipherbyname(s->name)))
            goto none;
        int tag = CI[i].tag;
        o->run = evp ? (tag ? a_evp : CI[i].iv ? c_evp : c_upd) : imp ? (tag ? a_implicit : c_implicit)
                 : fet ? (tag ? a_fetch : c_fetch) : upd ? c_upd : NULL;
        if (upd && !CI[i].iv)
            goto none;
        o->out = s->out;
        o->outlen = s->size + (tag && s->enc ? 16 : 0);
        if (upd)
            o->outlen = 0;
        return PEER_OK;
    }
    for (size_t i = 0; i < sizeof DI / sizeof *DI; i++) {
        if (!peer_is(a, DI[i].alg))
            continue;
        snprintf(s->name, sizeof s->name, "%s", DI[i].ossl);
        s->m = f->EVP_MD_fetch(NULL, s->name, NULL);
        if (!s->m || upd)
            goto none;
        s->mc = f->EVP_MD_CTX_new();
        f->EVP_DigestInit_ex2(s->mc, s->m, NULL);
        if (imp && !(s->m = f->EVP_get_digestbyname(s->name)))
            goto none;
        o->run = evp ? d_evp : imp ? d_implicit : fet ? d_fetch : NULL;
        if (low)
            o->run = peer_is(a, "MD5") ? l_md5 : peer_is(a, "SHA1") ? l_sha1 : peer_is(a, "SHA256") ? l_sha256
                     : peer_is(a, "SHA512") ? l_sha512 : NULL;
        if (!o->run)
            goto none;
        o->out = s->out;
        o->outlen = DI[i].len;
        return PEER_OK;
    }
    if (peer_starts(a, "HMAC-") || peer_is(a, "POLY1305")) {
        s->mac_p = peer_is(a, "POLY1305");
        s->mdname = s->mac_p ? NULL : a + 5;
        s->keyn = s->mac_p ? 32 : 32;
        peer_key(s->key, s->keyn);
        s->mac = f->EVP_MAC_fetch(NULL, s->mac_p ? "POLY1305" : "HMAC", NULL);
        if (!s->mac || upd || low || (imp && s->mac_p))
            goto none;
        s->xc = f->EVP_MAC_CTX_new(s->mac);
        OSSL_PARAM pr[2];
        if (!s->mac_p) {
            pr[0] = f->OSSL_PARAM_construct_utf8_string("digest", (char *)s->mdname, 0);
            pr[1] = f->OSSL_PARAM_construct_end();
            s->m = f->EVP_get_digestbyname(s->mdname);
        }
        if (!f->EVP_MAC_init(s->xc, s->key, s->keyn, s->mac_p ? NULL : pr))
            goto none;
        o->run = evp ? m_evp : imp ? m_implicit : m_fetch;
        o->out = s->out;
        o->outlen = s->mac_p ? 16 : peer_is(s->mdname, "MD5") ? 16 : peer_is(s->mdname, "SHA1") ? 20 : 32;
        return PEER_OK;
    }
    static const struct { const char *alg, *file; } PKS[] = {
        { "RSA-1024", "rsa1024.der" }, { "RSA-2048", "rsa2048.der" }, { "RSA-4096", "rsa4096.der" },
        { "DSA-1024", "dsa1024.der" }, { "DSA-2048", "dsa2048.der" }, { "ECDSA-P256", "p256.der" },
        { "ECDH-P256", "p256.der" }, { "X25519", "x25519.der" }, { "ED25519", "ed25519.der" },
    };
    for (size_t i = 0; i < sizeof PKS / sizeof *PKS; i++) {
        if (!peer_is(a, PKS[i].alg))
            continue;
        if (!evp && !imp)
            goto none;
        snprintf(s->name, sizeof s->name, "%s", a);
        s->pk = load(f, rq->keydir, PKS[i].file);
        if (!s->pk)
            goto none;
        s->m = f->EVP_MD_fetch(NULL, "SHA256", NULL);
        s->size = 32;
        if (peer_is(rq->op, "derive")) {
            s->peer = load(f, rq->keydir, peer_is(a, "X25519") ? "x25519b.der" : "p256b.der");
            s->pc = f->EVP_PKEY_CTX_new(s->pk, NULL);
            if (!evp || f->EVP_PKEY_derive_init(s->pc) <= 0 || f->EVP_PKEY_derive_set_peer(s->pc, s->peer) <= 0)
                goto none;
            o->run = p_derive;
            o->out = s->out;
            o->outlen = 32;
            return PEER_OK;
        }
        int sign = peer_is(rq->op, "sign");
        if (peer_is(a, "ED25519")) {
            if (!evp)
                goto none;
            s->mc = f->EVP_MD_CTX_new();
            p_ed_sign(s, 1);
            o->run = sign ? p_ed_sign : p_ed_verify;
        } else {
            pctx(s, &s->pc, 1);
            p_sign(s, 1);
            if (!sign) {
                f->EVP_PKEY_CTX_free(s->pc);
                pctx(s, &s->pc, 0);
            }
            o->run = evp ? (sign ? p_sign : p_verify) : (sign ? p_sign_new : p_verify_new);
        }
        if (sign && (peer_starts(a, "RSA") || peer_starts(a, "ED"))) {
            o->out = s->sig;
            o->outlen = s->siglen;
        }
        return PEER_OK;
    }
none:
    fini(s);
    return PEER_NONE;
}

static const char *const MODES[] = { "evp", "implicit", "fetch", "upd", "low", NULL };

int peer_open(int abi, const char *arg, peer *p)
{
    if (abi != PEER_ABI || !arg)
        return 1;
    void *h = dlopen(arg, RTLD_NOW | RTLD_LOCAL);
    if (!h)
        return fprintf(stderr, "# %s\n", dlerror()), 1;
    struct lib *f = calloc(1, sizeof *f);
#define X(fn)                                                                  \
    if (!(f->fn = (__typeof__(f->fn))dlsym(h, #fn)))                           \
        fprintf(stderr, "# %s lacks %s\n", arg, #fn);
    FNS(X)
#undef X
    f->OSSL_PROVIDER_load(NULL, "default");
    f->OSSL_PROVIDER_load(NULL, "legacy");
    snprintf(p->version, sizeof p->version, "%s; %s", f->OpenSSL_version(OPENSSL_VERSION),
             f->OpenSSL_version(OPENSSL_CPU_INFO));
    p->modes = MODES;
    p->cell = cell;
    p->priv = f;
    return 0;
}
