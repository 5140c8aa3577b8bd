/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of authenticated encryption. For each message the IV of 12 bytes is set (always the same
 * one) and a tag of 16 bytes is made or checked, without AAD. Only run_naive sets the key for each
 * message. */
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <string.h>

enum { IV_LEN = 12, TAG_LEN = HR_AEAD_MAX_TAG };

static const struct {
    hr_alg alg;
    seal_fn *encrypt;
    unseal_fn *decrypt;
} typed[] = {
#define HR_AEAD(number, sym, SYM, ...) { HR_##SYM, hr_##sym##_encrypt, hr_##sym##_decrypt },
#include <headrace/algorithms.def>
};

static void run_encrypt(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const size_t len = s->cell.size;
    while (n--)
        must(s->seal(s->out, s->out + len, TAG_LEN, s->in, len, NULL, 0, &s->keys.aead, s->iv,
                     IV_LEN) == 0);
}

static void run_decrypt(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(s->unseal(s->out, s->tag, TAG_LEN, s->in, s->cell.size, NULL, 0, &s->keys.aead, s->iv,
                       IV_LEN) == 0);
}

static void encrypt_message(struct way_state *s, EVP_CIPHER_CTX *evp)
{
    const struct openssl *ssl = s->ssl;
    const int len = (int)s->cell.size;
    int n, rest;
    must(ssl->EVP_CipherUpdate(evp, s->out, &n, s->in, len) && n == len);
    must(ssl->EVP_CipherFinal_ex(evp, s->out + n, &rest));
    must(ssl->EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_GET_TAG, TAG_LEN, s->out + n));
}

static void decrypt_message(struct way_state *s, EVP_CIPHER_CTX *evp)
{
    const struct openssl *ssl = s->ssl;
    int n, rest;
    must(ssl->EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, s->tag));
    must(ssl->EVP_CipherUpdate(evp, s->out, &n, s->in, (int)s->cell.size));
    must(ssl->EVP_CipherFinal_ex(evp, s->out + n, &rest));
}

static void message(struct way_state *s, EVP_CIPHER_CTX *evp)
{
    (s->cell.op == HR_OP_ENCRYPT ? encrypt_message : decrypt_message)(s, evp);
}

static void run_evp(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const int encrypt = s->cell.op == HR_OP_ENCRYPT;
    while (n--) {
        must(s->ssl->EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, encrypt, NULL));
        message(s, s->cipher_ctx);
    }
}

/* Begins a message: sets the length of the IV and, for CCM, of the tag, then key and IV. GCM and
 * CCM both accept this order. */
static int begin(const struct way_state *s, EVP_CIPHER_CTX *evp)
{
    const struct openssl *ssl = s->ssl;
    const int ccm = s->cell.row->mode == HR_MODE_CCM;
    return ssl->EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_IVLEN, IV_LEN, NULL) &&
           (!ccm || ssl->EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, NULL)) &&
           ssl->EVP_CipherInit_ex2(evp, NULL, s->bytes, s->iv, s->cell.op == HR_OP_ENCRYPT, NULL);
}

static void run_naive(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const struct openssl *ssl = s->ssl;
    const int encrypt = s->cell.op == HR_OP_ENCRYPT;
    while (n--) {
        EVP_CIPHER_CTX *evp = ssl->EVP_CIPHER_CTX_new();
        must(ssl->EVP_CipherInit_ex(evp, s->constant_cipher, NULL, NULL, NULL, encrypt));
        must(begin(s, evp));
        message(s, evp);
        ssl->EVP_CIPHER_CTX_free(evp);
    }
}

/* ---- setting up ---- */

/* Expands the key. For decryption, encrypts the message: `in` becomes its ciphertext. */
static bool prepare(struct way_state *s)
{
    const struct hr_algorithm *row = s->cell.row;
    return !hr_aead_key_init(&s->keys.aead, row->alg, s->bytes, row->key_len) &&
           (s->cell.op == HR_OP_ENCRYPT ||
            !hr_aead_encrypt(s->in, s->tag, TAG_LEN, s->in, s->cell.size, NULL, 0, &s->keys.aead,
                             s->iv, IV_LEN));
}

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    c->run = s->cell.op == HR_OP_ENCRYPT ? run_encrypt : run_decrypt;
    for (size_t i = 0; i < COUNT(typed); i++)
        if (typed[i].alg == s->cell.row->alg) {
            s->seal = typed[i].encrypt;
            s->unseal = typed[i].decrypt;
        }
    return prepare(s);
}

static bool open_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    return open_direct(s, c, libctx) &&
           !hr_aead_key_init_kernel(&s->keys.aead, row->alg, s->kernel, s->bytes, row->key_len);
}

static bool open_evp(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx,
                     const char *properties)
{
    char name[64];
    const struct openssl *ssl = s->ssl;
    ways_openssl_name(s->cell.row->openssl_names, name, sizeof name);
    c->run = run_evp;
    s->cipher_ctx = ssl->EVP_CIPHER_CTX_new();
    s->cipher = ssl->EVP_CIPHER_fetch(libctx, name, properties);
    return s->cipher && s->cipher_ctx && prepare(s) &&
           ssl->EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, NULL, NULL,
                                   s->cell.op == HR_OP_ENCRYPT, NULL) &&
           begin(s, s->cipher_ctx);
}

static bool open_ours(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, "provider=headrace");
}

static bool open_openssl(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, "provider=default");
}

static bool open_naive(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    c->run = run_naive;
    s->constant_cipher = ways_old_constant(s->ssl, s->cell.row->openssl_names, cipher_by_name);
    return s->constant_cipher && prepare(s);
}

const struct way_class aead_ways = {
    .opens = { open_direct, open_ours, open_openssl, open_naive },
    .kernel = open_kernel,
};
