/* SPDX-License-Identifier: Apache-2.0 */
/* provider-decoder(7) from PEM to DER: of references only.  Whatever else a file contains is left
 * to the decoders of other providers, which OpenSSL asks, too. */
#include "custody.h"
#include "reference_pem.h"
#include <openssl/core_object.h>
#include <stdlib.h>

/* read_pem reads up to the end of a reference, or up to the first line of anything else in PEM.  A
 * line that does not fit the buffer comes in several pieces, of which only the first is a line's
 * start. */
static enum reference_line read_pem(const struct provider *provider, OSSL_CORE_BIO *in,
                                    struct reference_pem *pem)
{
    char line[256];
    int len, at_start = 1;
    while ((len = provider->bio_gets(in, line, sizeof line)) > 0) {
        const int starts = at_start;
        at_start = line[len - 1] == '\n';
        if (!starts && !pem->inside)
            continue;
        const enum reference_line what = reference_pem_line(pem, line, (size_t)len);
        if (what != REFERENCE_OUTSIDE && what != REFERENCE_INSIDE)
            return what;
    }
    return pem->inside ? REFERENCE_BAD : REFERENCE_OUTSIDE;
}

/* decode returns 1 where it found nothing, which is no error. */
static int decode(void *ctx, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *arg,
                  OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_arg)
{
    const struct custody_decoder *d = ctx;
    struct reference reference;
    struct reference_pem *pem = calloc(1, sizeof *pem);
    enum reference_line what = pem ? read_pem(d->provider, in, pem) : REFERENCE_BAD;
    (void)selection;
    (void)passphrase;
    (void)passphrase_arg;
    if (what == REFERENCE_DONE && !reference_parse(&reference, pem->der, pem->len))
        what = REFERENCE_BAD;
    int good = 1;
    if (what == REFERENCE_DONE)
        good = custody_pass_on(d->provider, reference.alg, pem->der, pem->len, callback, arg);
    if (what == REFERENCE_BAD)
        good = RAISE_TEXT(d->provider, PROV_R_INVALID_DATA,
                          "not a " REFERENCE_LABEL " of this version, or a damaged one");
    free(pem);
    return good;
}

any_function *custody_pem_decoder(int id)
{
    return id == OSSL_FUNC_DECODER_DECODE ? (any_function *)decode : custody_decoder(id);
}
