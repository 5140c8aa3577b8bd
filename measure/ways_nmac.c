/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of authenticating a message with a nonce, or by CMAC. The key is kept, except for Poly1305,
 * whose key is for one message only. */
#include "../cli/algorithm.h"
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <string.h>

static const struct {
    hr_alg alg;
    nmac_fn *nmac;
} typed[] = {
#define HR_NMAC(number, sym, SYM, ...) { HR_##SYM, hr_##sym },
#include <headrace/algorithms.def>
};

static const struct {
    hr_alg alg;
    cmac_fn *cmac;
} typed_cmacs[] = {
#define HR_CMAC(number, sym, SYM, ...) { HR_##SYM, hr_##sym },
#include <headrace/algorithms.def>
};

static void run_direct(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const struct hr_algorithm *row = s->cell.row;
    while (n--)
        must(s->nmac(s->out, s->in, s->cell.size, &s->keys.nmac, s->iv, row->iv_len) == 0);
}

static void run_one_key(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const struct hr_algorithm *row = s->cell.row;
    while (n--) {
        must(hr_nmac_key_init(&s->keys.nmac, row->alg, s->bytes, row->key_len) == 0);
        must(s->nmac(s->out, s->in, s->cell.size, &s->keys.nmac, s->iv, row->iv_len) == 0);
    }
}

static void run_cmac(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(s->cmac(s->out, s->in, s->cell.size, &s->keys.cmac) == 0);
}

static void message(struct way_state *s, EVP_MAC_CTX *evp, const uint8_t *key,
                    const OSSL_PARAM params[])
{
    size_t len;
    must(s->ssl->EVP_MAC_init(evp, key, key ? s->cell.row->key_len : 0, params));
    must(s->ssl->EVP_MAC_update(evp, s->in, s->cell.size));
    must(s->ssl->EVP_MAC_final(evp, s->out, &len, HR_DIGEST_MAX_OUT));
}

/* s->params end with the nonce; those before it are for a new context. */
static void run_evp(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const uint8_t *key = s->cell.row->alg == HR_POLY1305 ? s->bytes : NULL;
    while (n--)
        message(s, s->mac_ctx, key, s->params + s->num_first);
}

static void run_naive(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--) {
        EVP_MAC_CTX *evp = s->ssl->EVP_MAC_CTX_new(s->mac);
        message(s, evp, s->bytes, s->params);
        s->ssl->EVP_MAC_CTX_free(evp);
    }
}

/* ---- setting up ---- */

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    c->run = row->iv_len ? run_direct : run_one_key;
    for (size_t i = 0; i < COUNT(typed); i++)
        if (typed[i].alg == row->alg)
            s->nmac = typed[i].nmac;
    return !hr_nmac_key_init(&s->keys.nmac, row->alg, s->bytes, row->key_len);
}

static bool open_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    const bool good = open_direct(s, c, libctx);
    c->run = run_direct;
    return good &&
           !hr_nmac_key_init_kernel(&s->keys.nmac, row->alg, s->kernel, s->bytes, row->key_len);
}

static bool open_cmac(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    c->run = run_cmac;
    for (size_t i = 0; i < COUNT(typed_cmacs); i++)
        if (typed_cmacs[i].alg == row->alg)
            s->cmac = typed_cmacs[i].cmac;
    return !hr_cmac_key_init(&s->keys.cmac, row->alg, s->bytes, row->key_len);
}

static bool open_cmac_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    return open_cmac(s, c, libctx) &&
           !hr_cmac_key_init_kernel(&s->keys.cmac, row->alg, s->kernel, s->bytes, row->key_len);
}

static bool open_evp(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx,
                     const char *properties)
{
    const struct openssl *ssl = s->ssl;
    const struct hr_algorithm *row = s->cell.row;
    hr_alg cipher;
    const char *const of_cipher = algorithm_mac_of_cipher(row, &cipher);
    char name[64];
    OSSL_PARAM *p = s->params;
    if (of_cipher) {
        ways_openssl_name(hr_algorithm(cipher)->openssl_names, s->digest, sizeof s->digest);
        *p++ = ssl->OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, s->digest, 0);
        s->num_first = 1;
    }
    if (row->iv_len)
        *p++ = ssl->OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, s->iv, row->iv_len);
    *p = ssl->OSSL_PARAM_construct_end();
    ways_openssl_name(of_cipher ? of_cipher : row->openssl_names, name, sizeof name);
    c->run = run_evp;
    s->mac = ssl->EVP_MAC_fetch(libctx, name, properties);
    s->mac_ctx = s->mac ? ssl->EVP_MAC_CTX_new(s->mac) : NULL;
    return s->mac_ctx && ssl->EVP_MAC_init(s->mac_ctx, s->bytes, row->key_len, s->params);
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
    const bool good = open_evp(s, c, libctx, "provider=default");
    c->run = run_naive;
    return good;
}

const struct way_class nmac_ways = {
    .opens = { open_direct, open_ours, open_openssl, open_naive },
    .kernel = open_kernel,
};

const struct way_class cmac_ways = {
    .opens = { open_cmac, open_ours, open_openssl, open_naive },
    .kernel = open_cmac_kernel,
};
