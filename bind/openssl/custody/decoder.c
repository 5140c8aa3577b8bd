/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that the decoders of references and the store have in common. */
#include "custody.h"
#include <openssl/core_object.h>
#include <stdlib.h>

static void *newctx(void *provctx)
{
    struct custody_decoder *d = calloc(1, sizeof *d);
    if (d)
        d->provider = provctx;
    return d;
}

static void freectx(void *ctx)
{
    free(ctx);
}

static int does_selection(void *provctx, int selection)
{
    (void)provctx;
    (void)selection;
    return 1; /* a reference has what a private key has, or stands for it */
}

any_function *custody_decoder(int id)
{
    switch (id) {
    case OSSL_FUNC_DECODER_NEWCTX:
        return (any_function *)newctx;
    case OSSL_FUNC_DECODER_FREECTX:
        return (any_function *)freectx;
    case OSSL_FUNC_DECODER_DOES_SELECTION:
        return (any_function *)does_selection;
    default:
        return NULL;
    }
}

/* Before 3.2, which keeps chains of decoders, OpenSSL compares each decoder with the names of all
 * key managements and with each other whenever it reads any private key: a decoder more takes 20
 * us. The only one for all types is then found under the first type's name. */
int custody_has_one_decoder(const struct provider *provider)
{
    enum { KEEPS_CHAINS = 302 };
    return win_release(provider) < KEEPS_CHAINS;
}

/* Where one decoder has all types, OpenSSL is not told the type, by which it would look for a
 * decoder. */
int custody_pass_on(const struct provider *provider, hr_alg alg, const uint8_t *der, size_t len,
                    OSSL_CALLBACK *callback, void *arg)
{
    const char *type = custody_type(alg);
    int object = OSSL_OBJECT_PKEY;
    char structure[] = REFERENCE_STRUCTURE;
    const OSSL_PARAM params[] = {
        { OSSL_OBJECT_PARAM_TYPE, OSSL_PARAM_INTEGER, &object, sizeof object, PARAM_NONE },
        { OSSL_OBJECT_PARAM_DATA_STRUCTURE, OSSL_PARAM_UTF8_STRING, structure, sizeof structure - 1,
          PARAM_NONE },
        { OSSL_OBJECT_PARAM_DATA, OSSL_PARAM_OCTET_STRING, (uint8_t *)(uintptr_t)der, len,
          PARAM_NONE },
        { custody_has_one_decoder(provider) ? NULL : OSSL_OBJECT_PARAM_DATA_TYPE,
          OSSL_PARAM_UTF8_STRING, (char *)(uintptr_t)type, strlen(type), PARAM_NONE },
        PARAM_END,
    };
    return callback(params, arg);
}
