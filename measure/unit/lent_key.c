/* SPDX-License-Identifier: Apache-2.0 */
#include "lent_key.h"
#include <headrace/accel.h>
#include <stdlib.h>
#include <string.h>

static bool make_rsa(struct lent_key *k, const struct bench_sides *sides)
{
    const struct sides stock = { .ssl = sides->ssl, .stock = sides->libctx };
    k->openssl = calloc(1, sizeof *k->openssl);
    k->in_len = LENT_DIGEST;
    return k->openssl && pk_open(k->openssl, k->row, &stock, false) &&
           !speed_rsa_numbers(&k->numbers, k->openssl->pair) &&
           !hr_rsa_key_init(&k->key.rsa, &k->numbers.parts);
}

static bool make_sign(struct lent_key *k)
{
    k->len = sizeof k->bytes;
    k->in_len = LENT_DIGEST;
    return !hr_sign_key_generate(&k->key.sign, k->row->alg, NULL) &&
           !hr_sign_key_private(k->bytes, &k->len, &k->key.sign);
}

static bool make_agree(struct lent_key *k)
{
    k->len = sizeof k->bytes;
    k->in_len = sizeof k->in;
    return !hr_agree_key_generate(&k->key.agree, k->row->alg, NULL) &&
           !hr_agree_key_private(k->bytes, &k->len, &k->key.agree) &&
           !hr_agree_key_public(k->in, &k->in_len, &k->key.agree);
}

struct lent_key *lent_key_make(const struct hr_algorithm *row, const struct bench_sides *sides)
{
    struct lent_key *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
    if (!k)
        return NULL;
    memset(k, 0, sizeof *k);
    k->row = row;
    if (row->cls == HR_CLASS_RSA     ? make_rsa(k, sides)
        : row->cls == HR_CLASS_SIGN  ? make_sign(k)
        : row->cls == HR_CLASS_AGREE ? make_agree(k)
                                     : false)
        return k;
    lent_key_close(k);
    return NULL;
}

int lent_key_lend(uint64_t *handle, const struct lent_key *k)
{
    return k->row->cls == HR_CLASS_RSA
               ? hr_accel_lend_rsa(handle, &k->numbers.parts)
               : hr_accel_lend(handle, k->row->alg, k->bytes, k->len, NULL, 0);
}

struct hr_job lent_key_job(const struct lent_key *k, uint64_t handle, uint8_t *tag)
{
    return (struct hr_job){ .alg = (uint16_t)k->row->alg,
                            .key_form = HR_KEY_OBJECT,
                            .key = &k->key,
                            .handle = handle,
                            .in = k->in,
                            .len = k->in_len,
                            .tag = tag,
                            .options = k->row->cls == HR_CLASS_RSA ? &speed_rsa_options : NULL };
}

void lent_key_close(struct lent_key *k)
{
    if (k && k->openssl)
        pk_close(k->openssl);
    free(k ? k->openssl : NULL);
    free(k);
}
