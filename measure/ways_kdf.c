/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of deriving a key from 32 bytes and a salt of 16 bytes. PBKDF2 derives one block of its
 * digest. */
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>

enum { SECRET_LEN = 32, SALT_LEN = HR_CIPHER_MAX_IV };

static void run_pbkdf2(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(hr_pbkdf2(s->out, s->derived_len, ways_cell_mac(&s->cell), s->bytes, SECRET_LEN, s->iv,
                       SALT_LEN, s->iterations) == 0);
}

static void run_hkdf(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(hr_hkdf(s->out, s->derived_len, ways_cell_mac(&s->cell), s->iv, SALT_LEN, s->bytes,
                     SECRET_LEN, NULL, 0) == 0);
}

static void run_evp(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(s->ssl->EVP_KDF_derive(s->kdf_ctx, s->out, s->derived_len, s->params) > 0);
}

/* Derives with a new context, as PKCS5_PBKDF2_HMAC() and so most programs do. */
static void run_naive(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    char name[64];
    ways_openssl_name(s->cell.row->openssl_names, name, sizeof name);
    while (n--) {
        EVP_KDF *kdf = s->ssl->EVP_KDF_fetch(NULL, name, NULL);
        EVP_KDF_CTX *kdf_ctx = s->ssl->EVP_KDF_CTX_new(kdf);
        must(s->ssl->EVP_KDF_derive(kdf_ctx, s->out, s->derived_len, s->params) > 0);
        s->ssl->EVP_KDF_CTX_free(kdf_ctx);
        s->ssl->EVP_KDF_free(kdf);
    }
}

/* ---- setting up ---- */

static const char *digest_name(const struct cell *cell)
{
    const struct hr_algorithm *mac = hr_algorithm(ways_cell_mac(cell));
    return hr_algorithm(mac->digest)->openssl_names;
}

static void set_lengths(struct way_state *s)
{
    const bool hkdf = s->cell.row->alg == HR_HKDF;
    s->derived_len = hkdf ? s->cell.size : hr_algorithm(ways_cell_mac(&s->cell))->out_len;
    s->iterations = s->cell.size;
}

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    set_lengths(s);
    c->run = s->cell.row->alg == HR_HKDF ? run_hkdf : run_pbkdf2;
    return true;
}

/* Sets the parameters of one call. `digest` must stay valid; NULL leaves it to the kept context. */
static void set_params(struct way_state *s, char *digest)
{
    const struct openssl *ssl = s->ssl;
    const bool hkdf = s->cell.row->alg == HR_HKDF;
    OSSL_PARAM *p = s->params;
    set_lengths(s);
    *p++ = ssl->OSSL_PARAM_construct_octet_string(
        hkdf ? OSSL_KDF_PARAM_KEY : OSSL_KDF_PARAM_PASSWORD, s->bytes, SECRET_LEN);
    *p++ = ssl->OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, s->iv, SALT_LEN);
    if (!hkdf)
        *p++ = ssl->OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &s->iterations);
    if (digest)
        *p++ = ssl->OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
    *p = ssl->OSSL_PARAM_construct_end();
}

static bool open_evp(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx,
                     const char *properties)
{
    char name[64];
    const struct openssl *ssl = s->ssl;
    ways_openssl_name(s->cell.row->openssl_names, name, sizeof name);
    ways_openssl_name(digest_name(&s->cell), s->digest, sizeof s->digest);
    const OSSL_PARAM kept[] = {
        ssl->OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, s->digest, 0),
        ssl->OSSL_PARAM_construct_end(),
    };
    set_params(s, NULL);
    c->run = run_evp;
    s->kdf = ssl->EVP_KDF_fetch(libctx, name, properties);
    s->kdf_ctx = s->kdf ? ssl->EVP_KDF_CTX_new(s->kdf) : NULL;
    return s->kdf_ctx && ssl->EVP_KDF_CTX_set_params(s->kdf_ctx, kept) > 0;
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
    ways_openssl_name(digest_name(&s->cell), s->digest, sizeof s->digest);
    set_params(s, s->digest);
    c->run = run_naive;
    return true;
}

const struct way_class kdf_ways = {
    .opens = { open_direct, open_ours, open_openssl, open_naive },
};
