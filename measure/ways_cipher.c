/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of encrypting and decrypting a message. */
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <string.h>

static const struct {
    hr_alg alg;
    cipher_fn *crypt[2];
} typed[] = {
#define HR_CIPHER(number, sym, SYM, ...) { HR_##SYM, { hr_##sym##_encrypt, hr_##sym##_decrypt } },
#include <headrace/algorithms.def>
};

static void run_crypt(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(s->crypt(s->out, s->in, s->cell.size, &s->keys.cipher, s->iv) == 0);
}

static void run_evp_cipher(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const struct openssl *ssl = s->ssl;
    const int encrypt = s->cell.op == HR_OP_ENCRYPT;
    int len;
    while (n--) {
        must(ssl->EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, encrypt, NULL));
        must(ssl->EVP_CipherUpdate(s->cipher_ctx, s->out, &len, s->in, (int)s->cell.size));
    }
}

/* ECB has no IV: each message is one update. */
static void run_evp_update(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    int len;
    while (n--)
        must(s->ssl->EVP_CipherUpdate(s->cipher_ctx, s->out, &len, s->in, (int)s->cell.size));
}

static void run_naive_cipher(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const struct openssl *ssl = s->ssl;
    const int encrypt = s->cell.op == HR_OP_ENCRYPT;
    int len, rest;
    while (n--) {
        EVP_CIPHER_CTX *evp = ssl->EVP_CIPHER_CTX_new();
        must(ssl->EVP_CipherInit_ex(evp, s->constant_cipher, NULL, s->bytes, s->iv, encrypt));
        must(ssl->EVP_CIPHER_CTX_set_padding(evp, 0));
        must(ssl->EVP_CipherUpdate(evp, s->out, &len, s->in, (int)s->cell.size));
        must(ssl->EVP_CipherFinal_ex(evp, s->out + len, &rest));
        ssl->EVP_CIPHER_CTX_free(evp);
    }
}

/* ---- setting up ---- */

static void find_call(struct way_state *s, struct contender *c)
{
    c->run = run_crypt;
    for (size_t i = 0; i < COUNT(typed); i++)
        if (typed[i].alg == s->cell.row->alg)
            s->crypt = typed[i].crypt[s->cell.op];
}

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    find_call(s, c);
    return !hr_cipher_key_init(&s->keys.cipher, row->alg, s->bytes, row->key_len);
}

static bool open_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    find_call(s, c);
    return !hr_cipher_key_init_kernel(&s->keys.cipher, row->alg, s->cell.op, s->kernel, s->bytes,
                                      row->key_len);
}

static bool open_evp(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx,
                     const char *properties)
{
    char name[64];
    const struct openssl *ssl = s->ssl;
    const struct hr_algorithm *row = s->cell.row;
    ways_openssl_name(row->openssl_names, name, sizeof name);
    c->run = row->iv_len ? run_evp_cipher : run_evp_update;
    s->cipher_ctx = ssl->EVP_CIPHER_CTX_new();
    s->cipher = ssl->EVP_CIPHER_fetch(libctx, name, properties);
    return s->cipher && s->cipher_ctx &&
           ssl->EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, s->bytes, row->iv_len ? s->iv : NULL,
                                   s->cell.op == HR_OP_ENCRYPT, NULL) &&
           ssl->EVP_CIPHER_CTX_set_padding(s->cipher_ctx, 0);
}

bool cipher_open_ours(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, "provider=headrace");
}

bool cipher_open_openssl(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, NULL);
}

const void *cipher_by_name(const struct openssl *ssl, const char *name)
{
    return ssl->EVP_get_cipherbyname(name);
}

bool cipher_open_naive(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    c->run = run_naive_cipher;
    s->constant_cipher = ways_old_constant(s->ssl, s->cell.row->openssl_names, cipher_by_name);
    return s->constant_cipher != NULL;
}

const struct way_class cipher_ways = {
    .opens = { open_direct, cipher_open_ours, cipher_open_openssl, cipher_open_naive },
    .kernel = open_kernel,
};
