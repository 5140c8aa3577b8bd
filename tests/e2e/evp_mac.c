/* SPDX-License-Identifier: Apache-2.0 */
/* MACs through EVP_MAC: for random messages, splits, IVs and keys, GMAC, CMAC and Poly1305 give
 * what the default provider gives; Poly1305-AES, which only we have, what the library's own call
 * gives. GMAC and CMAC over other ciphers are computed by the default provider behind ours. */
#include "evp.h"
#include <headrace/algorithms.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

enum { MAX_DATA = 3000, MAC_LEN = HR_NMAC_MAX_OUT, MAX_IV = 40 };
static int num_messages = 400;
static size_t mac_len = MAC_LEN; /* of the MAC under test */

static struct loaded both;
static uint64_t state = 0x9e3779b97f4a7c15;
static unsigned char data[MAX_DATA], key[32], iv[MAX_IV];

static size_t below(size_t limit)
{
    return next_random(&state) % limit;
}

static EVP_MAC_CTX *begin(const char *name, const char *properties)
{
    EVP_MAC *mac = EVP_MAC_fetch(both.libctx, name, properties);
    MUST(mac);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    MUST(ctx);
    EVP_MAC_free(mac);
    return ctx;
}

/* message computes a MAC in random pieces; after some of them a copy of the context takes over. It
 * returns 1, or 0 if a call fails. */
static int message(EVP_MAC_CTX **ctx, const unsigned char *new_key, size_t key_len,
                   const OSSL_PARAM params[], size_t len, uint64_t splits, unsigned char *out)
{
    size_t out_len = 0;
    int good = EVP_MAC_init(*ctx, new_key, key_len, params);
    for (size_t done = 0, n; good && done < len; done += n) {
        n = 1 + next_random(&splits) % (len - done);
        good = EVP_MAC_update(*ctx, data + done, n);
        if (good && !(next_random(&splits) % 4)) {
            EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(*ctx);
            MUST(copy);
            EVP_MAC_CTX_free(*ctx);
            *ctx = copy;
        }
    }
    good = good && EVP_MAC_final(*ctx, out, &out_len, MAC_LEN) && out_len == mac_len;
    ERR_clear_error();
    return good;
}

static void list_params(OSSL_PARAM out[3], char *cipher, const char *iv_name, size_t iv_len)
{
    if (cipher)
        *out++ = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0);
    if (iv_name)
        *out++ = OSSL_PARAM_construct_octet_string(iv_name, iv, iv_len);
    *out = OSSL_PARAM_construct_end();
}

static void new_bytes(void)
{
    random_bytes(&state, data, sizeof data);
    random_bytes(&state, key, sizeof key);
    random_bytes(&state, iv, sizeof iv);
}

/* same_as_default runs many messages on one context of each side: both must accept or refuse each
 * alike, also keys of a wrong length. MACs are not compared if GMAC got no new IV. */
static void same_as_default(const char *name, char *cipher, size_t key_len)
{
    EVP_MAC_CTX *ctx[2] = { begin(name, THEIRS), begin(name, OURS) };
    int keyed = 0, taken = 0;
    for (int i = 0; i < num_messages; i++) {
        const size_t len = below(3) ? below(100) : below(MAX_DATA), iv_len = 1 + below(MAX_IV);
        const int with_key = !keyed || below(2), wrong = !below(16), without_iv = !below(16);
        const uint64_t splits = next_random(&state);
        unsigned char out[2][MAC_LEN] = { { 0 } };
        OSSL_PARAM params[3];
        int good[2];
        new_bytes();
        if (cipher && without_iv && !keyed)
            continue;
        list_params(params, with_key ? cipher : NULL,
                    cipher && !without_iv ? OSSL_MAC_PARAM_IV : NULL, iv_len);
        for (int side = 0; side < 2; side++)
            good[side] =
                message(&ctx[side], with_key ? key : NULL, with_key ? key_len - (size_t)wrong : 0,
                        params, len, splits, out[side]);
        const int random_iv = cipher && without_iv;
        if (good[0] != good[1] || (!random_iv && memcmp(out[0], out[1], MAC_LEN))) {
            printf("Bail out! %s %s, message %d of %zu bytes, key %d, wrong %d, IV %d: %d and %d\n",
                   name, cipher ? cipher : "", i, len, with_key, wrong, !without_iv, good[0],
                   good[1]);
            exit(1);
        }
        taken += good[0];
        keyed = with_key ? !wrong : keyed;
    }
    MUST(taken > num_messages / 4);
    for (int side = 0; side < 2; side++)
        EVP_MAC_CTX_free(ctx[side]);
}

static void test_gmac(void)
{
    static const struct {
        const char *cipher;
        size_t key_len;
    } ciphers[] = { { "AES-128-GCM", 16 }, { "id-aes192-gcm", 24 }, { "aes-256-gcm", 32 } };
    for (size_t i = 0; i < sizeof ciphers / sizeof ciphers[0]; i++) {
        char cipher[32];
        snprintf(cipher, sizeof cipher, "%s", ciphers[i].cipher);
        same_as_default("GMAC", cipher, ciphers[i].key_len);
    }
}

/* test_gmac_elsewhere names a cipher that only another provider has, or asks for another provider
 * by properties: OpenSSL's GMAC must answer through ours. */
