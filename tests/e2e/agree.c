/* SPDX-License-Identifier: Apache-2.0 */
/* agree LIBMD: digests random messages in every way that leads to a kernel, and compares the
 * results: the library's direct calls, the provider, libmd.so.0, and OpenSSL's one-shot calls.
 * agree.py runs it with the preloaded library. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "evp.h"
#include <dlfcn.h>
#include <headrace/algorithms.h>
#include <openssl/core_names.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

enum { MESSAGES = 400, MAX_LEN = 5000, MAX_KEY = 200, MAX_OUT = 64, KDF_OUT = 100 };

typedef unsigned char *one_shot_fn(const unsigned char *in, size_t len, unsigned char *out);

/* ways has, for each digest, its name in libmd and its one-shot function in OpenSSL, NULL where
 * there is none.  The library and the provider have all of them. */
static const struct way {
    hr_alg alg;
    const char *libmd;
    one_shot_fn *one_shot;
} ways[] = {
    { HR_MD5, "MD5", MD5 },          { HR_SHA1, "SHA1", SHA1 },
    { HR_SHA224, "SHA224", SHA224 }, { HR_SHA256, "SHA256", SHA256 },
    { HR_SHA384, "SHA384", SHA384 }, { HR_SHA512, "SHA512", SHA512 },
    { HR_SHA512_224, NULL, NULL },   { HR_SHA512_256, "SHA512_256", NULL },
};

static uint64_t state = 0x243f6a8885a308d3;
static unsigned char message[MAX_LEN], key[MAX_KEY], salt[64];

static size_t below(size_t n)
{
    return (size_t)(next_random(&state) >> 33) % n;
}

static void *call(void *libmd, const char *name, const char *suffix)
{
    char text[32];
    snprintf(text, sizeof text, "%s%s", name, suffix);
    void *address = dlsym(libmd, text);
    MUST(address);
    return address;
}

static void by_libmd(void *libmd, const struct way *way, unsigned char *out, size_t len)
{
    uint64_t ctx[26];
    void (*init)(void *ctx), (*update)(void *ctx, const unsigned char *in, size_t len);
    void (*final)(unsigned char *out, void *ctx);
    const size_t first = below(len + 1);
    *(void **)&init = call(libmd, way->libmd, "Init");
    *(void **)&update = call(libmd, way->libmd, "Update");
    *(void **)&final = call(libmd, way->libmd, "Final");
    init(ctx);
    update(ctx, message, first);
    update(ctx, message + first, len - first);
    final(out, ctx);
}

static void by_provider(EVP_MD *md, unsigned char *out, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const size_t first = below(len + 1);
    MUST(ctx && EVP_DigestInit_ex(ctx, md, NULL) && EVP_DigestUpdate(ctx, message, first) &&
         EVP_DigestUpdate(ctx, message + first, len - first) && EVP_DigestFinal_ex(ctx, out, NULL));
    EVP_MD_CTX_free(ctx);
}

static void digests(const struct way *way, EVP_MD *md, void *libmd, size_t len)
{
    const size_t out_len = hr_algorithm(way->alg)->out_len;
    unsigned char want[MAX_OUT], out[MAX_OUT];
    MUST(hr_digest(want, way->alg, message, len) == 0);
    by_provider(md, out, len);
    MUST(!memcmp(out, want, out_len));
    if (way->libmd) {
        by_libmd(libmd, way, out, len);
        MUST(!memcmp(out, want, out_len));
    }
    if (way->one_shot) {
        MUST(way->one_shot(message, len, out) == out);
        MUST(!memcmp(out, want, out_len));
    }
    MUST(EVP_Digest(message, len, out, NULL, EVP_get_digestbyname(EVP_MD_get0_name(md)), NULL));
    MUST(!memcmp(out, want, out_len));
}

static void macs(OSSL_LIB_CTX *libctx, const struct hr_algorithm *mac, const char *digest,
                 size_t len)
{
    struct hr_hmac_key hmac_key;
    unsigned char want[MAX_OUT], out[MAX_OUT];
    const size_t key_len = below(MAX_KEY + 1);
    OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_PROPERTIES, (char *)OURS, 0),
        OSSL_PARAM_END,
    };
    MUST(hr_hmac_key_init(&hmac_key, mac->alg, key, key_len) == 0);
    MUST(hr_hmac(want, message, len, &hmac_key) == 0);
    MUST(HMAC(EVP_get_digestbyname(digest), key, (int)key_len, message, len, out, NULL));
    MUST(!memcmp(out, want, mac->out_len));
    MUST(EVP_Q_mac(libctx, "HMAC", NULL, NULL, params, key, key_len, message, len, out, sizeof out,
                   NULL));
    MUST(!memcmp(out, want, mac->out_len));
    hr_hmac_key_wipe(&hmac_key);
}

