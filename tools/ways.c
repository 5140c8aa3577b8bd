/* SPDX-License-Identifier: Apache-2.0 */
#include "ways.h"
#include <headrace/headrace.h>

#include <stdlib.h>
#include <string.h>

const char *const way_names[NUM_WAYS] = {
    [WAY_DIRECT] = "headrace-direct",
    [WAY_OURS] = "headrace-evp",
    [WAY_OPENSSL] = "openssl-evp",
    [WAY_NAIVE] = "openssl-one-shot",
};

const size_t cell_sizes[NUM_SIZES] = { 16, 64, 256, 1024, 8192, 16384 };

const char *cell_direction(const struct cell *cell)
{
    if (cell->row->cls == HR_CLASS_DIGEST)
        return "hash";
    return cell->op == HR_OP_ENCRYPT ? "encrypt" : "decrypt";
}

/* ---- the typed calls, by row ---- */

typedef void digest_fn(uint8_t *out, const void *in, size_t in_len);
typedef int cipher_fn(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *key,
                      const uint8_t *iv);

static const struct {
    hr_alg alg;
    digest_fn *hash;
    cipher_fn *crypt[2];
} typed[] = {
#define HR_DIGEST(number, sym, SYM, ...) { HR_##SYM, hr_##sym, { NULL, NULL } },
#define HR_CHECKSUM(number, sym, SYM, ...) { HR_##SYM, hr_##sym, { NULL, NULL } },
#define HR_CIPHER(number, sym, SYM, ...) \
    { HR_##SYM, NULL, { hr_##sym##_encrypt, hr_##sym##_decrypt } },
#include <headrace/algorithms.def>
};

/* ---- what a contender's ctx points at ---- */

struct state {
    struct cell cell;
    const struct openssl *ssl;
    digest_fn *hash;
    cipher_fn *crypt;
    size_t kernel;
    EVP_MD *md; /* fetched */
    EVP_MD_CTX *md_ctx;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cipher_ctx;
    const EVP_MD *constant_md; /* EVP_sha256() */
    const EVP_CIPHER *constant_cipher;
    struct hr_cipher_key key;
    uint8_t bytes[64], iv[HR_CIPHER_MAX_IV];
    uint8_t *in, *out;
};

/* Arguments were tried before: a call that fails now is a defect, not a measurement. */
static void must(int good)
{
    if (!good)
        abort();
}

static void run_hash(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        s->hash(s->out, s->in, s->cell.size);
}

static void run_crypt(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        must(s->crypt(s->out, s->in, s->cell.size, &s->key, s->iv) == 0);
}

static void run_hash_kernel(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_digest_ctx message;
    while (n--) {
        must(hr_digest_init_kernel(&message, s->cell.row->alg, s->kernel) == 0);
        must(hr_digest_update(&message, s->in, s->cell.size) == 0);
        must(hr_digest_final(&message, s->out) == 0);
    }
}

static void run_evp_digest(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    const struct openssl *ssl = s->ssl;
    unsigned len;
    while (n--) {
        must(ssl->EVP_DigestInit_ex2(s->md_ctx, NULL, NULL));
        must(ssl->EVP_DigestUpdate(s->md_ctx, s->in, s->cell.size));
        must(ssl->EVP_DigestFinal_ex(s->md_ctx, s->out, &len));
    }
}

static void run_evp_cipher(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    const struct openssl *ssl = s->ssl;
    const int encrypt = s->cell.op == HR_OP_ENCRYPT;
    int len;
    while (n--) {
        must(ssl->EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, encrypt, NULL));
        must(ssl->EVP_CipherUpdate(s->cipher_ctx, s->out, &len, s->in, (int)s->cell.size));
    }
}

/* ECB has no IV: a message is one update. */
static void run_evp_update(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    int len;
    while (n--)
        must(s->ssl->EVP_CipherUpdate(s->cipher_ctx, s->out, &len, s->in, (int)s->cell.size));
}

static void run_naive_digest(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    unsigned len;
    while (n--)
        must(s->ssl->EVP_Digest(s->in, s->cell.size, s->out, &len, s->constant_md, NULL));
}

