/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of another provider in the same library context, by EVP's calls. */
#ifndef HR_PROVIDER_PKEY_OTHER_H
#define HR_PROVIDER_PKEY_OTHER_H

#include "pkey.h"

/* OTHER also leaves out our implementations with keys on the accelerator, which have no property
 * that names us: what the other provider fetches by the same query could be one of them. */
#define OTHER "provider!=headrace,headrace.keys!=accelerator"
/* other_begin and other_with return a context for keys of a type, or for this key; NULL with an
 * error raised. */
EVP_PKEY_CTX *other_begin(const struct provider *provider, const char *type);
EVP_PKEY_CTX *other_with(const struct provider *provider, EVP_PKEY *key);
EVP_PKEY *other_import(const struct provider *provider, const char *type, int selection,
                       const OSSL_PARAM params[]);
/* other_add makes a key of a key's parts and of more parts, at least one. */
EVP_PKEY *other_add(const struct provider *provider, const char *type, EVP_PKEY *key, int selection,
                    const OSSL_PARAM params[]);
EVP_PKEY *other_copy(const struct provider *provider, const char *type, EVP_PKEY *key,
                     int selection);
int other_match(const struct provider *provider, const EVP_PKEY *a, const EVP_PKEY *b,
                int selection);
int other_validate(const struct provider *provider, EVP_PKEY *key, int selection, int type);

#endif
