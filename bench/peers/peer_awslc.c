/* SPDX-License-Identifier: Apache-2.0 */
/* AWS-LC: EVP_CIPHER, EVP_AEAD and HMAC on kept contexts, digests of one call. */
#include "peer.h"
#include <openssl/aead.h>
#include <openssl/base.h>
#include <openssl/cipher.h>
#include <openssl/cmac.h>
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

typedef uint8_t *digest_fn(const uint8_t *in, size_t len, uint8_t *out);

struct state {
    size_t size;
    int encrypt;
    EVP_CIPHER_CTX *cipher;
    EVP_AEAD_CTX *aead;
    HMAC_CTX *hmac;
    CMAC_CTX *cmac;
    digest_fn *digest;
    struct pkey_state *pkey;
    uint8_t key[64], iv[16], *in, *out;
};

/* ---- ciphers ---- */

static void run_cipher(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    int len;
    while (n--) {
        EVP_CipherInit_ex(s->cipher, NULL, NULL, NULL, s->iv, s->encrypt);
        EVP_CipherUpdate(s->cipher, s->out, &len, s->in, (int)s->size);
    }
}

static void run_ecb(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    int len;
    while (n--)
        EVP_CipherUpdate(s->cipher, s->out, &len, s->in, (int)s->size);
}

static void cipher_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static const struct {
        const char *alg;
        const EVP_CIPHER *(*cipher)(void);
        size_t key_len;
        peer_run_fn *run;
    } ciphers[] = {
        { "AES-128-ECB", EVP_aes_128_ecb, 16, run_ecb },
        { "AES-256-ECB", EVP_aes_256_ecb, 32, run_ecb },
        { "AES-128-CBC", EVP_aes_128_cbc, 16, run_cipher },
        { "AES-256-CBC", EVP_aes_256_cbc, 32, run_cipher },
        { "AES-128-CTR", EVP_aes_128_ctr, 16, run_cipher },
        { "AES-256-CTR", EVP_aes_256_ctr, 32, run_cipher },
        { "AES-128-CFB", EVP_aes_128_cfb128, 16, run_cipher },
        { "AES-256-CFB", EVP_aes_256_cfb128, 32, run_cipher },
        { "AES-256-XTS", EVP_aes_256_xts, 64, run_cipher },
        { "DES-CBC", EVP_des_cbc, 8, run_cipher },
        { "3DES-CBC", EVP_des_ede3_cbc, 24, run_cipher },
    };
    const __typeof__(&ciphers[0]) c = PEER_ROW(ciphers, rq->alg);
    if (!c)
        return;
    peer_key(s->key, c->key_len);
    s->cipher = EVP_CIPHER_CTX_new();
    if (!EVP_CipherInit_ex(s->cipher, c->cipher(), NULL, s->key, s->iv, s->encrypt))
        return;
    EVP_CIPHER_CTX_set_padding(s->cipher, 0);
    out->run = c->run;
    out->outlen = s->size;
}

/* ---- AEADs ---- */

static void run_seal(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    size_t len;
    while (n--)
        EVP_AEAD_CTX_seal(s->aead, s->out, &len, s->size + 16, s->iv, 12, s->in, s->size, NULL, 0);
}

static void run_open(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    size_t len;
    while (n--)
        must(EVP_AEAD_CTX_open(s->aead, s->out, &len, s->size + 16, s->iv, 12, s->in, s->size + 16,
                               NULL, 0));
}

static void aead_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static const struct {
        const char *alg;
        const EVP_AEAD *(*aead)(void);
        size_t key_len;
    } aeads[] = {
        { "AES-128-GCM", EVP_aead_aes_128_gcm, 16 },
        { "AES-256-GCM", EVP_aead_aes_256_gcm, 32 },
        { "CHACHA20-POLY1305", EVP_aead_chacha20_poly1305, 32 },
    };
    const __typeof__(&aeads[0]) a = PEER_ROW(aeads, rq->alg);
    if (!a)
        return;
    peer_key(s->key, a->key_len);
    s->aead = EVP_AEAD_CTX_new(a->aead(), s->key, a->key_len, 16);
    if (!s->encrypt) { /* a message to open */
        run_seal(s, 1);
        memcpy(s->in, s->out, s->size + 16);
    }
    out->run = s->encrypt ? run_seal : run_open;
    out->outlen = s->size + (s->encrypt ? 16 : 0);
}

/* ---- digests and MACs ---- */

