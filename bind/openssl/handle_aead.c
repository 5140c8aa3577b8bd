/* SPDX-License-Identifier: Apache-2.0 */
/* AEADs under a key of the accelerator: provider-cipher(7) over hr_accel_aead_init, aad,
 * update and final.  The text must be one update. */
#include "handle.h"
#include <stdlib.h>

enum { FULL_TAG = HR_AEAD_MAX_TAG };

struct handle_context {
    struct hr_accel_aead_ctx stream; /* if running */
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct handle *key;
    struct served served;
    uint8_t op, iv_set, tag_set, running;
    uint8_t done, failed; /* the text was processed; processing it failed */
    uint8_t iv[HR_ACCEL_MAX_IV], tag[FULL_TAG], given[FULL_TAG];
    size_t iv_len, tag_len, aad_len;
};

#define PARAM_TABLE "aead_params.def"
#define PARAM_COLUMN(memory, handle) handle
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"
#define HANDLE_LIST(name) LIST_HANDLE_AEAD_##name
#define HANDLE_CLIENT(call) hr_accel_aead_##call
#define HANDLE_INIT_ARGS c->op, c->iv, c->iv_len
#include "handle_context.h"

/* ---- parameters ---- */

/* prepare sets the default provider's lengths. */
static void prepare(struct handle_context *c)
{
    const int ccm = c->row->mode == HR_MODE_CCM;
    c->iv_len = ccm ? 7 : 12;
    c->tag_len = ccm ? 12 : FULL_TAG;
}

static int get_tag(const struct handle_context *a, OSSL_PARAM *p)
{
    const size_t len = p->data_size;
    return a->op == HR_OP_ENCRYPT && a->done && len && len <= FULL_TAG &&
           (a->row->mode != HR_MODE_CCM || len == a->tag_len) && param_set_octets(p, a->tag, len);
}

static int get_one(const struct handle_context *a, OSSL_PARAM *p, int number)
{
    if (number == TAG)
        return get_tag(a, p);
    return number == TAG_LEN ? param_set_number(p, a->tag_len)
                             : param_set_octets(p, a->iv, a->iv_len);
}

/* set_tag sets only the length if the tag has no bytes. */
static int set_tag(struct handle_context *a, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING || !p->data_size || p->data_size > FULL_TAG ||
        (p->data && a->op == HR_OP_ENCRYPT))
        return 0;
    a->tag_len = p->data_size;
    if (p->data)
        memcpy(a->given, p->data, p->data_size);
    a->tag_set = p->data != NULL;
    return 1;
}

static int set_iv_len(struct handle_context *a, const OSSL_PARAM *p)
{
    uint64_t value;
    if (!param_get_number(p, &value) || !value || value > sizeof a->iv)
        return 0;
    a->iv_set &= a->iv_len == value;
    a->iv_len = value;
    return 1;
}

static int set_one(struct handle_context *a, const OSSL_PARAM *p)
{
    switch (param_key(p, ctx_taken_keys, NUM_PARAMS)) {
    case IV_LEN:
        return set_iv_len(a, p);
    case TAG:
        return set_tag(a, p);
    case KEY:
        return handle_replace(&a->key, handle_open(a->provider, p));
    default:
        return 1;
    }
}

static int handle_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct handle_context *a = ctx;
    for (const OSSL_PARAM *p = params; p && p->key; p++)
        if (!set_one(a, p))
            return RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

static int begin(struct handle_context *a, enum hr_op op, const unsigned char *iv, size_t iv_len,
                 const OSSL_PARAM params[])
{
    stop(a);
    a->op = (uint8_t)op;
    a->done = a->failed = 0;
    a->aad_len = 0;
    if (!handle_set_ctx_params(a, params))
        return 0;
    if (iv && iv_len != a->iv_len)
        return RAISE(a->provider, PROV_R_INVALID_IV_LENGTH);
    if (iv)
        memcpy(a->iv, iv, iv_len);
    a->iv_set |= iv != NULL;
    return 1;
}

