/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of provider-cipher(7). */
#include "cipher.h"
#include <headrace/classes.h>

/* ---- of a block cipher ---- */

enum { IS_DES_aes = 0, IS_DES_des = 1, IS_DES_camellia = 0, IS_DES_kasumi = 0 };

int cipher_row_is_des(enum row_index index)
{
    static const uint8_t is_des[NUM_ROWS] = {
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, ...) \
    [INDEX_##sym] = IS_DES_##cipher,
#include <headrace/algorithms.def>
    };
    return is_des[index];
}

/* ---- of an algorithm ---- */

#define PARAM_TABLE "cipher_params.def"
#define PARAM_COLUMN(row, memory, handle, xts, wrap) row
#define PARAM_KIND(name) row_##name
#include "param_table.h"

/* EVP_CIPH_..._MODE of openssl/evp.h */
static const uint32_t evp_modes[] = {
    [HR_MODE_ECB] = 1, [HR_MODE_CBC] = 2,      [HR_MODE_CFB128] = 3,   [HR_MODE_OFB] = 4,
    [HR_MODE_CTR] = 5, [HR_MODE_GCM] = 6,      [HR_MODE_CCM] = 7,      [HR_MODE_XTS] = 0x10001,
    [HR_MODE_F8] = 0,  [HR_MODE_POLY1305] = 0, [HR_MODE_KW] = 0x10002, [HR_MODE_KWP] = 0x10002,
};

const OSSL_PARAM *cipher_gettable(void *provctx)
{
    return param_list(provctx, LIST_CIPHER, row_got);
}

int cipher_get_params(OSSL_PARAM params[], enum row_index index)
{
    const struct hr_algorithm *row = hr_algorithm_at(index);
    const struct hr_class_op *op = &hr_class_of(row)->ops[HR_JOB_ENCRYPT];
    const uint64_t values[NUM_PARAMS] = {
        [BLOCK_SIZE] = row->block_len,
        [KEY_LEN] = row->key_len,
        [IV_LEN] = row->iv_len,
        [MODE] = evp_modes[row->mode],
        [AEAD] = op->tag != HR_TAG_NONE,
        [CUSTOM_IV] = op->in != HR_IN_BLOCKS,
        [RAND_KEY] = (uint64_t)cipher_row_is_des(index),
    };
    return param_set_numbers(params, row_got_keys, values, NUM_PARAMS);
}

/* ---- of a context ---- */

#define PARAM_COLUMN(row, memory, handle, xts, wrap) memory
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"

const OSSL_PARAM *cipher_gettable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_CIPHER_GOT, ctx_got);
}

const OSSL_PARAM *cipher_settable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_CIPHER_TAKEN, ctx_taken);
}

/* cipher_updated_iv leaves f8 alone, whose state is no IV. */
int cipher_updated_iv(struct cipher *c)
{
    return !c->running || c->row->mode == HR_MODE_F8 ||
           !hr_cipher_get_iv(&c->stream, c->next, c->row->iv_len);
}

static uint64_t position(const struct cipher *c)
{
    if (c->row->block_len > 1)
        return 0; /* bytes that wait for a whole block are no position */
    return c->running ? (uint64_t)hr_cipher_get_num(&c->stream) : c->num;
}

static int get_one(struct cipher *c, OSSL_PARAM *p, int key)
{
    switch (key) {
    case IV_LEN:
        return param_set_number(p, c->row->iv_len);
    case KEY_LEN:
        return param_set_number(p, c->row->key_len);
    case UPDATED_IV:
        return cipher_updated_iv(c) && param_set_octets(p, c->next, c->row->iv_len);
    case IV:
        return param_set_octets(p, c->iv, c->row->iv_len);
    case NUM:
        return param_set_number(p, position(c));
    case PADDING:
        return param_set_number(p, c->padding);
    case TLS_MAC:
        return param_set_octets(p, c->mac, c->mac_len);
    case RANDOM_KEY:
        return !c->is_des || random_des_key_param(p, c->provider, c->row->key_len);
    default:
        return 1; /* not ours: ignored */
    }
}

int cipher_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    struct cipher *c = ctx;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(c, p, param_key(p, ctx_got_keys, NUM_PARAMS)))
            return RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

/* apply_padding turns the stream's padding off for TLS records, which have a padding of their
 * own. */
static int apply_padding(struct cipher *c)
{
    if (c->use == PIPES_RUNNING)
        return pipeline_set_padding(c);
    return !c->running || !hr_cipher_set_padding(&c->stream, c->padding && !c->tls_version);
}

static int set_num(struct cipher *c, uint64_t value)
{
    const int has_position = c->row->mode == HR_MODE_CFB128 || c->row->mode == HR_MODE_OFB;
    if (value && (!has_position || value >= cipher_unit(c->row)))
        return 0;
    c->num = (uint32_t)value;
    return !c->running || !hr_cipher_set_num(&c->stream, (unsigned)value);
}

/* set_f8_part sets one part of f8's IV: COUNT, BEARER or DIRECTION, after which come zeros (3GPP TS
 * 35.201 section 3.4).  The other parts stay, and the message begins anew. */
static int set_f8_part(struct cipher *c, int key, uint64_t value)
{
    static const uint32_t most[NUM_PARAMS] = {
        [F8_COUNT] = UINT32_MAX, [F8_BEARER] = 31, [F8_DIRECTION] = 1
    };
    if (c->row->mode != HR_MODE_F8)
        return 1;
    if (value > most[key])
        return 0;
    for (size_t i = 4; key == F8_COUNT && i--; value >>= 8)
        c->iv[i] = (uint8_t)value;
    if (key == F8_BEARER)
        c->iv[4] = (uint8_t)((c->iv[4] & 0x07) | value << 3);
    if (key == F8_DIRECTION)
        c->iv[4] = (uint8_t)((c->iv[4] & ~0x04) | value << 2);
    memcpy(c->next, c->iv, c->row->iv_len);
    c->iv_set = 1;
    c->running = 0;
    return 1;
}

static int set_one(struct cipher *c, int key, uint64_t value)
{
    switch (key) {
    case PADDING:
        c->padding = value != 0;
        return apply_padding(c);
    case NUM:
        return set_num(c, value);
    case TLS_VERSION:
        if (c->row->mode != HR_MODE_CBC) /* no suite has records of it */
            return value == 0;
        if (!tls_version_known(value))
            return 0;
        c->tls_version = (uint32_t)value;
        return apply_padding(c);
    case TLS_MAC_SIZE:
        if (value > MAX_MAC)
            return 0;
        c->mac_len = value;
        return 1;
    case USE_BITS:
        return 1; /* lengths in bits are for CFB of one bit only */
    default:
        return set_f8_part(c, key, value);
    }
}

int cipher_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct cipher *c = ctx;
    if (!param_once(c->provider, params, NULL))
        return 0;
    for (const OSSL_PARAM *p = params; p && p->key; p++) {
        uint64_t value;
        const int key = param_key(p, ctx_taken_keys, NUM_PARAMS);
        if (key < 0)
            continue;
        if (!param_get_number(p, &value) || (key != TLS_MAC_SIZE && value > UINT32_MAX))
            return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER);
        if (!set_one(c, key, value))
            return RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    }
    return 1;
}
