/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of provider-cipher(7). */
#include "cipher.h"
#include "params.h"

/* ---- of a block cipher ---- */

enum { IS_DES_aes = 0, IS_DES_des = 1, IS_DES_camellia = 0, IS_DES_kasumi = 0 };

int row_is_des(enum row_index index)
{
    static const uint8_t is_des[NUM_ROWS] = {
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, ...) \
    [INDEX_##sym] = IS_DES_##cipher,
#include <headrace/algorithms.def>
    };
    return is_des[index];
}

/* ---- of an algorithm ---- */

enum { BLOCK_SIZE, KEY_LEN, IV_LEN, MODE, AEAD, CUSTOM_IV, CTS, MULTI, RAND_KEY, NUM_KEYS };

static const char *const keys[NUM_KEYS] = {
    [BLOCK_SIZE] = OSSL_CIPHER_PARAM_BLOCK_SIZE,
    [KEY_LEN] = OSSL_CIPHER_PARAM_KEYLEN,
    [IV_LEN] = OSSL_CIPHER_PARAM_IVLEN,
    [MODE] = OSSL_CIPHER_PARAM_MODE,
    [AEAD] = OSSL_CIPHER_PARAM_AEAD,
    [CUSTOM_IV] = OSSL_CIPHER_PARAM_CUSTOM_IV,
    [CTS] = OSSL_CIPHER_PARAM_CTS,
    [MULTI] = OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK,
    [RAND_KEY] = OSSL_CIPHER_PARAM_HAS_RAND_KEY,
};

/* EVP_CIPH_..._MODE of openssl/evp.h */
static const uint32_t evp_modes[] = {
    [HR_MODE_ECB] = 1, [HR_MODE_CBC] = 2,       [HR_MODE_CFB128] = 3,
    [HR_MODE_OFB] = 4, [HR_MODE_CTR] = 5,       [HR_MODE_GCM] = 6,
    [HR_MODE_CCM] = 7, [HR_MODE_XTS] = 0x10001, [HR_MODE_F8] = 0,
};

const OSSL_PARAM *cipher_gettable(void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_UINT(OSSL_CIPHER_PARAM_MODE),        PARAM_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        PARAM_SIZE(OSSL_CIPHER_PARAM_IVLEN),       PARAM_SIZE(OSSL_CIPHER_PARAM_BLOCK_SIZE),
        PARAM_INT(OSSL_CIPHER_PARAM_AEAD),         PARAM_INT(OSSL_CIPHER_PARAM_CUSTOM_IV),
        PARAM_INT(OSSL_CIPHER_PARAM_CTS),          PARAM_INT(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK),
        PARAM_INT(OSSL_CIPHER_PARAM_HAS_RAND_KEY), PARAM_END,
    };
    return list;
}

int cipher_get_params(OSSL_PARAM params[], enum row_index index)
{
    const struct hr_algorithm *row = hr_algorithm_at(index);
    const uint64_t values[NUM_KEYS] = {
        [BLOCK_SIZE] = row->block_len,
        [KEY_LEN] = row->key_len,
        [IV_LEN] = row->iv_len,
        [MODE] = evp_modes[row->mode],
        [AEAD] = row->cls == HR_CLASS_AEAD,
        [CUSTOM_IV] = row->cls != HR_CLASS_CIPHER,
        [RAND_KEY] = (uint64_t)row_is_des(index),
    };
    return param_set_numbers(params, keys, values, NUM_KEYS);
}

/* ---- of a context ---- */

enum { CTX_IV_LEN, CTX_KEY_LEN, UPDATED_IV, IV, NUM, PADDING, TLS_MAC, RANDOM_KEY, NUM_CTX_KEYS };

/* EVP of 3.0 asks for the first two at every init. */
static const char *const ctx_keys[NUM_CTX_KEYS] = {
    [CTX_IV_LEN] = OSSL_CIPHER_PARAM_IVLEN,
    [CTX_KEY_LEN] = OSSL_CIPHER_PARAM_KEYLEN,
    [UPDATED_IV] = OSSL_CIPHER_PARAM_UPDATED_IV,
    [IV] = OSSL_CIPHER_PARAM_IV,
    [NUM] = OSSL_CIPHER_PARAM_NUM,
    [PADDING] = OSSL_CIPHER_PARAM_PADDING,
    [TLS_MAC] = OSSL_CIPHER_PARAM_TLS_MAC,
    [RANDOM_KEY] = OSSL_CIPHER_PARAM_RANDOM_KEY,
};

const OSSL_PARAM *cipher_gettable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        PARAM_SIZE(OSSL_CIPHER_PARAM_IVLEN),
        PARAM_UINT(OSSL_CIPHER_PARAM_PADDING),
        PARAM_UINT(OSSL_CIPHER_PARAM_NUM),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_IV),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_UPDATED_IV),
        PARAM_OCTET_PTR(OSSL_CIPHER_PARAM_TLS_MAC),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_RANDOM_KEY),
        PARAM_END,
    };
    return list;
}

