/* SPDX-License-Identifier: Apache-2.0 */
/* provider-cipher(7): each row's entry points, over hr_cipher_init, update and final. */
#include "cipher.h"
#include <stdalign.h>
#include <stdlib.h>

static_assert(alignof(struct cipher) <= alignof(max_align_t), "malloc aligns enough");

/* ---- contexts ---- */

static void *cipher_newctx(void *provctx, enum row_index index)
{
    struct cipher *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->row = hr_algorithm_at(index);
    c->provider = provctx;
    c->is_des = (uint8_t)cipher_row_is_des(index);
    c->vartime = c->is_des && !c->provider->strict;
    c->padding = 1;
    served_init(&c->served, index);
    return c;
}

static void cipher_freectx(void *ctx)
{
    struct cipher *c = ctx;
    if (!c)
        return;
    stats_fold(&c->served);
    pipeline_free(c);
    WIPE(c);
    free(c);
}

static void *cipher_dupctx(void *ctx)
{
    struct cipher *c = ctx, *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *c;
    served_init(&copy->served, c->served.index);
    if (!pipeline_dup(copy) || (copy->running && hr_cipher_set_key(&copy->stream, &copy->key))) {
        cipher_freectx(copy);
        return NULL;
    }
    return copy;
}

/* ---- init ---- */

/* set_iv without an IV makes all modes but CTR start again from the IV that the program gave last.
 * CTR goes on from the current counter, as do all modes if the program never gave an IV. */
static int set_iv(struct cipher *c, const unsigned char *iv, size_t iv_len)
{
    const size_t want = c->row->iv_len;
    if (!want)
        return 1;
    if (iv) {
        if (iv_len != want)
            return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH);
        memcpy(c->iv, iv, want);
        memcpy(c->next, iv, want);
        c->iv_set = 1;
        return 1;
    }
    if (c->row->mode == HR_MODE_CTR || !c->iv_set)
        return cipher_updated_iv(c);
    memcpy(c->next, c->iv, want);
    return 1;
}

int cipher_set_key(struct cipher *c, const unsigned char *key, size_t key_len)
{
    if (!key)
        return 1;
    c->key_set = 0;
    const int error = (c->vartime ? hr_cipher_key_init_vartime
                                  : hr_cipher_key_init)(&c->key, c->row->alg, key, key_len);
    if (error)
        return RAISE_HR(c->provider, error);
    c->key_set = 1;
    return 1;
}

static int cipher_init(struct cipher *c, enum hr_op op, const unsigned char *key, size_t key_len,
                       const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    if (!set_iv(c, iv, iv_len))
        return 0;
    c->op = (uint8_t)op;
    c->num = 0;
    c->running = 0;
    c->use = SINGLE;
    if (!cipher_set_key(c, key, key_len))
        return 0;
    return !params || cipher_set_ctx_params(c, params);
}

static int cipher_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return cipher_init(ctx, HR_OP_ENCRYPT, key, key_len, iv, iv_len, params);
}

static int cipher_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return cipher_init(ctx, HR_OP_DECRYPT, key, key_len, iv, iv_len, params);
}

static COLD int start(struct cipher *c)
{
    if (!c->key_set)
        return RAISE(c->provider, PROV_R_NO_KEY_SET);
    if (c->use != SINGLE)
        return RAISE(c->provider, PROV_R_INVALID_STATE);
    const unsigned flags = c->padding && !c->tls_version ? HR_CIPHER_PADDING : 0;
    int error = hr_cipher_init(&c->stream, &c->key, c->op, c->next, c->row->iv_len, flags);
    if (!error && c->num)
        error = hr_cipher_set_num(&c->stream, c->num);
    if (error)
        return RAISE_HR(c->provider, error);
    c->running = 1;
    return 1;
}

/* ---- data ---- */

/* update_overlapping moves the input into place, then processes it there, if no byte waits in the
 * stream.  OpenSSL does not promise that overlapping buffers work, but programs that decrypt
 * towards lower addresses, over the IV in front of the text, rely on it. */
