/* SPDX-License-Identifier: Apache-2.0 */
/* peer_awslc.c - AWS-LC: EVP_AEAD / EVP with kept contexts, one-shot digests. */
#include "peer.h"
#include <openssl/aead.h>
#include <openssl/base.h>
#include <openssl/cipher.h>
#include <openssl/crypto.h>
#include <openssl/curve25519.h>
#include <openssl/ec_key.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/poly1305.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

struct st {
    size_t size, keyn;
    int enc, ed;
    EVP_CIPHER_CTX *cc;
    EVP_AEAD_CTX *ac;
    HMAC_CTX *hc;
    EVP_PKEY *pk, *peer;
    EVP_PKEY_CTX *pc;
    EVP_MD_CTX *mc;
    uint8_t *(*one)(const uint8_t *, size_t, uint8_t *);
    uint8_t key[64], iv[16], *in, *out, sig[1024];
    size_t siglen, inlen;
};
static void fini(void *v)
{
    struct st *s = v;
    if (s->cc) EVP_CIPHER_CTX_free(s->cc);
    if (s->ac) EVP_AEAD_CTX_free(s->ac);
    if (s->hc) HMAC_CTX_free(s->hc);
    if (s->pc) EVP_PKEY_CTX_free(s->pc);
    if (s->mc) EVP_MD_CTX_free(s->mc);
    EVP_PKEY_free(s->pk);
    EVP_PKEY_free(s->peer);
    free(s->in);
    free(s->out);
    free(s);
}
static void r_c(void *v, uint64_t n)
{
    struct st *s = v;
    int l;
    while (n--) {
        EVP_CipherInit_ex(s->cc, NULL, NULL, NULL, s->iv, s->enc);
        EVP_CipherUpdate(s->cc, s->out, &l, s->in, (int)s->size);
    }
}
static void r_ecb(void *v, uint64_t n)
{
    struct st *s = v;
    int l;
    while (n--)
        EVP_CipherUpdate(s->cc, s->out, &l, s->in, (int)s->size);
}
static void r_seal(void *v, uint64_t n)
{
    struct st *s = v;
    size_t l;
    while (n--)
        EVP_AEAD_CTX_seal(s->ac, s->out, &l, s->size + 16, s->iv, 12, s->in, s->size, NULL, 0);
}
static void r_open(void *v, uint64_t n)
{
    struct st *s = v;
    size_t l;
    while (n--)
        if (!EVP_AEAD_CTX_open(s->ac, s->out, &l, s->size + 16, s->iv, 12, s->in, s->size + 16, NULL, 0))
            abort();
}
static void r_d(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        s->one(s->in, s->size, s->out);
}
static void r_h(void *v, uint64_t n)
{
    struct st *s = v;
    unsigned l;
    while (n--) {
        HMAC_Init_ex(s->hc, NULL, 0, NULL, NULL);
        HMAC_Update(s->hc, s->in, s->size);
        HMAC_Final(s->hc, s->out, &l);
    }
}
static void r_p(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        poly1305_state st;
        CRYPTO_poly1305_init(&st, s->key);
        CRYPTO_poly1305_update(&st, s->in, s->size);
        CRYPTO_poly1305_finish(&st, s->out);
    }
}
static void r_sign(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        s->siglen = sizeof s->sig;
        if (s->ed ? !(EVP_MD_CTX_reset(s->mc), EVP_DigestSignInit(s->mc, NULL, NULL, NULL, s->pk) &&
                          EVP_DigestSign(s->mc, s->sig, &s->siglen, s->in, 32))
                  : EVP_PKEY_sign(s->pc, s->sig, &s->siglen, s->in, 32) <= 0)
            abort();
    }
}
static void r_verify(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        if (s->ed ? !(EVP_MD_CTX_reset(s->mc), EVP_DigestVerifyInit(s->mc, NULL, NULL, NULL, s->pk) &&
                          EVP_DigestVerify(s->mc, s->sig, s->siglen, s->in, 32))
                  : EVP_PKEY_verify(s->pc, s->sig, s->siglen, s->in, 32) <= 0)
            abort();
}
static void r_derive(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        size_t l = 64;
        if (EVP_PKEY_derive(s->pc, s->out, &l) <= 0)
            abort();
    }
}
static EVP_PKEY *load(const char *dir, const char *name)
{
    size_t n;
    uint8_t *b = peer_file(dir, name, &n);
    if (!b)
        return NULL;
    const uint8_t *q = b;
    PKCS8_PRIV_KEY_INFO *i = d2i_PKCS8_PRIV_KEY_INFO(NULL, &q, (long)n);
    EVP_PKEY *k = NULL;
    if (i) {
        k = EVP_PKCS82PKEY(i);
        PKCS8_PRIV_KEY_INFO_free(i);
    } else {
        q = b;
        k = d2i_AutoPrivateKey(NULL, &q, (long)n);
    }
    free(b);
    return k;
}
static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    const char *a = rq->alg;
    if (rq->lanes != 1)
        return PEER_NONE;
    struct st *s = calloc(1, sizeof *s);
    o->ctx = s;
    o->fini = fini;
    s->size = rq->size;
    s->enc = peer_is(rq->op, "enc");
    s->in = peer_alloc(rq->size + 64);
    peer_fill(s->in, rq->size, 3);
    s->out = peer_alloc(rq->size + 128);
    o->out = s->out;
    peer_iv(s->iv, 16);
    const EVP_CIPHER *c = NULL;
    const EVP_AEAD *d = NULL;
    struct { const char *a; const EVP_CIPHER *c; size_t k; } C[] = {
        { "AES-128-ECB", EVP_aes_128_ecb(), 16 }, { "AES-256-ECB", EVP_aes_256_ecb(), 32 },
        { "AES-128-CBC", EVP_aes_128_cbc(), 16 }, { "AES-256-CBC", EVP_aes_256_cbc(), 32 },
        { "AES-128-CTR", EVP_aes_128_ctr(), 16 }, { "AES-256-CTR", EVP_aes_256_ctr(), 32 },
        { "AES-128-CFB", EVP_aes_128_cfb128(), 16 }, { "AES-256-CFB", EVP_aes_256_cfb128(), 32 },
        { "AES-256-XTS", EVP_aes_256_xts(), 64 },
        { "DES-CBC", EVP_des_cbc(), 8 }, { "3DES-CBC", EVP_des_ede3_cbc(), 24 } };
    struct { const char *a; const EVP_AEAD *d; size_t k; } A[] = {
        { "AES-128-GCM", EVP_aead_aes_128_gcm(), 16 }, { "AES-256-GCM", EVP_aead_aes_256_gcm(), 32 },
        { "CHACHA20-POLY1305", EVP_aead_chacha20_poly1305(), 32 } };
    for (size_t i = 0; i < sizeof C / sizeof *C; i++)
        if (peer_is(a, C[i].a))
            c = C[i].c, peer_key(s->key, C[i].k);
    size_t kn = 0;
    for (size_t i = 0; i < sizeof A / sizeof *A; i++)
        if (peer_is(a, A[i].a))
            d = A[i].d, peer_key(s->key, kn = A[i].k);
    if (c) {
        s->cc = EVP_CIPHER_CTX_new();
        if (!EVP_CipherInit_ex(s->cc, c, NULL, s->key, s->iv, s->enc))
            goto none;
        EVP_CIPHER_CTX_set_padding(s->cc, 0);
        o->run = strstr(a, "ECB") ? r_ecb : r_c;
        o->outlen = rq->size;
        return PEER_OK;
    }
    if (d) {
        s->ac = EVP_AEAD_CTX_new(d, s->key, kn, 16);
        o->outlen = rq->size + (s->enc ? 16 : 0);
        if (!s->enc) {
            r_seal(s, 1);
            memcpy(s->in, s->out, rq->size + 16);
        }
        o->run = s->enc ? r_seal : r_open;
        return PEER_OK;
    }
    struct { const char *a; uint8_t *(*f)(const uint8_t *, size_t, uint8_t *); size_t n; } D[] = {
        { "MD5", MD5, 16 }, { "SHA1", SHA1, 20 }, { "SHA224", SHA224, 28 }, { "SHA256", SHA256, 32 },
        { "SHA384", SHA384, 48 }, { "SHA512", SHA512, 64 }, { "SHA512-256", SHA512_256, 32 } };
    for (size_t i = 0; i < sizeof D / sizeof *D; i++)
        if (peer_is(a, D[i].a)) {
            s->one = D[i].f;
            o->run = r_d;
            o->outlen = D[i].n;
            return PEER_OK;
        }
    peer_key(s->key, 32);
    if (peer_starts(a, "HMAC-")) {
        const EVP_MD *m = peer_is(a, "HMAC-MD5") ? EVP_md5() : peer_is(a, "HMAC-SHA1") ? EVP_sha1() : EVP_sha256();
        s->hc = HMAC_CTX_new();
        HMAC_Init_ex(s->hc, s->key, 32, m, NULL);
        o->run = r_h;
        o->outlen = EVP_MD_size(m);
        return PEER_OK;
    }
    if (peer_is(a, "POLY1305")) {
        o->run = r_p;
        o->outlen = 16;
        return PEER_OK;
    }
    static const struct { const char *alg, *file; } PKS[] = {
        { "RSA-1024", "rsa1024.der" }, { "RSA-2048", "rsa2048.der" }, { "RSA-4096", "rsa4096.der" },
        { "ECDSA-P256", "p256.der" }, { "ECDH-P256", "p256.der" }, { "X25519", "x25519.der" }, { "ED25519", "ed25519.der" } };
    for (size_t i = 0; i < sizeof PKS / sizeof *PKS; i++) {
        if (!peer_is(a, PKS[i].alg))
            continue;
        if (!(s->pk = load(rq->keydir, PKS[i].file)))
            goto none;
        s->size = 32;
        if (peer_is(rq->op, "derive")) {
            if (!(s->peer = load(rq->keydir, peer_is(a, "X25519") ? "x25519b.der" : "p256b.der")))
                goto none;
            s->pc = EVP_PKEY_CTX_new(s->pk, NULL);
            if (EVP_PKEY_derive_init(s->pc) <= 0 || EVP_PKEY_derive_set_peer(s->pc, s->peer) <= 0)
                goto none;
            o->run = r_derive;
            o->outlen = 32;
            return PEER_OK;
        }
        s->ed = peer_is(a, "ED25519");
        s->mc = EVP_MD_CTX_new();
        int sign = peer_is(rq->op, "sign");
        for (int pass = 0; pass < (sign ? 1 : 2) && !s->ed; pass++) {
            if (s->pc)
                EVP_PKEY_CTX_free(s->pc);
            s->pc = EVP_PKEY_CTX_new(s->pk, NULL);
            if ((pass == 0 ? EVP_PKEY_sign_init(s->pc) : EVP_PKEY_verify_init(s->pc)) <= 0)
                goto none;
            if (peer_starts(a, "RSA"))
                EVP_PKEY_CTX_set_rsa_padding(s->pc, RSA_PKCS1_PADDING);
            EVP_PKEY_CTX_set_signature_md(s->pc, EVP_sha256());
            if (pass == 0)
                r_sign(s, 1);
        }
        if (s->ed)
            r_sign(s, 1);
        o->run = sign ? r_sign : r_verify;
        if (sign && !peer_starts(a, "ECDSA")) {
            o->out = s->sig;
            o->outlen = s->siglen;
        }
        return PEER_OK;
    }
none:
    fini(s);
    return PEER_NONE;
}
static const char *const MODES[] = { "direct", NULL };
int peer_open(int abi, const char *arg, peer *p)
{
    if (abi != PEER_ABI)
        return 1;
    snprintf(p->version, sizeof p->version, "%s (AWS-LC %s)", OpenSSL_version(0), AWSLC_VERSION_NUMBER_STRING);
    p->modes = MODES;
    p->cell = cell;
    return 0;
}