PEER_LOOP(run_digest, s->digest(s->in, s->size, s->out))

static void digest_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static const struct {
        const char *alg;
        digest_fn *digest;
        size_t out_len;
    } digests[] = {
        { "MD5", MD5, 16 },
        { "SHA1", SHA1, 20 },
        { "SHA224", SHA224, 28 },
        { "SHA256", SHA256, 32 },
        { "SHA384", SHA384, 48 },
        { "SHA512", SHA512, 64 },
        { "SHA512-256", SHA512_256, 32 },
    };
    const __typeof__(&digests[0]) d = PEER_ROW(digests, rq->alg);
    if (!d)
        return;
    s->digest = d->digest;
    out->run = run_digest;
    out->outlen = d->out_len;
}

static void run_hmac(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    unsigned len;
    while (n--) {
        HMAC_Init_ex(s->hmac, NULL, 0, NULL, NULL);
        HMAC_Update(s->hmac, s->in, s->size);
        HMAC_Final(s->hmac, s->out, &len);
    }
}

static void hmac_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static const struct {
        const char *alg;
        const EVP_MD *(*md)(void);
    } hmacs[] = {
        { "HMAC-MD5", EVP_md5 },
        { "HMAC-SHA1", EVP_sha1 },
        { "HMAC-SHA256", EVP_sha256 },
    };
    const __typeof__(&hmacs[0]) h = PEER_ROW(hmacs, rq->alg);
    if (!h)
        return;
    peer_key(s->key, 32);
    s->hmac = HMAC_CTX_new();
    must(HMAC_Init_ex(s->hmac, s->key, 32, h->md(), NULL));
    out->run = run_hmac;
    out->outlen = EVP_MD_size(h->md());
}

static void run_cmac(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    size_t len;
    while (n--) {
        CMAC_Reset(s->cmac);
        CMAC_Update(s->cmac, s->in, s->size);
        CMAC_Final(s->cmac, s->out, &len);
    }
}

static void cmac_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const int is_128 = peer_is(rq->alg, "AES-128-CMAC");
    if (!is_128 && !peer_is(rq->alg, "AES-256-CMAC"))
        return;
    peer_key(s->key, 32);
    s->cmac = CMAC_CTX_new();
    must(CMAC_Init(s->cmac, s->key, is_128 ? 16 : 32,
                   is_128 ? EVP_aes_128_cbc() : EVP_aes_256_cbc(), NULL));
    out->run = run_cmac;
    out->outlen = 16;
}

static void run_poly1305(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        poly1305_state mac;
        CRYPTO_poly1305_init(&mac, s->key);
        CRYPTO_poly1305_update(&mac, s->in, s->size);
        CRYPTO_poly1305_finish(&mac, s->out);
    }
}

static void poly1305_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    if (!peer_is(rq->alg, "POLY1305"))
        return;
    peer_key(s->key, 32);
    out->run = run_poly1305;
    out->outlen = 16;
}

/* ---- public keys ---- */

#define F(function) function
#define RESET_MD EVP_MD_CTX_reset(p->md_ctx)
#include "pkey.h"

static void kept_pkey_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    pkey_cell(s, rq, EVP_sha256(), 0, out);
}

/* ---- cells ---- */

static void fini(void *ctx)
{
    struct state *s = ctx;
    EVP_CIPHER_CTX_free(s->cipher);
    EVP_AEAD_CTX_free(s->aead);
    HMAC_CTX_free(s->hmac);
    CMAC_CTX_free(s->cmac);
    pkey_fini(s);
    free(s->in);
    free(s->out);
    free(s);
}

static int cell(peer *p, const peer_req *rq, peer_cell *out)
{
    static void (*const classes[])(struct state *, const peer_req *, peer_cell *) = {
        cipher_cell, aead_cell, digest_cell, hmac_cell, cmac_cell, poly1305_cell, kept_pkey_cell,
    };
    if (rq->lanes != 1)
        return PEER_NONE;
    struct state *s = peer_alloc(sizeof *s);
    s->size = rq->size;
    s->encrypt = peer_is(rq->op, "enc");
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + 128);
    peer_iv(s->iv, 16);
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
    static const char *const modes[] = { "direct", NULL };
    if (abi != PEER_ABI)
        return 1;
    snprintf(p->version, sizeof p->version, "%s (AWS-LC %s)", OpenSSL_version(0),
             AWSLC_VERSION_NUMBER_STRING);
    p->modes = modes;
    p->cell = cell;
    return 0;
}
