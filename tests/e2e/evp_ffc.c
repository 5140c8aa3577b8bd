/* SPDX-License-Identifier: Apache-2.0 */
/* DSA and DH where a key is changed after it was made, with the default provider as the model:
 * EVP_PKEY_copy_parameters(3) brings a key its group, and the numbers that were there stay. */
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
    for (size_t i = 0; i < PARTS; i++)
        BN_clear_free(numbers[i]);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    unload_both(&both);
    printf("1..%zu\n", NUM(types));
    return 0;
}
