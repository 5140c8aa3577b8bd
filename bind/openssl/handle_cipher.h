/* SPDX-License-Identifier: Apache-2.0 */
/* Template: the parts that contexts of ciphers and AEADs have in common.  A file that includes it
 * includes handle_context.h before, and defines:
 *
 *   struct handle_context   also with the members op, iv_len and iv
 *   prepare                 gives a new context its first values
 *   get_one                 answers the parameters that get_any does not
 *   begin                   begins a message, after the key was set */

static void *handle_newctx(void *provctx, enum row_index index)
{
    struct handle_context *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->row = hr_algorithm_at(index);
    c->provider = provctx;
    served_init(&c->served, index);
    prepare(c);
    return c;
}

static int get_any(struct handle_context *c, OSSL_PARAM *p, int number)
{
    switch (number) {
    case KEY_LEN:
        return param_set_number(p, c->row->key_len);
    case IV_LEN:
        return param_set_number(p, c->iv_len);
    case IV:
        return param_set_octets(p, c->iv, c->iv_len);
    default:
        return number < 0 || get_one(c, p, number);
    }
}

static int handle_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    struct handle_context *c = ctx;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_any(c, p, param_key(p, ctx_got_keys, NUM_PARAMS)))
            return RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

/* ---- init: with the bytes of a key, or an EVP_SKEY; with neither, the old key stays ---- */

static int init_bytes(struct handle_context *c, enum hr_op op, const unsigned char *key,
                      size_t key_len, const unsigned char *iv, size_t iv_len,
                      const OSSL_PARAM params[])
{
    return handle_take_bytes(&c->key, c->provider, c->row->alg, key, key_len) &&
           begin(c, op, iv, iv_len, params);
}

static int init_skey(struct handle_context *c, enum hr_op op, void *key, const unsigned char *iv,
                     size_t iv_len, const OSSL_PARAM params[])
{
    return handle_take_object(&c->key, key) && begin(c, op, iv, iv_len, params);
}

static int handle_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return init_bytes(ctx, HR_OP_ENCRYPT, key, key_len, iv, iv_len, params);
}

static int handle_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return init_bytes(ctx, HR_OP_DECRYPT, key, key_len, iv, iv_len, params);
}

static int handle_encrypt_skey(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
                               const OSSL_PARAM params[])
{
    return init_skey(ctx, HR_OP_ENCRYPT, key, iv, iv_len, params);
}

static int handle_decrypt_skey(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
                               const OSSL_PARAM params[])
{
    return init_skey(ctx, HR_OP_DECRYPT, key, iv, iv_len, params);
}
