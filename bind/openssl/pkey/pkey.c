/* SPDX-License-Identifier: Apache-2.0 */
#include "../custody/custody.h"
#include <sched.h>
#include <stdlib.h>

/* ---- lists ---- */

const OSSL_PARAM *pkey_types(struct pkey_types *types, const struct param_spec specs[])
{
    int none = 0;
    if (LIKELY(atomic_load_explicit(&types->state, memory_order_acquire) == 2))
        return types->list;
    if (atomic_compare_exchange_strong(&types->state, &none, 1)) {
        for (size_t i = 0; *specs[i].key && i + 1 < COUNT(types->list); i++)
            types->list[i] =
                (OSSL_PARAM){ specs[i].key, specs[i].type, NULL, specs[i].size, PARAM_NONE };
        atomic_store_explicit(&types->state, 2, memory_order_release);
    }
    while (atomic_load_explicit(&types->state, memory_order_acquire) != 2)
        sched_yield();
    return types->list;
}

/* ---- references ---- */

void *pkey_hold(void *key)
{
    struct pkey *k = key;
    atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
    return k;
}

static void destroy(struct pkey *key)
{
    custody_release(key->custody);
    key->destroy(key);
}

void pkey_release(void *key)
{
    struct pkey *k = key;
    if (k && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 1)
        destroy(k);
}

void *pkey_load(const void *reference, size_t reference_len)
{
    void *key;
    if (reference_len != sizeof key)
        return NULL;
    memcpy(&key, reference, sizeof key);
    memset((void *)(uintptr_t)reference, 0, sizeof key); /* the decoder has it no more */
    return key;
}

void pkey_share(struct pkey *copy, const struct pkey *key, int selection)
{
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
        copy->custody = custody_hold(key->custody);
}

void *pkey_keep(_Atomic(void *) *slot, void *made, void (*drop)(void *))
{
    void *first = NULL;
    if (!made || atomic_compare_exchange_strong(slot, &first, made))
        return made;
    drop(made);
    return first;
}

void *pkey_aligned(size_t size)
{
    enum { ALIGN = 64 }; /* of struct hr_sign_key and the others */
    return aligned_alloc(ALIGN, (size + ALIGN - 1) & ~(size_t)(ALIGN - 1));
}

/* ---- digests ---- */

int pkey_copy_digest(const struct provider *provider, EVP_MD **out_md, EVP_MD_CTX **out_ctx,
                     EVP_MD *md, const EVP_MD_CTX *ctx)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provider);
    if (md && !ssl->EVP_MD_up_ref(md))
        return 0;
    *out_md = md;
    if (!ctx)
        return 1;
    *out_ctx = ssl->EVP_MD_CTX_new();
    return *out_ctx && ssl->EVP_MD_CTX_copy_ex(*out_ctx, ctx);
}

/* ---- numbers: OSSL_PARAM has them in the machine's byte order ---- */

static size_t place(size_t i, size_t size)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 - i : i;
}

/* write_number writes a big-endian number of which all bytes fit but leading zeros. */
static void write_number(OSSL_PARAM *p, const uint8_t *number, size_t number_len)
{
    uint8_t *out = p->data;
    for (size_t i = 0; i < p->data_size; i++)
        out[place(i, p->data_size)] = i < number_len ? number[number_len - 1 - i] : 0;
    p->return_size = p->data_size;
}

int pkey_set_number(OSSL_PARAM *p, const uint8_t *number, size_t number_len)
{
    if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER)
        return 0;
    for (; number_len > 1 && !*number; number_len--)
        number++;
    p->return_size = number_len;
    if (!p->data)
        return 1;
    if (p->data_size < number_len)
        return 0;
    write_number(p, number, number_len);
    return 1;
}

int pkey_set_padded(const struct provider *provider, OSSL_PARAM *p, const uint8_t *number,
                    size_t number_len)
{
    if (p->data_size < number_len)
        return error_raise_packed(provider, ERR_PACK(ERR_LIB_CRYPTO, 0, CRYPTO_R_TOO_SMALL_BUFFER),
                                  __FILE__, __LINE__, __func__);
    if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER)
        return 0;
    p->return_size = p->data_size = number_len;
    if (p->data)
        write_number(p, number, number_len);
    return 1;
}

/* pkey_get_number looks at all bytes, whatever they are. */
int pkey_get_number(const OSSL_PARAM *p, uint8_t *number, size_t number_len)
{
    const uint8_t *in = p->data;
    uint8_t more = 0;
    if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER || !in)
        return 0;
    memset(number, 0, number_len);
    for (size_t i = 0; i < p->data_size; i++)
        if (i < number_len)
            number[number_len - 1 - i] = in[place(i, p->data_size)];
        else
            more |= in[place(i, p->data_size)];
    return !more;
}

/* ---- parameters that may be absent ---- */

int pkey_get_text(const OSSL_PARAM params[], const char *key, char *out, size_t out_size)
{
    const char *text;
    size_t len;
    const OSSL_PARAM *p = param_find(params, key);
    if (!p)
        return 1;
    if (!param_get_text(p, &text, &len) || len >= out_size)
        return 0;
    memcpy(out, text, len);
    out[len] = '\0';
    return 1;
}

int pkey_get_int(const OSSL_PARAM params[], const char *key, int *value)
{
    int64_t number;
    const OSSL_PARAM *p = param_find(params, key);
    if (!p)
        return 1;
    if (!param_get_signed(p, &number) || number != (int)number)
        return 0;
    *value = (int)number;
    return 1;
}

static OSSL_PARAM *find(OSSL_PARAM params[], const char *key)
{
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!strcmp(p->key, key))
            return p;
    return NULL;
}

int pkey_set_int(OSSL_PARAM params[], const char *key, int value)
{
    OSSL_PARAM *p = find(params, key);
    return !p || param_set_number(p, (uint64_t)value);
}

int pkey_set_category(const struct provider *provider, OSSL_PARAM params[], int category)
{
    OSSL_PARAM *p = find(params, PARAM_CATEGORY);
    return !p || win_release(provider) < CATEGORY_SINCE || param_set_number(p, (uint64_t)category);
}

int pkey_set_text(OSSL_PARAM params[], const char *key, const char *text)
{
    OSSL_PARAM *p = find(params, key);
    return !p || param_set_text(p, text);
}
