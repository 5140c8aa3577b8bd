/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of encrypting and decrypting a data unit of XTS; for OpenSSL it is an ordinary message. */
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
