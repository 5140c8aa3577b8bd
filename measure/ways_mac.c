/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of authenticating a message under a kept key. */
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <string.h>

enum { KEY_LEN = 32 };

static const struct {
    hr_alg alg;
    mac_fn *authenticate;
} typed[] = {
#define HR_MAC(number, sym, SYM, ...) { HR_##SYM, hr_##sym },
#include <headrace/algorithms.def>
};

static void run_direct(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(s->authenticate(s->out, s->in, s->cell.size, &s->keys.hmac) == 0);
}

static void run_evp(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const struct openssl *ssl = s->ssl;
    size_t len;
    while (n--) {
        must(ssl->EVP_MAC_init(s->mac_ctx, NULL, 0, NULL));
        must(ssl->EVP_MAC_update(s->mac_ctx, s->in, s->cell.size));
        must(ssl->EVP_MAC_final(s->mac_ctx, s->out, &len, HR_DIGEST_MAX_OUT));
    }
}

static void run_naive(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    unsigned len;
    while (n--)
        must(s->ssl->HMAC(s->constant_md, s->bytes, KEY_LEN, s->in, s->cell.size, s->out, &len) !=
             NULL);
}

/* Computes one chain of PBKDF2 for each of several passwords, which are parts of s->bytes. */
static void run_iterate_kernel(void *ctx, uint64_t n)
{
    enum { PASSWORDS = 16, PASSWORD_LEN = 16 };
    static uint8_t outs[PASSWORDS][HR_DIGEST_MAX_OUT];
    struct way_state *s = ctx;
    const struct hr_algorithm *row = s->cell.row;
    struct hr_pbkdf2_job jobs[PASSWORDS];
    for (size_t i = 0; i < PASSWORDS; i++)
        jobs[i] = (struct hr_pbkdf2_job){ outs[i],      row->out_len, s->bytes + i,
                                          PASSWORD_LEN, s->iv,        sizeof s->iv };
    while (n--)
        must(hr_pbkdf2_many_kernel(jobs, PASSWORDS, row->alg, s->kernel, s->cell.size) == 0);
}

/* ---- setting up ---- */

static void find_call(struct way_state *s, struct contender *c)
{
    c->run = run_direct;
    for (size_t i = 0; i < COUNT(typed); i++)
        if (typed[i].alg == s->cell.row->alg)
            s->authenticate = typed[i].authenticate;
}

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    find_call(s, c);
    return !hr_hmac_key_init(&s->keys.hmac, s->cell.row->alg, s->bytes, KEY_LEN);
}

static bool open_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    find_call(s, c);
    if (s->cell.op == HR_OP_ITERATE) {
        c->run = run_iterate_kernel;
        return true;
    }
    return !hr_hmac_key_init_kernel(&s->keys.hmac, s->cell.row->alg, s->kernel, s->bytes, KEY_LEN);
}

/* Opens OpenSSL's own HMAC, with the digest that `properties` select. */
static bool open_evp(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx,
                     char *properties)
{
    char digest[64];
    const struct openssl *ssl = s->ssl;
    ways_openssl_name(hr_algorithm(s->cell.row->digest)->openssl_names, digest, sizeof digest);
    const OSSL_PARAM params[] = {
        ssl->OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        ssl->OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, properties, 0),
        ssl->OSSL_PARAM_construct_end(),
    };
    c->run = run_evp;
    s->mac = ssl->EVP_MAC_fetch(libctx, OSSL_MAC_NAME_HMAC, NULL);
    s->mac_ctx = s->mac ? ssl->EVP_MAC_CTX_new(s->mac) : NULL;
    return s->mac_ctx && ssl->EVP_MAC_init(s->mac_ctx, s->bytes, KEY_LEN, params);
}

static bool open_ours(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    static char ours[] = "provider=headrace";
    return open_evp(s, c, libctx, ours);
}

static bool open_openssl(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    static char stock[] = "provider=default";
    return open_evp(s, c, libctx, stock);
}

static const void *md_by_name(const struct openssl *ssl, const char *name)
{
    return ssl->EVP_get_digestbyname(name);
}

static bool open_naive(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const char *names = hr_algorithm(s->cell.row->digest)->openssl_names;
    c->run = run_naive;
    s->constant_md = ways_old_constant(s->ssl, names, md_by_name);
    return s->constant_md != NULL;
}

const struct way_class mac_ways = {
    .opens = { open_direct, open_ours, open_openssl, open_naive },
    .kernel = open_kernel,
};
