/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that releases of OpenSSL added or answer differently: both providers of a process must
 * give the same answer, or none. */
#include "evp.h"
#include <openssl/core_names.h>

#define NUM(array) (sizeof(array) / sizeof(array)[0])
static const char *const sides[] = { THEIRS, OURS };
static struct loaded both;
static unsigned point;

static void ok(const char *name)
{
    printf("ok %u - %s\n", ++point, name);
}

/* struct answer is what a call with one parameter gave. */
struct answer {
    int returned;
    size_t size;
    unsigned char bytes[64];
};

static void same(const struct answer answers[2], const char *what, const char *name)
{
    if (!memcmp(&answers[0], &answers[1], sizeof answers[0]))
        return;
    printf("Bail out! %s of %s: default %d (%zu bytes, %02x), headrace %d (%zu bytes, %02x)\n",
           name, what, answers[0].returned, answers[0].size, answers[0].bytes[0],
           answers[1].returned, answers[1].size, answers[1].bytes[0]);
    exit(1);
}

/* ---- keys ---- */

static const char *const groups[] = { "P-256", "P-384", "secp224r1" };

static EVP_PKEY *key_of(const char *type, const char *group, int side)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, type, sides[side]);
    if (ctx && EVP_PKEY_keygen_init(ctx) > 0 &&
        (!group || EVP_PKEY_CTX_set_group_name(ctx, group) > 0))
        MUST(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void ask_key(struct answer *a, EVP_PKEY *key, const char *name, unsigned type, size_t size,
                    int with_memory)
{
    OSSL_PARAM list[] = { { name, type, with_memory ? a->bytes : NULL, size,
                            OSSL_PARAM_UNMODIFIED },
                          OSSL_PARAM_construct_end() };
    memset(a, 0, sizeof *a);
    a->returned = EVP_PKEY_get_params(key, list) > 0;
    a->size = list[0].return_size;
}

static void test_key(const char *type, const char *group)
{
    struct answer answers[2];
    EVP_PKEY *keys[2] = { key_of(type, group, 0), key_of(type, group, 1) };
    for (int with_memory = 0; keys[0] && keys[1] && with_memory < 2; with_memory++) {
        for (int side = 0; side < 2; side++)
            ask_key(&answers[side], keys[side], "security-category", OSSL_PARAM_INTEGER,
                    sizeof(int), with_memory);
        same(answers, type, "category");
        for (int side = 0; side < 2; side++)
            ask_key(&answers[side], keys[side], "ri-type", OSSL_PARAM_INTEGER, sizeof(int),
                    with_memory);
        same(answers, type, "kind of recipient");
        for (int side = 0; side < 2; side++)
            ask_key(&answers[side], keys[side], "kemri-kdf-alg", OSSL_PARAM_OCTET_STRING,
                    with_memory ? sizeof answers->bytes : 0, with_memory);
        same(answers, type, "key derivation");
    }
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
    ERR_clear_error();
}

/* ---- GCM ---- */

static EVP_CIPHER_CTX *begun(int side)
{
    static const unsigned char key[16], iv[12];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "AES-128-GCM", sides[side]);
    MUST(ctx && cipher && EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL));
    EVP_CIPHER_free(cipher);
    return ctx;
}

/* test_size asks for a size, without memory, before and after a message. */
static void test_size(const char *name)
{
    struct answer answers[2];
    unsigned char out[16];
    int len;
    for (int ended = 0; ended < 2; ended++) {
        for (int side = 0; side < 2; side++) {
            EVP_CIPHER_CTX *ctx = begun(side);
            OSSL_PARAM list[] = { OSSL_PARAM_construct_octet_string(name, NULL, 0),
                                  OSSL_PARAM_construct_end() };
            MUST(!ended || (EVP_EncryptUpdate(ctx, out, &len, out, 0) &&
                            EVP_EncryptFinal_ex(ctx, out, &len)));
            memset(&answers[side], 0, sizeof answers[side]);
            answers[side].returned = EVP_CIPHER_CTX_get_params(ctx, list) > 0;
            answers[side].size = answers[side].returned ? list[0].return_size : 0;
            EVP_CIPHER_CTX_free(ctx);
        }
        same(answers, "AES-128-GCM", name);
    }
    ERR_clear_error();
}

/* ---- lists with a key twice ---- */

static void test_twice(void)
{
    struct answer answers[2];
    size_t len = 12;
    const OSSL_PARAM list[] = { OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &len),
                                OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &len),
                                OSSL_PARAM_construct_end() };
    memset(answers, 0, sizeof answers);
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER_CTX *ctx = begun(side);
        answers[side].returned = EVP_CIPHER_CTX_set_params(ctx, list) > 0;
        answers[side].size = ERR_GET_REASON(ERR_peek_last_error());
        ERR_clear_error();
        EVP_CIPHER_CTX_free(ctx);
    }
    same(answers, "AES-128-GCM", "IV's length, twice");
}

int main(void)
{
    static const char *const types[] = { "X25519",
                                         "ED25519",
                                         "X25519MLKEM768",
                                         "SecP256r1MLKEM768",
                                         "SecP384r1MLKEM1024",
                                         "ML-KEM-512",
                                         "ML-KEM-768",
                                         "ML-KEM-1024",
                                         "ML-DSA-44",
                                         "ML-DSA-65",
                                         "ML-DSA-87",
                                         "SLH-DSA-SHA2-128f" };
    both = load_both();
    for (size_t i = 0; i < NUM(types); i++)
        test_key(types[i], NULL);
    for (size_t i = 0; i < NUM(groups); i++)
        test_key("EC", groups[i]);
    ok("categories of keys, and what CMS asks of them");
    test_size(OSSL_CIPHER_PARAM_IV);
    test_size(OSSL_CIPHER_PARAM_UPDATED_IV);
    test_size(OSSL_CIPHER_PARAM_AEAD_TAG);
    ok("sizes of GCM");
    test_twice();
    ok("a parameter twice in a list");
    unload_both(&both);
    printf("1..%u\n", point);
    return 0;
}
