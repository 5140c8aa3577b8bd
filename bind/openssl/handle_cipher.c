/* SPDX-License-Identifier: Apache-2.0 */
/* Ciphers under a key of the accelerator: provider-cipher(7) over hr_accel_cipher_init, update and
 * final.  A program may set key, IV and padding in any order, so the stream begins with the first
 * byte of data. */
#include "handle.h"
#include <stdlib.h>

struct handle_context {
    struct hr_accel_cipher_ctx stream; /* if running */
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct handle *key;
    struct served served;
    size_t iv_len;
    uint8_t op, padding, iv_set, running;
    uint8_t iv[HR_CIPHER_MAX_IV];   /* set by the program */
    uint8_t next[HR_CIPHER_MAX_IV]; /* the stream's first IV, or the one of updated_iv */
};

#define PARAM_TABLE "cipher_params.def"
#define PARAM_COLUMN(row, memory, handle, xts, wrap) handle
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"
#define HANDLE_LIST(name) LIST_HANDLE_CIPHER_##name
#define HANDLE_CLIENT(call) hr_accel_cipher_##call
#define HANDLE_INIT_ARGS c->op, c->next, c->iv_len, 0
#include "handle_context.h"

/* ---- parameters ---- */

static void prepare(struct handle_context *c)
{
    c->iv_len = c->row->iv_len;
    c->padding = c->row->block_len > 1;
}

/* updated_iv sets c->next to the IV that continues the stream; f8 has none.  It returns 1 or 0. */
static int updated_iv(struct handle_context *c)
{
    return !c->running || c->row->mode == HR_MODE_F8 ||
           !client.hr_accel_cipher_get_iv(&c->stream, c->next, c->iv_len);
}

static int get_one(struct handle_context *c, OSSL_PARAM *p, int number)
{
    if (number == UPDATED_IV)
        return updated_iv(c) && param_set_octets(p, c->next, c->iv_len);
    if (number == PADDING)
        return param_set_number(p, c->padding);
    const int has_position = c->running && c->row->block_len == 1; /* else bytes wait */
    return param_set_number(p, has_position ? (uint64_t)client.hr_accel_cipher_get_num(&c->stream)
                                            : 0);
}

static int handle_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct handle_context *c = ctx;
    const OSSL_PARAM *name = param_find(params, ctx_taken_keys[KEY]);
    const OSSL_PARAM *padding = param_find(params, ctx_taken_keys[PADDING]);
    uint64_t value = 0;
    if (padding && !param_get_number(padding, &value))
        return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    if (padding)
        c->padding = value != 0 && c->row->block_len > 1;
    return !name || handle_replace(&c->key, handle_open(c->provider, name));
}

static int begin(struct handle_context *c, enum hr_op op, const unsigned char *iv, size_t iv_len,
                 const OSSL_PARAM params[])
{
    if (iv && c->iv_len && iv_len != c->iv_len)
        return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH);
    if (iv && c->iv_len) {
        memcpy(c->iv, iv, iv_len);
        c->iv_set = 1;
    }
    memcpy(c->next, c->iv, sizeof c->next);
    c->op = (uint8_t)op;
    stop(c);
    return handle_set_ctx_params(c, params);
}

#include "handle_cipher.h"

/* ---- data ---- */

static int ready(struct handle_context *c)
{
    if (!c->key)
        return RAISE(c->provider, PROV_R_NO_KEY_SET);
    return run(c) && !client.hr_accel_cipher_set_padding(&c->stream, c->padding);
}

static int handle_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                         const unsigned char *in, size_t in_len)
{
    struct handle_context *c = ctx;
    *out_len = 0;
    if (c->key && !c->iv_set && c->iv_len)
        return RAISE(c->provider, PROV_R_INVALID_STATE);
    if (!ready(c))
        return 0;
    served_add(&c->served, in_len);
    const int error = client.hr_accel_cipher_update(&c->stream, out, out_size, out_len, in, in_len);
    if (error == HR_ELENGTH)
        return RAISE(c->provider, PROV_R_INVALID_INPUT_LENGTH);
    return !error || RAISE_HR(c->provider, error);
}

/* finish keeps the IV, because a program may go on after `final`. */
static int finish(struct handle_context *c, unsigned char *out, size_t *out_len, size_t out_size)
{
    const int error = updated_iv(c)
                          ? client.hr_accel_cipher_final(&c->stream, out, out_size, out_len)
                          : HR_ESTATE;
    c->running = error && error != HR_EPADDING;
    if (error)
        return RAISE_HR(c->provider, error);
    if (c->op == HR_OP_ENCRYPT && c->iv_len)
        memcpy(c->next, out, c->iv_len);
    return 1;
}

static int handle_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct handle_context *c = ctx;
    *out_len = 0;
    if (!ready(c))
        return 0;
    if (c->row->block_len == 1)
        return 1;
    const int waits = client.hr_accel_cipher_get_num(&c->stream);
    const int holds = c->padding && c->op == HR_OP_DECRYPT;
    if ((holds && waits != (int)cipher_unit(c->row)) || (!c->padding && waits))
        return RAISE(c->provider, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
    return !c->padding || finish(c, out, out_len, out_size);
}

/* ---- entry points ---- */

#define HR_CIPHER(number, sym, ...) CIPHER_ROW(sym, handle)
#include <headrace/algorithms.def>

static any_function *own(enum row_index index, int id)
{
    switch (index) {
#define HR_CIPHER(number, sym, ...) CIPHER_OWN(sym)
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

static const OSSL_DISPATCH shared[] = { HANDLE_FUNCTIONS{ 0, NULL } };
const struct functions handle_cipher_functions = { shared, own };
