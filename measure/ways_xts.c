/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of encrypting and decrypting a data unit of XTS, and of wrapping and unwrapping a key of so
 * many bytes; for OpenSSL both are ordinary messages. */
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>

static const struct {
    hr_alg alg;
    unit_fn *crypt[2];
} typed[] = {
#define HR_XTS(number, sym, SYM, ...) { HR_##SYM, { hr_##sym##_encrypt, hr_##sym##_decrypt } },
#include <headrace/algorithms.def>
};

static void run_crypt(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(s->crypt_unit(s->out, s->in, s->cell.size, &s->keys.xts, s->iv) == 0);
}

static void find_call(struct way_state *s, struct contender *c)
{
    c->run = run_crypt;
    for (size_t i = 0; i < COUNT(typed); i++)
        if (typed[i].alg == s->cell.row->alg)
            s->crypt_unit = typed[i].crypt[s->cell.op];
}

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    find_call(s, c);
    return !hr_xts_key_init(&s->keys.xts, row->alg, s->bytes, row->key_len);
}

static bool open_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    find_call(s, c);
    return !hr_xts_key_init_kernel(&s->keys.xts, row->alg, s->cell.op, s->kernel, s->bytes,
                                   row->key_len);
}

const struct way_class xts_ways = {
    .opens = { open_direct, cipher_open_ours, cipher_open_openssl, cipher_open_naive },
    .kernel = open_kernel,
};

/* ---- key wrap ---- */

static void run_wrap(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    size_t len;
    while (n--)
        must((s->cell.op == HR_OP_WRAP ? hr_wrap : hr_unwrap)(s->out, &len, s->in, s->cell.size,
                                                              &s->wrap_key, s->iv) == 0);
}

/* Expands the key, and for HR_OP_UNWRAP puts a wrapped key into the input, which has room for it.
 */
static bool prepare_wrap(struct way_state *s)
{
    const struct hr_algorithm *row = s->cell.row;
    return !hr_wrap_key_init(&s->wrap_key, row->alg, s->bytes, row->key_len) &&
           (s->cell.op == HR_OP_WRAP ||
            !hr_wrap(s->in, &s->cell.size, s->in, s->cell.size, &s->wrap_key, s->iv));
}

static bool open_wrap(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    c->run = run_wrap;
    return prepare_wrap(s);
}

static bool open_wrap_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    return open_wrap(s, c, libctx) && !hr_wrap_key_init_kernel(&s->wrap_key, row->alg, s->cell.op,
                                                               s->kernel, s->bytes, row->key_len);
}

static bool open_wrap_ours(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return prepare_wrap(s) && cipher_open_ours(s, c, libctx);
}

static bool open_wrap_openssl(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return prepare_wrap(s) && cipher_open_openssl(s, c, libctx);
}

static bool open_wrap_naive(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return prepare_wrap(s) && cipher_open_naive(s, c, libctx);
}

const struct way_class wrap_ways = {
    .opens = { open_wrap, open_wrap_ours, open_wrap_openssl, open_wrap_naive },
    .kernel = open_wrap_kernel,
};
