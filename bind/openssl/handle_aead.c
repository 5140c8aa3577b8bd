/* SPDX-License-Identifier: Apache-2.0 */
/* GCM and CCM under a key of the accelerator.  A request is a whole message: AAD is collected, and
 * the text is one update; another one is refused.
 *
 * Programs that decrypt GCM may give the tag after the text.  Then the text is decrypted as
 * keystream is, by encryption, encrypted again for the tag that it should have, and that is
 * compared in the end. */
#include "handle.h"
#include "params.h"
#include <stdlib.h>

enum { MAX_IV = 64, MAX_AAD = 64 << 10, TAG = HR_AEAD_MAX_TAG };

struct handle_aead {
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct handle *key;
    struct served served;
    uint8_t op, iv_set, tag_set;
    uint8_t done, failed; /* the text has been; in vain */
    uint8_t iv[MAX_IV], tag[TAG], given[TAG];
    size_t iv_len, tag_len, aad_len;
    uint8_t *aad;
};

/* ---- contexts ---- */

static void *aead_newctx(void *provctx, enum row_index index)
{
    struct handle_aead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->row = hr_algorithm_at(index);
    a->provider = provctx;
    a->iv_len = a->row->mode == HR_MODE_CCM ? 7 : 12; /* the default provider's */
    a->tag_len = a->row->mode == HR_MODE_CCM ? 12 : TAG;
    served_init(&a->served, index);
    return a;
}

static void aead_freectx(void *ctx)
{
    struct handle_aead *a = ctx;
    if (!a)
        return;
    stats_fold(&a->served);
    handle_release(a->key);
    free(a->aad);
    WIPE(a);
    free(a);
}

static void *aead_dupctx(void *ctx)
{
    const struct handle_aead *a = ctx;
    struct handle_aead *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *a;
    handle_hold(copy->key);
    served_init(&copy->served, a->served.index);
    copy->aad = a->aad_len ? malloc(a->aad_len) : NULL;
    if (a->aad_len && !copy->aad) {
        aead_freectx(copy);
        return NULL;
    }
    if (a->aad_len)
        memcpy(copy->aad, a->aad, a->aad_len);
    return copy;
}

/* ---- parameters ---- */

enum { IV_LEN, KEY_LEN, TAG_LEN, THE_TAG, IV, UPDATED_IV, KEY, NUM_KEYS };

static const char *const keys[NUM_KEYS] = {
    [IV_LEN] = OSSL_CIPHER_PARAM_AEAD_IVLEN,
    [KEY_LEN] = OSSL_CIPHER_PARAM_KEYLEN,
    [TAG_LEN] = OSSL_CIPHER_PARAM_AEAD_TAGLEN,
    [THE_TAG] = OSSL_CIPHER_PARAM_AEAD_TAG,
    [IV] = OSSL_CIPHER_PARAM_IV,
    [UPDATED_IV] = OSSL_CIPHER_PARAM_UPDATED_IV,
    [KEY] = HANDLE_PARAM,
};

static const OSSL_PARAM *aead_gettable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        PARAM_SIZE(OSSL_CIPHER_PARAM_AEAD_IVLEN),
        PARAM_SIZE(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TAG),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_IV),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_UPDATED_IV),
        PARAM_END,
    };
    return list;
}

static int get_tag(const struct handle_aead *a, OSSL_PARAM *p)
{
    const size_t len = p->data_size;
    return a->op == HR_JOB_ENCRYPT && a->done && len && len <= TAG &&
           (a->row->mode != HR_MODE_CCM || len == a->tag_len) && param_set_octets(p, a->tag, len);
}

static int get_one(const struct handle_aead *a, OSSL_PARAM *p)
{
    switch (param_key(p, keys, NUM_KEYS)) {
    case IV_LEN:
        return param_set_number(p, a->iv_len);
    case KEY_LEN:
        return param_set_number(p, a->row->key_len);
    case TAG_LEN:
        return param_set_number(p, a->tag_len);
    case THE_TAG:
        return get_tag(a, p);
    case IV:
    case UPDATED_IV:
        return param_set_octets(p, a->iv, a->iv_len);
    default:
        return 1;
    }
}

