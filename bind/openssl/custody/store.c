/* SPDX-License-Identifier: Apache-2.0 */
/* provider-storemgmt(7) for URIs of the form headrace:NAME.  The service tells the public key; what
 * OpenSSL then gets is the DER of a reference, which it decodes as one from a file. */
#include "custody.h"
#include <openssl/core_object.h>
#include <stdlib.h>
#include <strings.h>

#define SCHEME "headrace:"

struct store {
    const struct provider *provider;
    int is_read;
    char name[REFERENCE_NAME];
};

static void *store_open(void *provctx, const char *uri)
{
    const struct provider *provider = provctx;
    const char *name = uri + strlen(SCHEME);
    if (strncasecmp(uri, SCHEME, strlen(SCHEME)) || !reference_name_is_fine(name, strlen(name))) {
        RAISE_TEXT(provider, PROV_R_INVALID_DATA, "not " SCHEME "NAME");
        return NULL;
    }
    struct store *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->provider = provider;
    memcpy(s->name, name, strlen(name));
    return s;
}

static int store_close(void *ctx)
{
    free(ctx);
    return 1;
}

static int store_eof(void *ctx)
{
    const struct store *s = ctx;
    return s->is_read;
}

/* store_set takes and ignores what a program expects, and its properties. */
static int store_set(void *ctx, const OSSL_PARAM params[])
{
    (void)ctx;
    (void)params;
    return 1;
}

static int pass_on(const struct store *s, uint8_t *der, size_t len, OSSL_CALLBACK *callback,
                   void *arg)
{
    struct reference reference;
    if (!reference_parse(&reference, der, len))
        return RAISE_TEXT(s->provider, PROV_R_NOT_SUPPORTED,
                          "a named key that is no public key, or of an unknown algorithm");
    return custody_pass_on(s->provider, reference.alg, der, len, callback, arg);
}

static int store_load(void *ctx, OSSL_CALLBACK *callback, void *arg,
                      OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_arg)
{
    struct store *s = ctx;
    uint8_t spki[REFERENCE_MAX], der[REFERENCE_ROOM];
    size_t len = sizeof spki;
    (void)passphrase;
    (void)passphrase_arg;
    s->is_read = 1;
    if (!custody_public(s->provider, s->name, spki, &len))
        return 0;
    len = reference_write(der, s->name, spki, len);
    return pass_on(s, der, len, callback, arg);
}

any_function *custody_store(int id)
{
    switch (id) {
    case OSSL_FUNC_STORE_OPEN:
        return (any_function *)store_open;
    case OSSL_FUNC_STORE_SET_CTX_PARAMS:
        return (any_function *)store_set;
    case OSSL_FUNC_STORE_LOAD:
        return (any_function *)store_load;
    case OSSL_FUNC_STORE_EOF:
        return (any_function *)store_eof;
    case OSSL_FUNC_STORE_CLOSE:
        return (any_function *)store_close;
    default:
        return NULL;
    }
}