static void run_naive_cipher(void *ctx, uint64_t n)
{
    struct state *s = ctx;
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

/* ---- setting up; each answers whether it could ---- */

static bool open_direct(struct state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    for (size_t i = 0; i < COUNT(typed); i++) {
        if (typed[i].alg != s->cell.row->alg)
            continue;
        s->hash = typed[i].hash;
        s->crypt = typed[i].crypt[s->cell.op];
    }
    c->run = s->hash ? run_hash : run_crypt;
    return s->hash ||
           hr_cipher_key_init(&s->key, s->cell.row->alg, s->bytes, s->cell.row->key_len) == 0;
}

static bool open_kernel(struct state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    open_direct(s, c, libctx);
    if (s->hash)
        c->run = run_hash_kernel;
    return s->hash || hr_cipher_key_init_kernel(&s->key, s->cell.row->alg, s->cell.op, s->kernel,
                                                s->bytes, s->cell.row->key_len) == 0;
}

/* The first of a row's colon-separated OpenSSL names. */
static const char *openssl_name(const struct hr_algorithm *row, char *out, size_t out_len)
{
    snprintf(out, out_len, "%.*s", (int)strcspn(row->openssl_names, ":"), row->openssl_names);
    return out;
}

static bool open_evp(struct state *s, struct contender *c, OSSL_LIB_CTX *libctx,
                     const char *properties)
{
    char name[64];
    const struct openssl *ssl = s->ssl;
    openssl_name(s->cell.row, name, sizeof name);
    if (s->cell.row->cls == HR_CLASS_DIGEST) {
        c->run = run_evp_digest;
        s->md_ctx = ssl->EVP_MD_CTX_new();
        s->md = ssl->EVP_MD_fetch(libctx, name, properties);
        return s->md && s->md_ctx && ssl->EVP_DigestInit_ex2(s->md_ctx, s->md, NULL);
    }
    c->run = s->cell.row->iv_len ? run_evp_cipher : run_evp_update;
    s->cipher_ctx = ssl->EVP_CIPHER_CTX_new();
    s->cipher = ssl->EVP_CIPHER_fetch(libctx, name, properties);
    return s->cipher && s->cipher_ctx &&
           ssl->EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, s->bytes,
                                   s->cell.row->iv_len ? s->iv : NULL, s->cell.op == HR_OP_ENCRYPT,
                                   NULL) &&
           ssl->EVP_CIPHER_CTX_set_padding(s->cipher_ctx, 0);
}

static bool open_ours(struct state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, "provider=headrace");
}

static bool open_openssl(struct state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_evp(s, c, libctx, "provider=default");
}

/* Which of a row's names the old tables of constant objects know differs. */
static bool open_naive(struct state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const bool digest = s->cell.row->cls == HR_CLASS_DIGEST;
    const char *name = s->cell.row->openssl_names;
    c->run = digest ? run_naive_digest : run_naive_cipher;
    while (*name && !s->constant_md && !s->constant_cipher) {
        char word[64];
        const size_t len = strcspn(name, ":");
        snprintf(word, sizeof word, "%.*s", (int)len, name);
        if (digest)
            s->constant_md = s->ssl->EVP_get_digestbyname(word);
        else
            s->constant_cipher = s->ssl->EVP_get_cipherbyname(word);
        name += len + (name[len] == ':');
    }
    return s->constant_md || s->constant_cipher;
}

/* ---- calls ---- */

static uint8_t *filled(size_t len)
{
    uint8_t *bytes = aligned_alloc(64, (len + 127) & ~(size_t)63);
    for (size_t i = 0; bytes && i < len; i++)
        bytes[i] = (uint8_t)(i * 151 + 7);
    return bytes;
}

typedef bool open_fn(struct state *s, struct contender *c, OSSL_LIB_CTX *libctx);

static int open_call(struct call *call, const struct cell *cell, size_t kernel, open_fn *open,
                     const struct openssl *ssl, OSSL_LIB_CTX *libctx)
{
    struct state *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);
    *call = (struct call){ .contender.ctx = s };
    if (!s)
        return tool_error("out of memory");
    *s = (struct state){ .cell = *cell, .ssl = ssl, .kernel = kernel };
    s->in = filled(cell->size);
    s->out = filled(cell->size + HR_DIGEST_MAX_OUT);
    if (!s->in || !s->out)
        return tool_error("out of memory");
    for (size_t i = 0; i < sizeof s->bytes; i++)
        s->bytes[i] = (uint8_t)(i * 29 + 3);
    call->out = s->out;
    call->out_len = cell->row->cls == HR_CLASS_DIGEST ? cell->row->out_len : cell->size;
    if (!open(s, &call->contender, libctx))
        return -1;
    call->contender.run(s, 1);
    return 0;
}

int call_open(struct call *call, const struct cell *cell, enum way way, const struct sides *sides)
{
    static open_fn *const opens[NUM_WAYS] = { open_direct, open_ours, open_openssl, open_naive };
    OSSL_LIB_CTX *const contexts[NUM_WAYS] = { NULL, sides->ours, sides->stock, NULL };
    char reason[160];
    int code = open_call(call, cell, 0, opens[way], sides->ssl, contexts[way]);
    if (code >= 0)
        return code;
    openssl_reason(sides->ssl, reason, sizeof reason);
    return tool_error("%s: %s cannot serve it: %s", cell->row->name, way_names[way], reason);
}

int call_open_kernel(struct call *call, const struct cell *cell, size_t i)
{
    int code = open_call(call, cell, i, open_kernel, NULL, NULL);
    return code >= 0 ? code : tool_error("%s: kernel %zu does not start", cell->row->name, i);
}

void call_close(struct call *call)
{
    struct state *s = call->contender.ctx;
    if (!s)
        return;
    if (s->ssl) {
        s->ssl->EVP_MD_CTX_free(s->md_ctx);
        s->ssl->EVP_MD_free(s->md);
        s->ssl->EVP_CIPHER_CTX_free(s->cipher_ctx);
        s->ssl->EVP_CIPHER_free(s->cipher);
    }
    hr_cipher_key_wipe(&s->key);
    free(s->in);
    free(s->out);
    free(s);
    call->contender.ctx = NULL;
}
