/* SPDX-License-Identifier: Apache-2.0 */
/* provider-decoder(7) from the DER of a reference to a key, of one type or of any, which the type's
 * key management makes of the public key. */
#include "custody.h"
#include <openssl/core_object.h>
#include <stdlib.h>

/* ---- public keys as parameters ---- */

const char *custody_type(hr_alg alg)
{
    switch (alg) {
    case HR_ECDSA_P256:
    case HR_ECDSA_P384:
    case HR_ECDSA_P521:
        return "EC";
    case HR_ED25519:
        return "ED25519";
    case HR_MLDSA44:
        return "ML-DSA-44";
    case HR_MLDSA65:
        return "ML-DSA-65";
    case HR_MLDSA87:
        return "ML-DSA-87";
    default:
        return "RSA";
    }
}

/* group_of returns the curve's name in OpenSSL, or NULL. */
static const char *group_of(hr_alg alg)
{
    return alg == HR_ECDSA_P256   ? "prime256v1"
           : alg == HR_ECDSA_P384 ? "secp384r1"
           : alg == HR_ECDSA_P521 ? "secp521r1"
                                  : NULL;
}

/* struct parts is a list of parameters with what they point to. */
struct parts {
    OSSL_PARAM list[3];
    uint8_t n[RSA_MOST_BITS / 8], e[sizeof(uint64_t)];
};

/* number describes a number, which OSSL_PARAM has in the machine's byte order. */
static OSSL_PARAM number(const char *key, uint8_t *out, const struct reference_bytes *in)
{
    const int is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    for (size_t i = 0; i < in->len; i++)
        out[i] = in->at[is_little ? in->len - 1 - i : i];
    return (OSSL_PARAM){ key, OSSL_PARAM_UNSIGNED_INTEGER, out, in->len, PARAM_NONE };
}

static void describe(struct parts *parts, const struct reference *reference)
{
    const char *group = group_of(reference->alg);
    OSSL_PARAM *next = parts->list;
    if (reference->bits) {
        *next++ = number(OSSL_PKEY_PARAM_RSA_N, parts->n, &reference->public);
        *next++ = number(OSSL_PKEY_PARAM_RSA_E, parts->e, &reference->exponent);
    } else {
        if (group)
            *next++ = (OSSL_PARAM){ OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PARAM_UTF8_STRING,
                                    (char *)(uintptr_t)group, strlen(group), PARAM_NONE };
        *next++ = (OSSL_PARAM){ OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING,
                                (uint8_t *)(uintptr_t)reference->public.at, reference->public.len,
                                PARAM_NONE };
    }
    *next = (OSSL_PARAM)PARAM_END;
}

/* ---- keys ---- */

typedef any_function *functions_of(int id);

/* make makes a key of the type.  It returns NULL with an error raised. */
static struct pkey *make(const struct provider *provider, functions_of *keymgmt,
                         const struct reference *reference)
{
    struct parts parts;
    OSSL_FUNC_keymgmt_new_fn *new = (OSSL_FUNC_keymgmt_new_fn *)keymgmt(OSSL_FUNC_KEYMGMT_NEW);
    OSSL_FUNC_keymgmt_import_fn *import =
        (OSSL_FUNC_keymgmt_import_fn *)keymgmt(OSSL_FUNC_KEYMGMT_IMPORT);
    struct pkey *key = new ((void *)(uintptr_t)provider);
    if (!key)
        return NULL;
    describe(&parts, reference);
    key->custody = custody_new(provider, reference);
    if (key->custody && import(key, EVP_PKEY_PUBLIC_KEY, parts.list))
        return key;
    pkey_release(key);
    RAISE_TEXT(provider, PROV_R_INVALID_KEY,
               "the public key in a " REFERENCE_LABEL " is not usable");
    return NULL;
}

/* ---- the decoder ---- */