static void derivations(EVP_KDF *kdf, const struct hr_algorithm *mac, const char *digest)
{
    unsigned char want[KDF_OUT], out[KDF_OUT];
    unsigned iterations = 1 + (unsigned)below(20);
    int no_checks = 1;
    const size_t out_len = 1 + below(KDF_OUT), key_len = below(MAX_KEY + 1),
                 salt_len = below(sizeof salt);
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_PASSWORD, key, key_len),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_SALT, salt, salt_len),
        OSSL_PARAM_uint(OSSL_KDF_PARAM_ITER, &iterations),
        OSSL_PARAM_int(OSSL_KDF_PARAM_PKCS5, &no_checks),
        OSSL_PARAM_END,
    };
    MUST(hr_pbkdf2(want, out_len, mac->alg, key, key_len, salt, salt_len, iterations) == 0);
    MUST(ctx && EVP_KDF_derive(ctx, out, out_len, params) == 1);
    MUST(!memcmp(out, want, out_len));
    MUST(PKCS5_PBKDF2_HMAC((char *)key, (int)key_len, salt, (int)salt_len, (int)iterations,
                           EVP_get_digestbyname(digest), (int)out_len, out));
    MUST(!memcmp(out, want, out_len));
    EVP_KDF_CTX_free(ctx);
}

static void expansions(EVP_KDF *kdf, const struct hr_algorithm *mac, const char *digest)
{
    unsigned char want[KDF_OUT], out[KDF_OUT];
    const size_t out_len = 1 + below(KDF_OUT), key_len = 1 + below(MAX_KEY),
                 salt_len = below(sizeof salt), info_len = below(MAX_KEY);
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_KEY, key, key_len),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_SALT, salt, salt_len),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_INFO, message, info_len),
        OSSL_PARAM_END,
    };
    MUST(hr_hkdf(want, out_len, mac->alg, salt, salt_len, key, key_len, message, info_len) == 0);
    MUST(ctx && EVP_KDF_derive(ctx, out, out_len, params) == 1);
    MUST(!memcmp(out, want, out_len));
    EVP_KDF_CTX_free(ctx);
}

static const struct hr_algorithm *hmac_over(hr_alg digest)
{
    const struct hr_algorithm *row;
    size_t i = 0;
    while ((row = hr_algorithm_at(i++)) && (row->cls != HR_CLASS_MAC || row->digest != digest))
        ;
    MUST(row);
    return row;
}

int main(int argc, char **argv)
{
    const size_t num_ways = sizeof ways / sizeof ways[0];
    struct loaded l = load_both();
    void *libmd = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    EVP_KDF *pbkdf2 = EVP_KDF_fetch(l.libctx, "PBKDF2", OURS);
    EVP_KDF *hkdf = EVP_KDF_fetch(l.libctx, "HKDF", OURS);
    MUST(libmd && pbkdf2 && hkdf);
    for (size_t i = 0; i < num_ways; i++) {
        char name[64];
        row_name(hr_algorithm(ways[i].alg), name);
        EVP_MD *md = EVP_MD_fetch(l.libctx, name, OURS);
        const struct hr_algorithm *mac = hmac_over(ways[i].alg);
        MUST(md);
        for (int n = 0; n < MESSAGES; n++) {
            const size_t len = n & 1 ? below(MAX_LEN + 1) : below(300);
            random_bytes(&state, message, len);
            random_bytes(&state, key, sizeof key);
            random_bytes(&state, salt, sizeof salt);
            digests(&ways[i], md, libmd, len);
            macs(l.libctx, mac, name, len);
            if (n % 8)
                continue;
            derivations(pbkdf2, mac, name);
            expansions(hkdf, mac, name);
        }
        printf("%s: %d messages agree\n", hr_algorithm(ways[i].alg)->name, MESSAGES);
        EVP_MD_free(md);
    }
    EVP_KDF_free(pbkdf2);
    EVP_KDF_free(hkdf);
    unload_both(&l);
    return 0;
}
