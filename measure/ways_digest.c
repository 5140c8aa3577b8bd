/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of hashing a message. */
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <string.h>

static const struct {
    hr_alg alg;
    digest_fn *hash;
} typed[] = {
#define HR_DIGEST(number, sym, SYM, ...) { HR_##SYM, hr_##sym },
#define HR_CHECKSUM(number, sym, SYM, ...) { HR_##SYM, hr_##sym },
#include <headrace/algorithms.def>
};

static void run_hash(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        s->hash(s->out, s->in, s->cell.size);
}

static void run_hash_kernel(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    struct hr_digest_ctx message;
    while (n--) {
        must(hr_digest_init_kernel(&message, s->cell.row->alg, s->kernel) == 0);
        must(hr_digest_update(&message, s->in, s->cell.size) == 0);
        must(hr_digest_final(&message, s->out) == 0);
    }
}

static void run_evp_digest(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    const struct openssl *ssl = s->ssl;
    unsigned len;
    while (n--) {
        must(ssl->EVP_DigestInit_ex2(s->md_ctx, NULL, NULL));
        must(ssl->EVP_DigestUpdate(s->md_ctx, s->in, s->cell.size));
        must(ssl->EVP_DigestFinal_ex(s->md_ctx, s->out, &len));
    }
}

static void run_naive_digest(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    unsigned len;
    while (n--)
        must(s->ssl->EVP_Digest(s->in, s->cell.size, s->out, &len, s->constant_md, NULL));
}

/* ---- setting up ---- */

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    c->run = run_hash;
    for (size_t i = 0; i < COUNT(typed); i++)
        if (typed[i].alg == s->cell.row->alg)
            s->hash = typed[i].hash;
    return s->hash != NULL;
}

static bool open_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    c->run = run_hash_kernel;
    return true;
}

static bool open_evp(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx,
                     const char *properties)
{
    char name[64];
    const struct openssl *ssl = s->ssl;
    ways_openssl_name(s->cell.row->openssl_names, name, sizeof name);
    c->run = run_evp_digest;
    s->md_ctx = ssl->EVP_MD_CTX_new();
    s->md = ssl->EVP_MD_fetch(libctx, name, properties);
    return s->md && s->md_ctx && ssl->EVP_DigestInit_ex2(s->md_ctx, s->md, NULL);
}

static bool open_ours(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, "provider=headrace");
}

static bool open_openssl(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, "provider=default");
}

static const void *md_by_name(const struct openssl *ssl, const char *name)
{
    return ssl->EVP_get_digestbyname(name);
}

static bool open_naive(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    c->run = run_naive_digest;
    s->constant_md = ways_old_constant(s->ssl, s->cell.row->openssl_names, md_by_name);
    return s->constant_md != NULL;
}

const struct way_class digest_ways = {
    .opens = { open_direct, open_ours, open_openssl, open_naive },
    .kernel = open_kernel,
};
