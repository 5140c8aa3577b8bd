/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of public keys, for peers whose library has EVP_PKEY.  A peer defines before it includes
 * this: struct state, with struct pkey_state *pkey, in, and out; F(function), the library's
 * function where s is the state; and RESET_MD, what stands between two uses of s->pkey->md_ctx. */
#ifndef PKEY_H
#define PKEY_H

enum { DIGEST_LEN = 32 }; /* what is signed: the message's first bytes, as if a SHA-256 */

struct pkey_state {
    EVP_PKEY *key, *other;
    EVP_PKEY_CTX *ctx;
    const EVP_MD *sha256;
    EVP_MD_CTX *md_ctx; /* Ed25519's */
    int rsa;
    uint8_t signature[1024];
    size_t signature_len;
};

/* ---- RSA, DSA, ECDSA ---- */

static void run_sign(void *ctx, uint64_t n)
{
    struct state *const s = ctx;
    struct pkey_state *const p = s->pkey;
    while (n--) {
        p->signature_len = sizeof p->signature;
        must(F(EVP_PKEY_sign)(p->ctx, p->signature, &p->signature_len, s->in, DIGEST_LEN));
    }
}

static void run_verify(void *ctx, uint64_t n)
{
    struct state *const s = ctx;
    struct pkey_state *const p = s->pkey;
    while (n--)
        must(F(EVP_PKEY_verify)(p->ctx, p->signature, p->signature_len, s->in, DIGEST_LEN));
}

static int new_ctx(struct state *s, int sign)
{
    struct pkey_state *const p = s->pkey;
    F(EVP_PKEY_CTX_free)(p->ctx);
    p->ctx = F(EVP_PKEY_CTX_new)(p->key, NULL);
    return (sign ? F(EVP_PKEY_sign_init) : F(EVP_PKEY_verify_init))(p->ctx) > 0 &&
           (!p->rsa || (F(EVP_PKEY_CTX_set_rsa_padding)(p->ctx, RSA_PKCS1_PADDING) > 0 &&
                        F(EVP_PKEY_CTX_set_signature_md)(p->ctx, p->sha256) > 0));
}

/* run_sign_new and run_verify_new make a new context for each signature, as naive code does. */
PEER_LOOP(run_sign_new, must(new_ctx(s, 1)); run_sign(s, 1))
PEER_LOOP(run_verify_new, must(new_ctx(s, 0)); run_verify(s, 1))

/* ---- Ed25519 ---- */

static void run_ed25519_sign(void *ctx, uint64_t n)
{
    struct state *const s = ctx;
    struct pkey_state *const p = s->pkey;
    while (n--) {
        p->signature_len = sizeof p->signature;
        RESET_MD;
        must(F(EVP_DigestSignInit)(p->md_ctx, NULL, NULL, NULL, p->key));
        must(F(EVP_DigestSign)(p->md_ctx, p->signature, &p->signature_len, s->in, DIGEST_LEN));
    }
}

static void run_ed25519_verify(void *ctx, uint64_t n)
{
    struct state *const s = ctx;
    struct pkey_state *const p = s->pkey;
    while (n--) {
        RESET_MD;
        must(F(EVP_DigestVerifyInit)(p->md_ctx, NULL, NULL, NULL, p->key));
        must(F(EVP_DigestVerify)(p->md_ctx, p->signature, p->signature_len, s->in, DIGEST_LEN));
    }
}

/* ---- ECDH, X25519 ---- */

PEER_LOOP(run_derive, size_t len = 64; must(F(EVP_PKEY_derive)(s->pkey->ctx, s->out, &len)))

/* ---- cells ---- */

static EVP_PKEY *read_pkey(struct state *s, const char *dir, const char *name)
{
    size_t len;
    uint8_t *const bytes = peer_file(dir, name, &len);
    const uint8_t *at = bytes;
    EVP_PKEY *const key = bytes ? F(d2i_AutoPrivateKey)(NULL, &at, (long)len) : NULL;
    free(bytes);
    return key;
}

/* Signs once, so that there is something to verify and to compare; that of DSA and ECDSA is another
 * one each time. */
static void signature_cell(struct state *s, const peer_req *rq, int new, peer_cell *out)
{
    static peer_run_fn *const runs[][2] = {
        { run_verify, run_sign },
        { run_verify_new, run_sign_new },
        { run_ed25519_verify, run_ed25519_sign },
    };
    const int sign = peer_is(rq->op, "sign"), ed25519 = peer_is(rq->alg, "ED25519");
    if (ed25519 ? new : !new_ctx(s, 1))
        return;
    runs[ed25519 ? 2 : 0][1](s, 1);
    if (!ed25519 && !sign && !new_ctx(s, 0))
        return;
    out->run = runs[ed25519 ? 2 : new][sign];
    out->out = s->pkey->signature;
    out->outlen = sign && (ed25519 || s->pkey->rsa) ? s->pkey->signature_len : 0;
}

static void derive_cell(struct state *s, const peer_req *rq, const char *other, peer_cell *out)
{
    struct pkey_state *const p = s->pkey;
    p->other = read_pkey(s, rq->keydir, other);
    p->ctx = F(EVP_PKEY_CTX_new)(p->key, NULL);
    if (!p->other || F(EVP_PKEY_derive_init)(p->ctx) <= 0 ||
        F(EVP_PKEY_derive_set_peer)(p->ctx, p->other) <= 0)
        return;
    out->run = run_derive;
    out->outlen = 32;
}

static const struct pkey {
    const char *alg, *file, *other; /* other: the one that a secret is derived with */
} pkeys[] = {
    { "RSA-1024", "rsa1024.der", NULL },       { "RSA-2048", "rsa2048.der", NULL },
    { "RSA-4096", "rsa4096.der", NULL },       { "DSA-1024", "dsa1024.der", NULL },
    { "DSA-2048", "dsa2048.der", NULL },       { "ECDSA-P256", "p256.der", NULL },
    { "ED25519", "ed25519.der", NULL },        { "ECDH-P256", "p256.der", "p256b.der" },
    { "X25519", "x25519.der", "x25519b.der" },
};

/* pkey_cell makes a cell of a public key.  `new`: a context is made for each signature. */
static void pkey_cell(struct state *s, const peer_req *rq, const EVP_MD *sha256, int new,
                      peer_cell *out)
{
    const struct pkey *const k = PEER_ROW(pkeys, rq->alg);
    if (!k)
        return;
    struct pkey_state *const p = s->pkey = peer_alloc(sizeof *p);
    p->sha256 = sha256;
    p->md_ctx = F(EVP_MD_CTX_new)();
    p->rsa = peer_starts(rq->alg, "RSA");
    p->key = read_pkey(s, rq->keydir, k->file);
    if (!p->key)
        return;
    if (!k->other)
        signature_cell(s, rq, new, out);
    else if (!new)
        derive_cell(s, rq, k->other, out);
}

static void pkey_fini(struct state *s)
{
    if (!s->pkey)
        return;
    F(EVP_PKEY_CTX_free)(s->pkey->ctx);
    F(EVP_MD_CTX_free)(s->pkey->md_ctx);
    F(EVP_PKEY_free)(s->pkey->key);
    F(EVP_PKEY_free)(s->pkey->other);
    free(s->pkey);
}

#endif
