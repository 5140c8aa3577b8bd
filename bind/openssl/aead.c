/* SPDX-License-Identifier: Apache-2.0 */
/* provider-cipher(7) for AEADs: contexts, keys, TLS records, and each row's entry points. */
#include "aead.h"
#include "params.h"
#include <stdlib.h>

/* ---- contexts ---- */

/* ALIGN is a cache line: kernels read round keys and powers of H by whole lines. */
enum { ALIGN = 64 };

static struct aead *aead_alloc(void)
{
    char *block = malloc(sizeof(struct aead) + ALIGN - 1);
    if (!block)
        return NULL;
    struct aead *a = (void *)(block + (-(uintptr_t)block & (ALIGN - 1)));
    a->block = block;
    return a;
}

static const struct aead_mode *mode_of(const struct hr_algorithm *row)
{
    switch (row->mode) {
    case HR_MODE_GCM:
        return &gcm_evp;
    case HR_MODE_CCM:
        return &ccm_evp;
    default:
        return &chacha_evp;
    }
}

static void *aead_newctx(void *provctx, enum row_index index)
{
    struct aead *a = aead_alloc();
    if (!a)
        return NULL;
    void *block = a->block;
    memset(a, 0, sizeof *a);
    a->block = block;
    a->provider = provctx;
    a->row = hr_algorithm_at(index);
    a->mode = mode_of(a->row);
    a->iv_len = a->mode->iv_len;
    a->tag_len = a->mode->tag_len;
    served_init(&a->served, index);
    return a;
}

static void aead_freectx(void *ctx)
{
    struct aead *a = ctx;
    if (!a)
        return;
    void *block = a->block;
    stats_fold(&a->served);
    WIPE(a);
    free(block);
}

static void *aead_dupctx(void *ctx)
{
    const struct aead *a = ctx;
    struct aead *copy = aead_alloc();
    if (!copy)
        return NULL;
    void *block = copy->block;
    *copy = *a;
    copy->block = block;
    served_init(&copy->served, a->served.index);
    /* HR_ESTATE: the stream has ended, or not begun, and needs no key */
    const int error = hr_aead_set_key(&copy->stream, &copy->key);
    if (!error || error == HR_ESTATE)
        return copy;
    aead_freectx(copy);
    return NULL;
}

/* ---- init ---- */

int aead_lacks_tag(const struct aead *a)
{
    return is_openssl_4(a->provider) ? RAISE(a->provider, PROV_R_TAG_NOT_SET) : 0;
}

static int aead_init(struct aead *a, enum hr_op op, const unsigned char *key, size_t key_len,
                     const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    if (a->op != op) {
        a->tag_set = 0; /* the tag was of the other direction */
        if (a->stage == CCM_AAD)
            a->stage = CCM_SPENT;
    }
    a->op = (uint8_t)op;
    if (iv) {
        if (!a->mode->good_iv(a, iv_len))
            return RAISE(a->provider, PROV_R_INVALID_IV_LENGTH);
        memcpy(a->iv, iv, iv_len);
        a->iv_len = iv_len;
        a->iv_state = IV_GIVEN;
    }
    if (key) {
        if (hr_aead_key_init(&a->key, a->row->alg, key, key_len))
            return RAISE(a->provider, PROV_R_INVALID_KEY_LENGTH);
        a->key_set = 1;
        a->key_iv_len = (uint8_t)a->iv_len;
        a->key_tag_len = (uint8_t)a->tag_len;
    }
    a->mode->changed(a, iv != NULL, key != NULL);
    return !params || aead_set_ctx_params(a, params);
}

static int aead_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return aead_init(ctx, HR_OP_ENCRYPT, key, key_len, iv, iv_len, params);
}

static int aead_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return aead_init(ctx, HR_OP_DECRYPT, key, key_len, iv, iv_len, params);
}

/* ---- data ---- */

int aead_aad(struct aead *a, const uint8_t *in, size_t len)
{
    if (hr_aead_aad(&a->stream, in, len))
        return 0;
    served_add(&a->served, len);
    return 1;
}

int aead_update(struct aead *a, uint8_t *out, const uint8_t *in, size_t len)
{
    int error = hr_aead_update(&a->stream, out, in, len);
    if (UNLIKELY(error == HR_EOVERLAP)) {
        memmove(out, in, len);
        error = hr_aead_update(&a->stream, out, out, len);
    }
    if (UNLIKELY(error))
        return 0;
    served_add(&a->served, len);
    return 1;
}

/* ---- TLS ---- */

/* aead_tls_begin replaces the length of the record, the header's last two bytes, by the length of
 * its text, as RFC 5246 section 6.2.3.3 wants it. */
int aead_tls_begin(struct aead *a, const OSSL_PARAM *p, size_t tag_len)
{
    const void *header;
    size_t len;
    if (!param_get_octets(p, &header, &len) || len != TLS_AAD_LEN)
        return 0;
    memcpy(a->tls_aad, header, len);
    a->tls =
        a->mode->tls_explicit > 0; /* the next call is a record, even if this length is wrong */
    const size_t extra = a->mode->tls_explicit + (a->op == HR_OP_DECRYPT ? tag_len : 0);
    uint8_t *const at = a->tls_aad + TLS_AAD_LEN - 2;
    size_t text_len = (size_t)at[0] << 8 | at[1];
    if (text_len < extra)
        return 0;
    text_len -= extra;
    a->tls = 1;
    at[0] = (uint8_t)(text_len >> 8);
    at[1] = (uint8_t)text_len;
    a->tls_pad = tag_len;
    return 1;
}

int aead_tls_record(struct aead *a, uint8_t *out, size_t *out_len, size_t in_len, const uint8_t *iv,
                    size_t tag_len)
{
    uint8_t *const text = out + a->mode->tls_explicit;
    const size_t len = in_len - a->mode->tls_explicit - tag_len;
    const int error = a->op == HR_OP_ENCRYPT
                          ? hr_aead_encrypt(text, text + len, tag_len, text, len, a->tls_aad,
                                            TLS_AAD_LEN, &a->key, iv, a->iv_len)
                          : hr_aead_decrypt(text, text + len, tag_len, text, len, a->tls_aad,
                                            TLS_AAD_LEN, &a->key, iv, a->iv_len);
    if (error)
        return 0;
    *out_len = a->op == HR_OP_ENCRYPT ? in_len : len;
    served_add(&a->served, len);
    return 1;
}

/* ---- entry points ---- */

#define HR_AEAD(number, sym, ...) CIPHER_ROW(sym, aead)
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

static const OSSL_DISPATCH shared_gcm[] = { CIPHER_FUNCTIONS(aead, GCM){ 0, NULL } };
static const OSSL_DISPATCH shared_ccm[] = { CIPHER_FUNCTIONS(aead, CCM){ 0, NULL } };
static const OSSL_DISPATCH shared_chacha[] = { CIPHER_FUNCTIONS(aead, CHACHA){ 0, NULL } };
const struct functions gcm_functions = { shared_gcm, own }, ccm_functions = { shared_ccm, own },
                       chacha_functions = { shared_chacha, own };
