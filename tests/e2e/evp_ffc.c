/* SPDX-License-Identifier: Apache-2.0 */
/* DSA and DH where a key is changed after it was made, with the default provider as the model:
 * EVP_PKEY_copy_parameters(3) brings a key its group, and the numbers that were there stay.  And
 * DSA keys that have only their private number sign, and do not verify. */
#include "evp.h"
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/proverr.h>

#define NUM(array) (sizeof(array) / sizeof(array)[0])
static const char *const sides[] = { THEIRS, OURS };
static const char *const types[] = { "DSA", "DH", "DHX" };
enum { P, Q, G, PUBLIC, PRIVATE, PARTS, GROUP = 1 << P | 1 << Q | 1 << G };
static const char *const names[PARTS] = { "p", "q", "g", "pub", "priv" };
static struct loaded both;

/* make makes a key of some numbers: bits 1 << P and so on. */
static EVP_PKEY *make(int side, const char *type, BIGNUM *const numbers[PARTS], unsigned parts)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    for (unsigned i = 0; i < PARTS; i++)
        MUST(!(parts >> i & 1) || OSSL_PARAM_BLD_push_BN(build, names[i], numbers[i]));
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, type, sides[side]);
    MUST(ctx && EVP_PKEY_fromdata_init(ctx) > 0);
    MUST(EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, params) > 0);
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    return key;
}

/* parts_of returns which numbers a key has, all of which must be the right ones. */
static unsigned parts_of(const EVP_PKEY *key, BIGNUM *const numbers[PARTS])
{
    unsigned parts = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        BIGNUM *number = NULL;
        if (!EVP_PKEY_get_bn_param(key, names[i], &number))
            continue;
        MUST(!BN_cmp(number, numbers[i]));
        parts |= 1U << i;
        BN_clear_free(number);
    }
    ERR_clear_error();
    return parts;
}

static void test_copy(const char *type, BIGNUM *const numbers[PARTS], unsigned there)
{
    for (int side = 0; side < 2; side++) {
        EVP_PKEY *group = make(side, type, numbers, GROUP), *key = make(side, type, numbers, there);
        MUST(parts_of(key, numbers) == there && EVP_PKEY_missing_parameters(key));
        MUST(EVP_PKEY_copy_parameters(key, group) == 1);
        MUST(parts_of(key, numbers) == (there | GROUP) && !EVP_PKEY_missing_parameters(key));
        MUST(EVP_PKEY_parameters_eq(key, group) == 1);
        EVP_PKEY_free(key);
        EVP_PKEY_free(group);
    }
}

/* verify_with returns what EVP_PKEY_verify(3) returns, and the first reason. */
static int verify_with(int side, EVP_PKEY *key, const unsigned char *sig, size_t sig_len,
                       const unsigned char *digest, size_t digest_len, int *reason)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(both.libctx, key, sides[side]);
    MUST(ctx && EVP_PKEY_verify_init(ctx) > 0);
    const int good = EVP_PKEY_verify(ctx, sig, sig_len, digest, digest_len);
    *reason = ERR_GET_REASON(ERR_peek_error());
    ERR_clear_error();
    EVP_PKEY_CTX_free(ctx);
    return good;
}

/* test_private_only verifies before and after the key has signed, on our side: OpenSSL's crashes.
 */
static void test_private_only(BIGNUM *const numbers[PARTS])
{
    static const unsigned char digest[20] = { 1 };
    unsigned char sig[64];
    size_t sig_len = sizeof sig;
    int reason;
    EVP_PKEY *key = make(1, "DSA", numbers, GROUP | 1 << PRIVATE);
    EVP_PKEY *whole = make(0, "DSA", numbers, (1 << PARTS) - 1);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(both.libctx, key, OURS);
    MUST(verify_with(1, key, sig, 46, digest, sizeof digest, &reason) < 0);
    MUST(reason == PROV_R_MISSING_KEY);
    MUST(ctx && EVP_PKEY_sign_init(ctx) > 0);
    MUST(EVP_PKEY_sign(ctx, sig, &sig_len, digest, sizeof digest) > 0);
    MUST(verify_with(0, whole, sig, sig_len, digest, sizeof digest, &reason) == 1);
    MUST(verify_with(1, key, sig, sig_len, digest, sizeof digest, &reason) < 0);
    MUST(reason == PROV_R_MISSING_KEY);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(whole);
    EVP_PKEY_free(key);
}

/* generate writes the numbers of a new key in a named group. */
static void generate(BIGNUM *numbers[PARTS], const char *type, const char *group)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, type, THEIRS);
    MUST(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, group) > 0);
    MUST(EVP_PKEY_generate(ctx, &key) > 0);
    for (size_t i = 0; i < PARTS; i++)
        MUST(EVP_PKEY_get_bn_param(key, names[i], &numbers[i]));
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
}

static void drop(BIGNUM *numbers[PARTS])
{
    for (size_t i = 0; i < PARTS; i++) {
        BN_clear_free(numbers[i]);
        numbers[i] = NULL;
    }
}

int main(void)
{
    BIGNUM *numbers[PARTS] = { 0 };
    both = load_both();
    generate(numbers, "DH", "ffdhe2048");
    for (size_t i = 0; i < NUM(types); i++) {
        test_copy(types[i], numbers, 1 << PUBLIC);
        test_copy(types[i], numbers, 1 << PRIVATE);
        test_copy(types[i], numbers, 1 << PUBLIC | 1 << PRIVATE);
        printf("ok %zu - groups for keys of %s, as the default provider's\n", i + 1, types[i]);
    }
    drop(numbers);
    generate(numbers, "DHX", "dh_1024_160"); /* a group that DSA may have */
    test_private_only(numbers);
    drop(numbers);
    printf("ok %zu - DSA keys without a public number sign, and do not verify\n", NUM(types) + 1);
    unload_both(&both);
    printf("1..%zu\n", NUM(types) + 1);
    return 0;
}