static int aead_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    const struct handle_aead *a = ctx;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(a, p))
            return RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

static const OSSL_PARAM *aead_settable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_TEXT(HANDLE_PARAM),
        PARAM_SIZE(OSSL_CIPHER_PARAM_AEAD_IVLEN),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TAG),
        PARAM_END,
    };
    return list;
}

/* Without bytes it is the length only. */
static int set_tag(struct handle_aead *a, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING || !p->data_size || p->data_size > TAG ||
        (p->data && a->op == HR_JOB_ENCRYPT))
        return 0;
    a->tag_len = p->data_size;
    if (p->data)
        memcpy(a->given, p->data, p->data_size);
    a->tag_set = p->data != NULL;
    return 1;
}

static int set_one(struct handle_aead *a, const OSSL_PARAM *p)
{
    uint64_t value;
    switch (param_key(p, keys, NUM_KEYS)) {
    case IV_LEN:
        if (!param_get_number(p, &value) || !value || value > MAX_IV)
            return 0;
        a->iv_set &= a->iv_len == value;
        a->iv_len = value;
        return 1;
    case THE_TAG:
        return set_tag(a, p);
    case KEY:
        return handle_replace(&a->key, handle_open(a->provider, p));
    default:
        return 1;
    }
}

static int aead_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct handle_aead *a = ctx;
    for (const OSSL_PARAM *p = params; p && p->key; p++)
        if (!set_one(a, p))
            return RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

/* ---- init ---- */

static int aead_init(struct handle_aead *a, int op, const unsigned char *iv, size_t iv_len,
                     const OSSL_PARAM params[])
{
    a->op = (uint8_t)op;
    a->done = a->failed = 0;
    a->aad_len = 0;
    if (!aead_set_ctx_params(a, params))
        return 0;
    if (!iv)
        return 1;
    if (iv_len != a->iv_len)
        return RAISE(a->provider, PROV_R_INVALID_IV_LENGTH);
    memcpy(a->iv, iv, iv_len);
    a->iv_set = 1;
    return 1;
}

static int init_bytes(struct handle_aead *a, int op, const unsigned char *key, size_t key_len,
                      const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    if (key && !handle_replace(&a->key, handle_import(a->provider, a->row->alg, key, key_len)))
        return 0;
    return aead_init(a, op, iv, iv_len, params);
}

static int init_skey(struct handle_aead *a, int op, void *key, const unsigned char *iv,
                     size_t iv_len, const OSSL_PARAM params[])
{
    if (key && !handle_replace(&a->key, handle_hold(key)))
        return 0;
    return aead_init(a, op, iv, iv_len, params);
}

static int aead_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return init_bytes(ctx, HR_JOB_ENCRYPT, key, key_len, iv, iv_len, params);
}
static int aead_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return init_bytes(ctx, HR_JOB_DECRYPT, key, key_len, iv, iv_len, params);
}
static int aead_encrypt_skey(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
                             const OSSL_PARAM params[])
{
    return init_skey(ctx, HR_JOB_ENCRYPT, key, iv, iv_len, params);
}
static int aead_decrypt_skey(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
                             const OSSL_PARAM params[])
{
    return init_skey(ctx, HR_JOB_DECRYPT, key, iv, iv_len, params);
}

/* ---- data ---- */

static int add_aad(struct handle_aead *a, const uint8_t *in, size_t len)
{
    if (a->done || len > MAX_AAD - a->aad_len)
        return RAISE(a->provider, PROV_R_CIPHER_OPERATION_FAILED);
    uint8_t *aad = realloc(a->aad, a->aad_len + len + 1);
    if (!aad)
        return 0;
    memcpy(aad + a->aad_len, in, len);
    a->aad = aad;
    a->aad_len += len;
    return 1;
}