/* f8's state is no IV: it begins anew from the one that it was given. */
int cipher_updated_iv(struct cipher *c)
{
    return !c->running || c->row->mode == HR_MODE_F8 ||
           !hr_cipher_get_iv(&c->stream, c->next, c->row->iv_len);
}

static uint64_t position(const struct cipher *c)
{
    if (c->row->block_len > 1)
        return 0; /* waiting bytes are no position */
    return c->running ? (uint64_t)hr_cipher_get_num(&c->stream) : c->num;
}

static int get_one(struct cipher *c, OSSL_PARAM *p, int key)
{
    switch (key) {
    case CTX_IV_LEN:
        return param_set_number(p, c->row->iv_len);
    case CTX_KEY_LEN:
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
        return !c->is_des || param_random_des_key(p, c->provider, c->row->key_len);
    default:
        return 1; /* not ours: left alone */
    }
}

int cipher_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    struct cipher *c = ctx;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(c, p, param_key(p, ctx_keys, NUM_CTX_KEYS)))
            return RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

enum {
    SET_PADDING,
    SET_NUM,
    SET_TLS_VERSION,
    SET_TLS_MAC_SIZE,
    SET_COUNT,
    SET_BEARER,
    SET_DIRECTION,
    NUM_SET_KEYS
};

static const char *const set_keys[NUM_SET_KEYS] = {
    [SET_PADDING] = OSSL_CIPHER_PARAM_PADDING,
    [SET_NUM] = OSSL_CIPHER_PARAM_NUM,
    [SET_TLS_VERSION] = OSSL_CIPHER_PARAM_TLS_VERSION,
    [SET_TLS_MAC_SIZE] = OSSL_CIPHER_PARAM_TLS_MAC_SIZE,
    [SET_COUNT] = PARAM_COUNT,
    [SET_BEARER] = PARAM_BEARER,
    [SET_DIRECTION] = PARAM_DIRECTION,
};

const OSSL_PARAM *cipher_settable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_UINT(OSSL_CIPHER_PARAM_PADDING),
        PARAM_UINT(OSSL_CIPHER_PARAM_NUM),
        PARAM_UINT(OSSL_CIPHER_PARAM_TLS_VERSION),
        PARAM_SIZE(OSSL_CIPHER_PARAM_TLS_MAC_SIZE),
        PARAM_UINT(PARAM_COUNT),
        PARAM_UINT(PARAM_BEARER),
        PARAM_UINT(PARAM_DIRECTION),
        PARAM_END,
    };
    return list;
}

/* A record is one update and has its own padding: then the stream has none. */
static int apply_padding(struct cipher *c)
{
    if (c->use == PIPES_RUNNING)
        return pipes_set_padding(c);
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

/* f8's IV in its parts: COUNT, BEARER, DIRECTION and zeros (3GPP TS 35.201 section 3.4).  Others
 * stay; the message begins anew. */
static int set_f8_part(struct cipher *c, int key, uint64_t value)
{
    static const uint32_t most[NUM_SET_KEYS] = {
        [SET_COUNT] = UINT32_MAX, [SET_BEARER] = 31, [SET_DIRECTION] = 1
    };
    if (c->row->mode != HR_MODE_F8)
        return 1;
    if (value > most[key])
        return 0;
    for (size_t i = 4; key == SET_COUNT && i--; value >>= 8)
        c->iv[i] = (uint8_t)value;
    if (key == SET_BEARER)
        c->iv[4] = (uint8_t)((c->iv[4] & 0x07) | value << 3);
    if (key == SET_DIRECTION)
        c->iv[4] = (uint8_t)((c->iv[4] & ~0x04) | value << 2);
    memcpy(c->next, c->iv, c->row->iv_len);
    c->iv_set = 1;
    c->running = 0;
    return 1;
}

static int set_one(struct cipher *c, int key, uint64_t value)
{
    switch (key) {
    case SET_PADDING:
        c->padding = value != 0;
        return apply_padding(c);
    case SET_NUM:
        return set_num(c, value);
    case SET_TLS_VERSION:
        if (c->row->mode != HR_MODE_CBC)
            return 1;
        if (!tls_version_known(value))
            return 0;
        c->tls_version = (uint32_t)value;
        return apply_padding(c);
    case SET_TLS_MAC_SIZE:
        if (value > MAX_MAC)
            return 0;
        c->mac_len = value;
        return 1;
    default:
        return set_f8_part(c, key, value);
    }
}

int cipher_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct cipher *c = ctx;
    for (const OSSL_PARAM *p = params; p && p->key; p++) {
        uint64_t value;
        const int key = param_key(p, set_keys, NUM_SET_KEYS);
        if (key < 0)
            continue;
        if (!param_get_number(p, &value))
            return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER);
        if (!set_one(c, key, value))
            return RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    }
    return 1;
}
