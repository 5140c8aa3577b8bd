/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys in the provider: what the key managements and operations of all kinds share. */
#ifndef HR_PROVIDER_PKEY_H
#define HR_PROVIDER_PKEY_H

#include "../../stats.h"
#include "../provider.h"
#include "libcrypto.h"
#include <openssl/ecerr.h>
#include <openssl/err.h>

struct custody;
/* struct pkey begins the key data of every kind.  Keys do not change after they were made, but by
 * the key management's calls that say so, so that any thread may use them. */
struct pkey {
    atomic_uint refs;
    uint8_t has_private, has_public;
    const struct provider *provider;
    struct custody *custody;           /* the private part is in the service; or NULL */
    void (*destroy)(struct pkey *key); /* wipes and frees the whole */
};

static inline void pkey_init(struct pkey *key, const struct provider *provider,
                             void (*destroy)(struct pkey *key))
{
    atomic_init(&key->refs, 1);
    key->provider = provider;
    key->destroy = destroy;
}

/* ---- pkey.c ---- */

/* pkey_hold takes a reference, and returns the key. */
void *pkey_hold(void *key);
/* pkey_release gives one back.  NULL is allowed. */
void pkey_release(void *key);
/* pkey_load is OSSL_FUNC_KEYMGMT_LOAD: it takes a key of a named key's decoder (../custody). */
void *pkey_load(const void *reference, size_t reference_len);
/* pkey_has_secret tells whether a key can do what private keys do, here or in the service. */
static inline int pkey_has_secret(const struct pkey *key)
{
    return key->has_private || key->custody;
}
/* pkey_may_export tells whether a selection is of parts that a key can give away. */
static inline int pkey_may_export(const struct pkey *key, int selection)
{
    return !key->custody || !(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY);
}
/* pkey_parts_here leaves out of a selection what only the service has. */
static inline int pkey_parts_here(const struct pkey *key, int selection)
{
    return key->custody ? selection & ~OSSL_KEYMGMT_SELECT_PRIVATE_KEY : selection;
}
/* pkey_share makes a copy with a selection of a key's parts share the key in the service. */
void pkey_share(struct pkey *copy, const struct pkey *key, int selection);
/* pkey_keep puts `made` in a slot that other threads may fill meanwhile, or drops it if one did,
 * and returns what the slot has then.  NULL for `made` is allowed. */
void *pkey_keep(_Atomic(void *) *slot, void *made, void (*drop)(void *));

/* pkey_aligned allocates memory for a key of the library, to be freed with free. */
void *pkey_aligned(size_t size);

/* pkey_copy_digest copies a digest and its context, of which either may be NULL, to a copy that has
 * none.  It returns 1, or 0 if the copy is not whole. */
int pkey_copy_digest(const struct provider *provider, EVP_MD **out_md, EVP_MD_CTX **out_ctx,
                     EVP_MD *md, const EVP_MD_CTX *ctx);

/* pkey_set_number answers a parameter with the big-endian bytes of a number without sign, as
 * OSSL_PARAM_set_BN does; pkey_set_padded always with all of its bytes, for secrets. */
int pkey_set_number(OSSL_PARAM *p, const uint8_t *number, size_t number_len);
int pkey_set_padded(const struct provider *provider, OSSL_PARAM *p, const uint8_t *number,
                    size_t number_len);
/* pkey_get_number reads a parameter's number, of any size, as big-endian bytes.  It returns 1, or 0
 * if the parameter is none, or has no room in them. */
int pkey_get_number(const OSSL_PARAM *p, uint8_t *number, size_t number_len);
/* pkey_get_text copies a parameter's text, and pkey_get_int its number.  They return 1 also if
 * there is no such parameter, and the value is then left as it was. */
int pkey_get_text(const OSSL_PARAM params[], const char *key, char *out, size_t out_size);
int pkey_get_int(const OSSL_PARAM params[], const char *key, int *value);
/* pkey_set_int answers a parameter that may be absent from the list, pkey_set_text with text. */
int pkey_set_int(OSSL_PARAM params[], const char *key, int value);
/* pkey_set_category answers PARAM_CATEGORY, with a release of OpenSSL that has it. */
int pkey_set_category(const struct provider *provider, OSSL_PARAM params[], int category);
int pkey_set_text(OSSL_PARAM params[], const char *key, const char *text);

/* pkey_types returns the list of specs, at most 39, for a function that OpenSSL gives no context.
 * The list is written when it is first asked for, since a table would be relocated at the start of
 * every process. */
struct pkey_types {
    atomic_int state; /* 0, 1: a thread writes it, 2 */
    OSSL_PARAM list[40];
};
const OSSL_PARAM *pkey_types(struct pkey_types *types, const struct param_spec specs[]);

/* RAISE_EC puts a reason of libcrypto's own code for curves on its error queue. */
#define RAISE_EC(provider, reason) \
    error_raise_packed(provider, ERR_PACK(ERR_LIB_EC, 0, reason), __FILE__, __LINE__, __func__)

/* ---- offer.c, tls.c ---- */

/* pkey_algorithms_of makes the algorithms of an operation, as algorithms_of. */
const OSSL_ALGORITHM *pkey_algorithms_of(const struct provider *provider, int operation);
/* PKEY_COMPLETE is the release of OpenSSL (win_release) since which it has ML-KEM and ML-DSA. */
enum { PKEY_COMPLETE = 305 };
/* pkey_is_wanted tells whether algorithms of PKEY_EXTRA with this word are offered. */
int pkey_is_wanted(const struct provider *provider, const char *word);
/* pkey_win_list returns the list for win_of_provider.  A list from openssl.cnf counts for public
 * keys only if it has the word "pkey", "all" or "none". */
const char *pkey_win_list(const struct provider *provider);
/* pkey_has_keymgmt tells whether the provider offers a key management of this name. */
int pkey_has_keymgmt(const struct provider *provider, const char *name);
/* pkey_names returns all names of such a key management, or NULL. */
const char *pkey_names(const struct provider *provider, const char *name);
/* pkey_capabilities answers provider-base(7)'s get_capabilities. */
int pkey_capabilities(void *provctx, const char *capability, OSSL_CALLBACK *callback, void *arg);

/* ---- the functions of each algorithm: the one of a number, or NULL ---- */

#define PKEY(operation, function, ...) any_function *function(int id);
#include "pkey.def"

#endif