static int run(struct handle_aead *a, int op, uint8_t *out, uint8_t *tag, const uint8_t *in,
               size_t len)
{
    struct hr_job job = { .alg = (uint16_t)a->row->alg,
                          .op = (uint8_t)op,
                          .tag_len = (uint8_t)a->tag_len,
                          .iv = a->iv,
                          .iv_len = (uint32_t)a->iv_len,
                          .aad = a->aad,
                          .aad_len = (uint32_t)a->aad_len,
                          .tag = tag,
                          .in = in,
                          .out = out,
                          .len = len };
    return handle_run_quiet(a->key, &job);
}

/* GCM only: the tag is to come.  All of it is computed. */
static int decrypt_before_tag(struct handle_aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t *again = malloc(len + 1);
    int error = again ? 0 : HR_ESYSTEM;
    a->tag_len = TAG;
    if (!error)
        error = run(a, HR_JOB_ENCRYPT, out, a->tag, in, len);
    if (!error)
        error = run(a, HR_JOB_ENCRYPT, again, a->tag, out, len);
    if (again)
        wipe_bytes(again, len);
    free(again);
    return error;
}

static int text(struct handle_aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    const int gcm = a->row->mode == HR_MODE_GCM;
    if (!a->key)
        return RAISE(a->provider, PROV_R_NO_KEY_SET);
    if (!a->iv_set || a->done || a->failed)
        return RAISE(a->provider, PROV_R_INVALID_STATE);
    if (a->op == HR_JOB_DECRYPT && !a->tag_set && !gcm)
        return RAISE(a->provider, PROV_R_TAG_NOT_SET);
    if (gcm && a->op == HR_JOB_ENCRYPT)
        a->tag_len = TAG; /* the program takes the first bytes that it wants */
    const int error = a->op == HR_JOB_ENCRYPT ? run(a, HR_JOB_ENCRYPT, out, a->tag, in, len)
                      : a->tag_set            ? run(a, HR_JOB_DECRYPT, out, a->given, in, len)
                                              : decrypt_before_tag(a, out, in, len);
    a->failed = error != 0;
    if (error)
        return error == HR_EMAC ? 0 : RAISE_HR(a->provider, error);
    a->done = 1;
    a->iv_set = 0; /* never twice */
    memcpy(a->tag, a->op == HR_JOB_DECRYPT && a->tag_set ? a->given : a->tag, TAG);
    served_add(&a->served, len);
    return 1;
}

static int aead_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                       const unsigned char *in, size_t in_len)
{
    struct handle_aead *a = ctx;
    *out_len = 0;
    if (out_size < in_len) /* of AAD too, as elsewhere */
        return RAISE(a->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    *out_len = in_len;
    if (!in) /* CCM is told how long the text will be */
        return 1;
    if (!out)
        return add_aad(a, in, in_len);
    if (!in_len && a->row->mode == HR_MODE_GCM)
        return 1;
    return text(a, out, in, in_len);
}

/* Of the tag that the text has and the one that the program gave, where the two meet here. */
static int compare(const struct handle_aead *a)
{
    uint32_t differ = 0;
    for (size_t i = 0; i < a->tag_len; i++)
        differ |= a->tag[i] ^ a->given[i];
    __asm__("" : "+r"(differ));
    return differ == 0;
}

static int aead_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct handle_aead *a = ctx;
    uint8_t none = 0;
    *out_len = 0;
    /* After a text that failed this is not the end of an empty one, whose tag may be right. */
    if (a->failed || (!a->done && !text(a, &none, &none, 0)))
        return 0;
    if (a->op == HR_JOB_ENCRYPT)
        return 1;
    const int good = a->tag_set && compare(a);
    a->tag_set = 0;
    return good;
}

/* ---- entry points ---- */

#define HR_AEAD(number, sym, ...) HANDLE_ROW(sym, aead)
#include <headrace/algorithms.def>

const OSSL_ALGORITHM handle_aead_rows[NUM_AEADS] = {
#define HR_AEAD(number, sym, SYM, name, names, ...) HANDLE_ENTRY(sym, name, names)
#include <headrace/algorithms.def>
};