static size_t read_all(const struct provider *provider, OSSL_CORE_BIO *in, uint8_t *out,
                       size_t size)
{
    size_t len = 0, more;
    while (len < size && provider->bio_read_ex(in, out + len, size - len, &more) && more)
        len += more;
    return len;
}

/* hand_over gives OpenSSL the key's address, which the key management's LOAD takes. */
static int hand_over(struct pkey *key, const char *type, OSSL_CALLBACK *callback, void *arg)
{
    int object = OSSL_OBJECT_PKEY;
    const OSSL_PARAM params[] = {
        { OSSL_OBJECT_PARAM_TYPE, OSSL_PARAM_INTEGER, &object, sizeof object, PARAM_NONE },
        { OSSL_OBJECT_PARAM_DATA_TYPE, OSSL_PARAM_UTF8_STRING, (char *)(uintptr_t)type,
          strlen(type), PARAM_NONE },
        { OSSL_OBJECT_PARAM_REFERENCE, OSSL_PARAM_OCTET_STRING, &key, sizeof key, PARAM_NONE },
        PARAM_END,
    };
    const int good = callback(params, arg);
    pkey_release(key); /* NULL if LOAD has taken it */
    return good;
}

/* keymgmt_of returns the functions of a type's key management, or NULL if the provider does not
 * offer it. */
static functions_of *keymgmt_of(const struct provider *provider, const char *type)
{
#define X(name, keymgmt, alg)             \
    if (!strcmp(type, custody_type(alg))) \
        return pkey_has_keymgmt(provider, type) ? keymgmt : NULL;
    CUSTODY_DECODERS(X)
#undef X
    return NULL;
}

/* decode returns 1 where it found nothing of its own: OpenSSL tries every decoder. */
static int decode(void *ctx, OSSL_CORE_BIO *in, const char *only, OSSL_CALLBACK *callback,
                  void *arg)
{
    const struct custody_decoder *d = ctx;
    struct reference reference;
    uint8_t der[REFERENCE_ROOM + 1];
    const size_t len = read_all(d->provider, in, der, sizeof der);
    if (!reference_parse(&reference, der, len))
        return 1;
    const char *type = custody_type(reference.alg);
    functions_of *keymgmt = only && strcmp(type, only) ? NULL : keymgmt_of(d->provider, type);
    if (!keymgmt)
        return 1;
    struct pkey *key = make(d->provider, keymgmt, &reference);
    return key && hand_over(key, type, callback, arg);
}

/* export is OSSL_FUNC_DECODER_EXPORT_OBJECT.  OpenSSL calls it, without looking whether it is
 * there, if it asks the key management of another provider for such a key, which would get the
 * public key only, and a program would miss the private one later than it should. */
static int export(void *ctx, const void *reference, size_t size, OSSL_CALLBACK *callback, void *arg)
{
    (void)ctx;
    (void)reference;
    (void)size;
    (void)callback;
    (void)arg;
    return 0;
}

static any_function *decoder(int id, any_function *of_type)
{
    return id == OSSL_FUNC_DECODER_DECODE          ? of_type
           : id == OSSL_FUNC_DECODER_EXPORT_OBJECT ? (any_function *)export
                                                   : custody_decoder(id);
}

#define DECODER(name, only)                                                                        \
    static int name##_decode(void *ctx, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, \
                             void *arg, OSSL_PASSPHRASE_CALLBACK *passphrase,                      \
                             void *passphrase_arg)                                                 \
    {                                                                                              \
        (void)selection;                                                                           \
        (void)passphrase;                                                                          \
        (void)passphrase_arg;                                                                      \
        return decode(ctx, in, only, callback, arg);                                               \
    }                                                                                              \
    any_function *custody_##name##_decoder(int id)                                                 \
    {                                                                                              \
        return decoder(id, (any_function *)name##_decode);                                         \
    }
#define X(name, keymgmt, alg) DECODER(name, custody_type(alg))
CUSTODY_DECODERS(X)
DECODER(any, NULL)
