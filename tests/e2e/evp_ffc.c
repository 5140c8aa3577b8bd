/* SPDX-License-Identifier: Apache-2.0 */
/* DSA and DH where a key or a context is changed after it was made, with the default provider as
 * the model: EVP_PKEY_copy_parameters(3) brings a key its group, and the numbers that were there
 * stay; a context of DSA begins anew without a key, and goes on with its kind of nonces. */
#include "evp.h"
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>

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

/* nonce_type asks how a context makes nonces, or returns 77 if libcrypto knows one way only. */
static unsigned nonce_type(EVP_PKEY_CTX *ctx)
{
    unsigned type = 77;
    OSSL_PARAM list[] = { OSSL_PARAM_construct_uint("nonce-type", &type),
                          OSSL_PARAM_construct_end() };
    MUST(EVP_PKEY_CTX_get_params(ctx, list) > 0);
    return type;
}

static void test_again(BIGNUM *const numbers[PARTS])
{
    for (int side = 0; side < 2; side++) {
        unsigned fixed = 1;
        const OSSL_PARAM list[] = { OSSL_PARAM_construct_uint("nonce-type", &fixed),
                                    OSSL_PARAM_construct_end() };
        EVP_PKEY *key = make(side, "DSA", numbers, (1 << PARTS) - 1);
        EVP_PKEY_CTX *of_key;
        EVP_MD_CTX *ctx = EVP_MD_CTX_new();
        MUST(ctx && EVP_DigestSignInit_ex(ctx, &of_key, "SHA384", both.libctx, sides[side], key,
                                          NULL) > 0);
        const unsigned before = nonce_type(of_key);
        MUST(before == 77 || (!before && EVP_PKEY_CTX_set_params(of_key, list) > 0));
        MUST(EVP_DigestSignInit_ex(ctx, NULL, NULL, NULL, NULL, NULL, NULL) > 0);
        of_key = EVP_MD_CTX_get_pkey_ctx(ctx);
        MUST(nonce_type(of_key) == (before ? before : fixed));
        EVP_MD_CTX_free(ctx);
        EVP_PKEY_free(key);
        ERR_clear_error();
    }
}

int main(void)
{
    BIGNUM *numbers[PARTS] = { 0 };
    both = load_both();
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, "DH", THEIRS);
    MUST(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, "ffdhe2048") > 0);
    MUST(EVP_PKEY_generate(ctx, &key) > 0);
    for (size_t i = 0; i < PARTS; i++)
        MUST(EVP_PKEY_get_bn_param(key, names[i], &numbers[i]));
    for (size_t i = 0; i < NUM(types); i++) {
        test_copy(types[i], numbers, 1 << PUBLIC);
        test_copy(types[i], numbers, 1 << PRIVATE);
        test_copy(types[i], numbers, 1 << PUBLIC | 1 << PRIVATE);
        printf("ok %zu - groups for keys of %s, as the default provider's\n", i + 1, types[i]);
    }
    test_again(numbers);
    printf("ok %zu - contexts of DSA that begin anew, as the default provider's\n", NUM(types) + 1);
    for (size_t i = 0; i < PARTS; i++)
        BN_clear_free(numbers[i]);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    unload_both(&both);
    printf("1..%zu\n", NUM(types) + 1);
    return 0;
}
