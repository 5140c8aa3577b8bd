/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of PBKDF2 and HKDF in provider-kdf(7). */
#include "kdf.h"
#include "params.h"
#include <stdlib.h>

/* ---- bytes ---- */

void kdf_bytes_wipe(struct kdf_bytes *bytes)
{
    if (bytes->at)
        wipe_bytes(bytes->at, bytes->len);
    free(bytes->at);
    *bytes = (struct kdf_bytes){ NULL, 0 };
}

int kdf_bytes_set(struct kdf_bytes *out, const void *bytes, size_t len)
{
    uint8_t *copy = len < SIZE_MAX ? malloc(len + 1) : NULL;
    kdf_bytes_wipe(out);
    if (!copy)
        return 0;
    if (len)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    *out = (struct kdf_bytes){ copy, len };
    return 1;
}

/* ---- contexts ---- */

struct kdf *kdf_new(void *provctx, enum row_index index)
{
    struct kdf *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->provider = provctx;
    k->row = hr_algorithm_at(index);
    served_init(&k->served, index);
    return k;
}

void kdf_clear(struct kdf *k)
{
    struct kdf_bytes *const all[] = { &k->name, &k->properties, &k->secret, &k->salt, &k->info };
    for (size_t i = 0; i < COUNT(all); i++)
        kdf_bytes_wipe(all[i]);
    k->digest = KDF_DIGEST_NONE;
}

void kdf_free(void *ctx)
{
    struct kdf *k = ctx;
    if (!k)
        return;
    stats_fold(&k->served);
    kdf_clear(k);
    free(k);
}

static int copy_bytes(struct kdf_bytes *out, const struct kdf_bytes *in)
{
    *out = (struct kdf_bytes){ NULL, 0 };
    return !in->at || kdf_bytes_set(out, in->at, in->len);
}

void *kdf_dup(void *ctx)
{
    const struct kdf *k = ctx;
    struct kdf *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *k;
    served_init(&copy->served, k->served.index);
    const int good = copy_bytes(&copy->name, &k->name) &
                     copy_bytes(&copy->properties, &k->properties) &
                     copy_bytes(&copy->secret, &k->secret) & copy_bytes(&copy->salt, &k->salt) &
                     copy_bytes(&copy->info, &k->info);
    if (good)
        return copy;
    kdf_free(copy);
    return NULL;
}

/* ---- parameters ---- */

int kdf_take_octets(struct kdf_bytes *out, const OSSL_PARAM params[], const char *key)
{
    const void *bytes;
    size_t len;
    const OSSL_PARAM *p = param_find(params, key);
    if (!p)
        return 1;
    if (param_get_octets(p, &bytes, &len))
        return kdf_bytes_set(out, bytes, len);
    kdf_bytes_wipe(out);
    return 0;
}

const struct hr_algorithm *hmac_over(const char *name, size_t name_len)
{
    const struct hr_algorithm *row, *digest;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if ((digest = hr_algorithm(row->digest)) &&
            params_name_in_list(digest->openssl_names, name, name_len))
            return row;
    return NULL;
}

static int take_text(struct kdf_bytes *out, const OSSL_PARAM *p)
{
    const char *text;
    size_t len;
    kdf_bytes_wipe(out);
    if (!p)
        return 1;
    return param_get_text(p, &text, &len) && kdf_bytes_set(out, text, len);
}

/* kdf_take_digest applies properties only to the digest in the same list, as OpenSSL does.  Empty
 * properties ask for nothing. */
int kdf_take_digest(struct kdf *k, const OSSL_PARAM params[])
{
    const OSSL_PARAM *digest = param_find(params, OSSL_KDF_PARAM_DIGEST);
    const OSSL_PARAM *properties = param_find(params, OSSL_KDF_PARAM_PROPERTIES);
    const char *text;
    size_t len;
    if (!digest)
        return !properties || param_get_text(properties, &text, &len) ||
               RAISE(k->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    k->digest = KDF_DIGEST_NONE;
    if (!take_text(&k->name, digest) || !take_text(&k->properties, properties))
        return RAISE(k->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    if (!k->properties.len)
        kdf_bytes_wipe(&k->properties);
    const struct hr_algorithm *ours =
        k->properties.at ? NULL : hmac_over((const char *)k->name.at, k->name.len);
    k->hmac = ours ? ours->alg : HR_ALG_NONE;
    if (k->hmac == HR_ALG_NONE && !kdf_other_accepts(k))
        return 0;
    k->digest = k->hmac == HR_ALG_NONE ? KDF_DIGEST_OTHER : KDF_DIGEST_OURS;
    return 1;
}

/* ---- results ---- */

int kdf_done(struct kdf *k, int error, size_t out_len)
{
    if (error == HR_ELENGTH)
        return RAISE(k->provider, PROV_R_LENGTH_TOO_LARGE);
    if (error)
        return RAISE_HR(k->provider, error);
    served_add(&k->served, out_len);
    return 1;
}

const OSSL_ALGORITHM kdf_rows[NUM_KDFS] = {
#define HR_KDF(number, sym, SYM, name, names) { names, NULL, sym##_functions, "Headrace " name },
#include <headrace/algorithms.def>
};