static void test_gmac_elsewhere(void)
{
    char aria[] = "ARIA-256-GCM", aes[] = "AES-256-GCM", cbc[] = "AES-256-CBC";
    char stock[] = "provider=default";
    same_as_default("GMAC", aria, 32);
    EVP_MAC_CTX *ctx = begin("GMAC", OURS);
    OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, aes, 0),
                            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, stock, 0),
                            OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, 12),
                            OSSL_PARAM_construct_end() };
    unsigned char out[2][MAC_LEN];
    new_bytes();
    MUST(message(&ctx, key, 32, params, 100, 1, out[0]));
    params[1] = params[2];
    params[2] = OSSL_PARAM_construct_end();
    MUST(message(&ctx, key, 32, params, 100, 1, out[1])); /* and back */
    MUST(!memcmp(out[0], out[1], MAC_LEN));
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cbc, 0);
    MUST(!EVP_MAC_init(ctx, key, 32, params)); /* no mode for GMAC */
    ERR_clear_error();
    EVP_MAC_CTX_free(ctx);
}

/* test_cmac names ciphers of ours and one of the default provider's alone, gives keys in either
 * way, also of a wrong length, or none, and begins messages with the key of the one before. */
static void test_cmac(void)
{
    static const struct {
        const char *cipher;
        size_t key_len, mac_len;
    } ciphers[] = {
        { "AES-128-CBC", 16, 16 }, { "aes192", 24, 16 }, { "AES-256-CBC", 32, 16 },
        { "DES-EDE-CBC", 16, 8 },  { "des3", 24, 8 },    { "CAMELLIA-256-CBC", 32, 16 }
    };
    EVP_MAC_CTX *ctx[2] = { begin("CMAC", THEIRS), begin("CMAC", OURS) };
    size_t at = 0, taken = 0;
    int keyed = 0;
    for (int i = 0; i < 4 * num_messages; i++) {
        const int with_key = !keyed ? below(8) > 0 : below(2) > 0, wrong = !below(16);
        const int as_param = below(2) > 0, named = with_key && (!keyed || below(2) > 0);
        const size_t len = below(3) ? below(100) : below(MAX_DATA);
        const uint64_t splits = next_random(&state);
        unsigned char out[2][MAC_LEN] = { { 0 } };
        char cipher[32];
        OSSL_PARAM params[3], *p = params;
        int good[2];
        new_bytes();
        at = named ? below(sizeof ciphers / sizeof ciphers[0]) : at;
        const size_t key_len = ciphers[at].key_len - (size_t)wrong;
        snprintf(cipher, sizeof cipher, "%s", ciphers[at].cipher);
        mac_len = ciphers[at].mac_len;
        if (named)
            *p++ = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0);
        if (with_key && as_param)
            *p++ = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, key_len);
        *p = OSSL_PARAM_construct_end();
        for (int side = 0; side < 2; side++)
            good[side] =
                message(&ctx[side], with_key && !as_param ? key : NULL,
                        with_key && !as_param ? key_len : 0, params, len, splits, out[side]);
        keyed = with_key ? !wrong : keyed;
        if (good[0] != good[1] || good[1] != keyed || memcmp(out[0], out[1], mac_len)) {
            printf("Bail out! CMAC %s, message %d of %zu bytes, key %d, wrong %d: %d and %d\n",
                   cipher, i, len, with_key, wrong, good[0], good[1]);
            exit(1);
        }
        if (keyed)
            MUST(EVP_MAC_CTX_get_mac_size(ctx[1]) == mac_len);
        taken += (size_t)good[0];
    }
    MUST(taken > (size_t)num_messages);
    for (int side = 0; side < 2; side++)
        EVP_MAC_CTX_free(ctx[side]);
    mac_len = MAC_LEN;
}

static void test_poly1305(void)
{
    same_as_default("POLY1305", NULL, 32);
}

static void test_poly1305_aes(void)
{
    EVP_MAC_CTX *ctx = begin("POLY1305-AES", OURS);
    struct hr_nmac_key direct;
    MUST(EVP_MAC_CTX_get_mac_size(ctx) == MAC_LEN);
    for (int i = 0; i < num_messages; i++) {
        unsigned char out[2][MAC_LEN], kept[32];
        OSSL_PARAM params[3];
        const size_t len = below(MAX_DATA);
        const int with_key = !i || below(2);
        memcpy(kept, key, sizeof key);
        new_bytes();
        if (!with_key)
            memcpy(key, kept, sizeof key);
        list_params(params, NULL, below(2) ? "nonce" : "iv", 16);
        MUST(message(&ctx, with_key ? key : NULL, with_key ? 32 : 0, params, len, state, out[0]));
        MUST(!hr_nmac_key_init(&direct, HR_POLY1305_AES, key, 32));
        MUST(!hr_poly1305_aes(out[1], data, len, &direct, iv, 16));
        MUST(!memcmp(out[0], out[1], MAC_LEN));
        MUST(!message(&ctx, NULL, 0, NULL, len, state, out[0])); /* a nonce is for one message */
        list_params(params, NULL, "nonce", 12);
        MUST(!message(&ctx, NULL, 0, params, len, state, out[0]));
    }
    EVP_MAC_CTX_free(ctx);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--quick")) /* an emulated CPU */
        num_messages = 50;
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        { "GMAC as the default provider", test_gmac },
        { "GMAC over ciphers that are not ours", test_gmac_elsewhere },
        { "CMAC as the default provider", test_cmac },
        { "Poly1305 as the default provider", test_poly1305 },
        { "Poly1305-AES as the library", test_poly1305_aes },
    };
    const size_t num = sizeof tests / sizeof tests[0];
    both = load_both();
    for (size_t i = 0; i < num; i++) {
        tests[i].run();
        printf("ok %zu - %s\n", i + 1, tests[i].name);
    }
    unload_both(&both);
    printf("1..%zu\n", num);
    return 0;
}