static int update_overlapping(struct cipher *c, unsigned char *out, size_t *out_len,
                              size_t out_size, const unsigned char *in, size_t in_len)
{
    unsigned char rest[HR_CIPHER_MAX_BLOCK];
    const size_t rest_len = in_len & (c->row->block_len - 1u), bulk = in_len - rest_len;
    size_t more = 0;
    if (out_size < in_len || (c->row->block_len > 1 && hr_cipher_get_num(&c->stream)))
        return HR_EOVERLAP;
    memcpy(rest, in + bulk, rest_len);
    memmove(out, in, bulk);
    int error = hr_cipher_update(&c->stream, out, out_size, out_len, out, bulk);
    if (!error)
        error = hr_cipher_update(&c->stream, out + *out_len, out_size - *out_len, &more, rest,
                                 rest_len);
    *out_len += more;
    WIPE(&rest);
    return error;
}

static int cipher_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                         const unsigned char *in, size_t in_len)
{
    struct cipher *c = ctx;
    if (!c->running && !start(c))
        return 0;
    if (UNLIKELY(c->tls_version))
        return tls_record(c, out, out_len, out_size, in, in_len);
    int error = hr_cipher_update(&c->stream, out, out_size, out_len, in, in_len);
    if (UNLIKELY(error == HR_EOVERLAP))
        error = update_overlapping(c, out, out_len, out_size, in, in_len);
    if (UNLIKELY(error))
        return RAISE_HR(c->provider, error);
    served_add(&c->served, in_len);
    return 1;
}

/* last_block writes nothing to `out` if the padding is bad. */
static int last_block(struct cipher *c, unsigned char *out, size_t *out_len, size_t out_size)
{
    unsigned char block[16];
    const size_t room = out_size < sizeof block ? out_size : sizeof block;
    const int error = hr_cipher_final(&c->stream, block, room, out_len);
    if (!error)
        memcpy(out, block, *out_len);
    wipe_bytes(block, sizeof block);
    return error;
}

/* finish_padded keeps the IV that continues CBC, because a program may go on after `final`. */
static int finish_padded(struct cipher *c, unsigned char *out, size_t *out_len, size_t out_size)
{
    int error = hr_cipher_get_iv(&c->stream, c->next, c->row->iv_len);
    if (!error)
        error = last_block(c, out, out_len, out_size);
    c->running = error == HR_EBUFFER;
    if (error)
        return RAISE_HR(c->provider, error);
    if (c->op == HR_OP_ENCRYPT && c->row->iv_len)
        memcpy(c->next, out, c->row->iv_len);
    return 1;
}

static int cipher_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct cipher *c = ctx;
    *out_len = 0;
    if (!c->running && !start(c))
        return 0;
    if (c->tls_version)
        return RAISE(c->provider, PROV_R_CIPHER_OPERATION_FAILED); /* records have no end */
    if (c->row->block_len == 1)
        return 1;
    const int waiting = hr_cipher_get_num(&c->stream);
    if (c->padding ||
        waiting == (int)cipher_unit(c->row)) /* held back before padding was turned off */
        return finish_padded(c, out, out_len, out_size);
    if (waiting)
        return RAISE(c->provider, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
    return 1;
}

/* cipher_whole is EVP_Cipher(): it takes whole blocks, without padding, and holds none back.  It
 * knows no records of TLS. */
static int cipher_whole(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                        const unsigned char *in, size_t in_len)
{
    struct cipher *c = ctx;
    if (!c->running && !start(c))
        return 0;
    if (c->row->block_len == 1)
        return cipher_update(ctx, out, out_len, out_size, in, in_len);
    *out_len = 0;
    if (!in_len)
        return 1;
    if (in_len & (c->row->block_len - 1u))
        return RAISE(c->provider, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
    if (hr_cipher_get_num(&c->stream) || hr_cipher_set_padding(&c->stream, 0))
        return RAISE(c->provider, PROV_R_INVALID_STATE);
    const int error = hr_cipher_update(&c->stream, out, out_size, out_len, in, in_len);
    const int restored = hr_cipher_set_padding(&c->stream, c->padding && !c->tls_version);
    if (error || restored)
        return RAISE_HR(c->provider, error ? error : restored);
    served_add(&c->served, in_len);
    return 1;
}

/* ---- entry points ---- */

#define HR_CIPHER(number, sym, ...) CIPHER_ROW(sym, cipher)
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

static const OSSL_DISPATCH shared[] = { CIPHER_FUNCTIONS(cipher, cipher)
                                            PIPELINE_FUNCTIONS{ 0, NULL } };
const struct functions cipher_functions = { shared, own };