#include "handle_cipher.h"

/* ---- data ---- */

static int add_aad(struct handle_context *a, const uint8_t *in, size_t len)
{
    if (a->done)
        return RAISE(a->provider, PROV_R_CIPHER_OPERATION_FAILED);
    if (!run(a))
        return 0;
    if (client.hr_accel_aead_aad(&a->stream, in, len))
        return RAISE(a->provider, PROV_R_CIPHER_OPERATION_FAILED);
    a->aad_len += len;
    return 1;
}

static int whole_text(struct handle_context *a, uint8_t *out, const uint8_t *in, size_t len)
{
    int error = client.hr_accel_aead_lengths(&a->stream, a->aad_len, len, a->tag_len);
    if (!error && a->op == HR_OP_DECRYPT && a->tag_set)
        error = client.hr_accel_aead_expect(&a->stream, a->given, a->tag_len);
    if (!error)
        error = client.hr_accel_aead_update(&a->stream, out, in, len);
    if (!error && a->op == HR_OP_ENCRYPT)
        error = client.hr_accel_aead_final(&a->stream, a->tag, a->tag_len);
    return error;
}

static int text(struct handle_context *a, uint8_t *out, const uint8_t *in, size_t len)
{
    const int ccm = a->row->mode == HR_MODE_CCM;
    if (!a->key)
        return RAISE(a->provider, PROV_R_NO_KEY_SET);
    if (!a->iv_set || a->done || a->failed)
        return RAISE(a->provider, PROV_R_INVALID_STATE);
    if (a->op == HR_OP_DECRYPT && !a->tag_set && ccm)
        return RAISE(a->provider, PROV_R_TAG_NOT_SET);
    if (!ccm && !(a->op == HR_OP_DECRYPT && a->tag_set))
        a->tag_len = FULL_TAG; /* get_tag returns as many bytes as the program wants */
    if (!run(a))
        return 0;
    const int error = whole_text(a, out, in, len);
    a->failed = error != 0;
    if (error)
        return error == HR_EMAC ? 0 : RAISE_HR(a->provider, error);
    a->done = 1;
    a->iv_set = 0; /* an IV is used once */
    served_add(&a->served, len);
    return 1;
}

static int handle_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                         const unsigned char *in, size_t in_len)
{
    struct handle_context *a = ctx;
    *out_len = 0;
    if (out_size < in_len) /* for AAD, too, as in GCM and CCM with keys in memory */
        return RAISE(a->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    *out_len = in_len;
    if (!in) /* CCM's announcement of the text's length */
        return 1;
    if (!out)
        return add_aad(a, in, in_len);
    if (!in_len && a->row->mode != HR_MODE_CCM)
        return 1;
    return text(a, out, in, in_len);
}

static int handle_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct handle_context *a = ctx;
    uint8_t none = 0;
    *out_len = 0;
    /* If the text failed, an empty text must not be verified instead: its tag may be right. */
    if (a->failed || (!a->done && !text(a, &none, &none, 0)))
        return 0;
    if (a->op == HR_OP_ENCRYPT)
        return 1;
    if (!a->tag_set)
        return 0;
    a->tag_set = 0;
    const int error = client.hr_accel_aead_verify_short(&a->stream, a->given, a->tag_len);
    return !error || (error != HR_EMAC && RAISE_HR(a->provider, error));
}

/* ---- entry points ---- */

#define HR_AEAD(number, sym, ...) CIPHER_ROW(sym, handle)
#include <headrace/algorithms.def>

static any_function *own(enum row_index index, int id)
{
    switch (index) {
#define HR_AEAD(number, sym, ...) CIPHER_OWN(sym)
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

static const OSSL_DISPATCH shared[] = { HANDLE_FUNCTIONS{ 0, NULL } };
const struct functions handle_aead_functions = { shared, own };
