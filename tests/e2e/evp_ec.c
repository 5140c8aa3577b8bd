/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of elliptic curves with the default provider as the model: each provider takes the other's
 * keys, signatures and secrets, and both answer the same to the same question, also to a wrong one.
 * Curves that the library does not have are among them: they are passed on. */
#include "evp.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/x509.h>

static const char *const sides[] = { THEIRS, OURS };
enum { THEM, US, MAX_POINT = 256 };
static struct loaded both;

static const char *const curves[] = { "P-256",     "P-384",           "P-521",     "prime256v1",
                                      "secp384r1", "brainpoolP384r1", "secp256k1", "secp224r1" };
#define NUM(array) (sizeof(array) / sizeof(array)[0])

/* ---- keys ---- */

static EVP_PKEY_CTX *by_name(int side)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, "EC", sides[side]);
    MUST(ctx);
    return ctx;
}

static EVP_PKEY *generate(int side, const char *curve)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = by_name(side);
    MUST(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, curve) > 0);
    MUST(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    const char *name = OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(key));
    MUST(!strcmp(name, "default") == (side == THEM));
    return key;
}

static EVP_PKEY *from_params(int side, int selection, OSSL_PARAM params[])
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = by_name(side);
    MUST(EVP_PKEY_fromdata_init(ctx) > 0);
    if (EVP_PKEY_fromdata(ctx, &key, selection, params) <= 0)
        MUST(!key);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* moved returns the key, or a part of it, as one of the other provider. */
static EVP_PKEY *moved(int side, EVP_PKEY *key, int selection)
{
    OSSL_PARAM *params = NULL;
    MUST(EVP_PKEY_todata(key, selection, &params) > 0);
    EVP_PKEY *copy = from_params(side, selection, params);
    MUST(copy);
    OSSL_PARAM_free(params);
    return copy;
}

/* ---- the same answers ---- */

static const char *const texts[] = {
    OSSL_PKEY_PARAM_GROUP_NAME,     OSSL_PKEY_PARAM_EC_ENCODING,
    OSSL_PKEY_PARAM_EC_FIELD_TYPE,  OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
    OSSL_PKEY_PARAM_DEFAULT_DIGEST, OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE,
};
static const char *const numbers[] = {
    OSSL_PKEY_PARAM_BITS,
    OSSL_PKEY_PARAM_SECURITY_BITS,
    OSSL_PKEY_PARAM_MAX_SIZE,
    OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS,
    OSSL_PKEY_PARAM_USE_COFACTOR_ECDH,
    OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC,
};
static const char *const octets[] = { OSSL_PKEY_PARAM_PUB_KEY, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
                                      OSSL_PKEY_PARAM_EC_GENERATOR, OSSL_PKEY_PARAM_EC_SEED };
static const char *const bignums[] = {
    OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_EC_PUB_X,    OSSL_PKEY_PARAM_EC_PUB_Y,
    OSSL_PKEY_PARAM_EC_P,     OSSL_PKEY_PARAM_EC_A,        OSSL_PKEY_PARAM_EC_B,
    OSSL_PKEY_PARAM_EC_ORDER, OSSL_PKEY_PARAM_EC_COFACTOR,
};

static void same_text(EVP_PKEY *const keys[2], const char *name)
{
    char text[2][64] = { "", "" };
    size_t len[2] = { 0, 0 };
    int good[2];
    for (int side = 0; side < 2; side++)
        good[side] = EVP_PKEY_get_utf8_string_param(keys[side], name, text[side], 64, &len[side]);
    MUST(good[0] == good[1] && len[0] == len[1] && !strcmp(text[0], text[1]));
}

static void same_number(EVP_PKEY *const keys[2], const char *name)
{
    int number[2] = { -7, -7 }, good[2];
    for (int side = 0; side < 2; side++)
        good[side] = EVP_PKEY_get_int_param(keys[side], name, &number[side]);
    MUST(good[0] == good[1] && number[0] == number[1]);
}

static void same_octets(EVP_PKEY *const keys[2], const char *name)
{
    unsigned char bytes[2][MAX_POINT] = { { 0 } };
    size_t len[2] = { 0, 0 };
    int good[2];
    for (int side = 0; side < 2; side++)
        good[side] =
            EVP_PKEY_get_octet_string_param(keys[side], name, bytes[side], MAX_POINT, &len[side]);
    MUST(good[0] == good[1] && len[0] == len[1] && !memcmp(bytes[0], bytes[1], MAX_POINT));
}

static void same_bignum(EVP_PKEY *const keys[2], const char *name)
{
    BIGNUM *number[2] = { NULL, NULL };
    int good[2];
    for (int side = 0; side < 2; side++)
        good[side] = EVP_PKEY_get_bn_param(keys[side], name, &number[side]);
    MUST(good[0] == good[1] && (!good[0] || !BN_cmp(number[0], number[1])));
    BN_free(number[0]);
    BN_free(number[1]);
}

static void same_checks(EVP_PKEY *const keys[2])
{
    int (*const checks[])(EVP_PKEY_CTX *) = {
        EVP_PKEY_check,         EVP_PKEY_public_check,       EVP_PKEY_private_check,
        EVP_PKEY_param_check,   EVP_PKEY_public_check_quick, EVP_PKEY_param_check_quick,
        EVP_PKEY_pairwise_check
    };
    for (size_t i = 0; i < NUM(checks); i++) {
        int good[2];
        for (int side = 0; side < 2; side++) {
            EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(both.libctx, keys[side], sides[side]);
            good[side] = checks[i](ctx);
            EVP_PKEY_CTX_free(ctx);
        }
        MUST(good[0] == good[1]);
    }
}

static int has_public(EVP_PKEY *key)
{
    size_t len;
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, NULL, 0, &len);
}

/* same compares what both sides say of one key. */
static void same(EVP_PKEY *const keys[2])
{
    for (size_t i = 0; i < NUM(texts); i++)
        same_text(keys, texts[i]);
    for (size_t i = 0; i < NUM(numbers); i++)
        same_number(keys, numbers[i]);
    for (size_t i = 0; i < NUM(octets); i++)
        same_octets(keys, octets[i]);
    for (size_t i = 0; i < NUM(bignums); i++)
        same_bignum(keys, bignums[i]);
    same_checks(keys);
    MUST(EVP_PKEY_get_size(keys[0]) == EVP_PKEY_get_size(keys[1]));
    MUST(EVP_PKEY_parameters_eq(keys[0], keys[1]) == 1);
    MUST((EVP_PKEY_eq(keys[0], keys[1]) == 1) == has_public(keys[0]));
    ERR_clear_error();
}

static void same_der(EVP_PKEY *const keys[2], int (*write)(const EVP_PKEY *, unsigned char **))
{
    unsigned char *der[2] = { NULL, NULL };
    int len[2];
    for (int side = 0; side < 2; side++)
        len[side] = write(keys[side], &der[side]);
    MUST(len[0] > 0 && len[0] == len[1] && !memcmp(der[0], der[1], (size_t)len[0]));
    OPENSSL_free(der[0]);
    OPENSSL_free(der[1]);
}

static void test_key(const char *curve, int maker)
{
    static const int parts[] = { EVP_PKEY_KEY_PARAMETERS, EVP_PKEY_PUBLIC_KEY, EVP_PKEY_KEYPAIR };
    EVP_PKEY *key = generate(maker, curve);
    for (size_t i = 0; i < NUM(parts); i++) {
        EVP_PKEY *const keys[2] = { moved(THEM, key, parts[i]), moved(US, key, parts[i]) };
        same(keys);
        if (parts[i] != EVP_PKEY_KEY_PARAMETERS)
            same_der(keys, i2d_PUBKEY);
        if (parts[i] == EVP_PKEY_KEYPAIR)
            same_der(keys, i2d_PrivateKey);
        EVP_PKEY *const copies[2] = { EVP_PKEY_dup(keys[0]), EVP_PKEY_dup(keys[1]) };
        MUST(copies[0] && copies[1]);
        same(copies);
        for (int side = 0; side < 2; side++) {
            EVP_PKEY_free(keys[side]);
            EVP_PKEY_free(copies[side]);
        }
    }
    EVP_PKEY_free(key);
}

/* test_how changes how a key is written, on both sides alike. */
static void test_how(const char *curve)
{
    static const char *const forms[] = { "compressed", "hybrid", "uncompressed", "nonsense" };
    static const char *const encodings[] = { "explicit", "named_curve", "nonsense" };
    EVP_PKEY *key = generate(US, curve);
    EVP_PKEY *const keys[2] = { moved(THEM, key, EVP_PKEY_KEYPAIR), key };
    for (size_t i = 0; i < NUM(forms) * NUM(encodings); i++) {
        int good[2];
        for (int side = 0; side < 2; side++)
            good[side] = EVP_PKEY_set_utf8_string_param(keys[side],
                                                        OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
                                                        forms[i % NUM(forms)]) *
                             2 +
                         EVP_PKEY_set_utf8_string_param(keys[side], OSSL_PKEY_PARAM_EC_ENCODING,
                                                        encodings[i % NUM(encodings)]);
        MUST(good[0] == good[1]);
        same(keys);
        same_der(keys, i2d_PrivateKey);
        EVP_PKEY *const again[2] = { moved(US, keys[0], EVP_PKEY_KEYPAIR),
                                     moved(US, keys[1], EVP_PKEY_KEYPAIR) };
        same(again);
        EVP_PKEY_free(again[0]);
        EVP_PKEY_free(again[1]);
    }
    MUST(EVP_PKEY_set_int_param(keys[0], OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, 0) > 0);
    MUST(EVP_PKEY_set_int_param(keys[1], OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, 0) > 0);
    same_der(keys, i2d_PrivateKey);
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
}

/* ---- wrong and odd values ---- */

/* same_import imports a public point and a scalar on both sides, and compares all that follows. */
static void same_import(const char *curve, const unsigned char *point, size_t point_len,
                        const BIGNUM *scalar)
{
    unsigned char native[80];
    OSSL_PARAM params[4], *next = params;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0);
    if (point)
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (unsigned char *)point,
                                                    point_len);
    if (scalar) {
        MUST(BN_bn2nativepad(scalar, native, sizeof native) > 0);
        *next++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof native);
    }
    *next = OSSL_PARAM_construct_end();
    EVP_PKEY *const keys[2] = { from_params(THEM, EVP_PKEY_KEYPAIR, params),
                                from_params(US, EVP_PKEY_KEYPAIR, params) };
    MUST(!keys[0] == !keys[1]);
    ERR_clear_error();
    if (keys[0] && point && point_len > 1)
        same(keys);
    else if (keys[0])
        same_checks(keys);
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
    ERR_clear_error();
}

static void test_points(const char *curve)
{
    unsigned char point[MAX_POINT];
    size_t len;
    EVP_PKEY *key = generate(THEM, curve);
    MUST(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &len));
    for (unsigned first = 0; first < 9; first++)
        for (size_t cut = 0; cut < 3; cut++) {
            const size_t lengths[] = { len, len / 2 + 1, 1 };
            point[0] = (unsigned char)first;
            same_import(curve, point, lengths[cut], NULL);
            same_import(curve, point, lengths[cut] - (cut < 2), NULL);
            same_import(curve, point, lengths[cut] + 1, NULL);
        }
    point[0] = 4;
    point[len - 1] ^= 1; /* beside the curve */
    same_import(curve, point, len, NULL);
    point[len - 1] ^= 1;
    memset(point + 1, 0xff, len / 2); /* not below the field's prime */
    same_import(curve, point, len, NULL);
    memset(point + 1, 0, len - 1);
    same_import(curve, point, len, NULL);
    EVP_PKEY_free(key);
}

static void test_scalars(const char *curve)
{
    BIGNUM *order = NULL, *scalar = BN_new();
    EVP_PKEY *key = generate(THEM, curve);
    MUST(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_ORDER, &order) > 0);
    for (int add = -2; add < 4; add++) {
        MUST(BN_copy(scalar, order));
        MUST(add < 0 ? BN_sub_word(scalar, (BN_ULONG)-add) : BN_add_word(scalar, (BN_ULONG)add));
        same_import(curve, NULL, 0, scalar);
        MUST(BN_set_word(scalar, (BN_ULONG)(add + 2)));
        same_import(curve, NULL, 0, scalar);
    }
    MUST(BN_lshift(scalar, order, 40));
    same_import(curve, NULL, 0, scalar);
    BN_free(order);
    BN_free(scalar);
    EVP_PKEY_free(key);
}

/* test_encoded sets a peer's public key as TLS does. */
static void test_encoded(const char *curve)
{
    unsigned char *point = NULL;
    EVP_PKEY *key = generate(THEM, curve);
    const size_t len = EVP_PKEY_get1_encoded_public_key(key, &point);
    for (unsigned flip = 0; flip < 3; flip++) {
        EVP_PKEY *const keys[2] = { moved(THEM, key, EVP_PKEY_KEY_PARAMETERS),
                                    moved(US, key, EVP_PKEY_KEY_PARAMETERS) };
        int good[2];
        point[len - 1] ^= flip == 1;
        for (int side = 0; side < 2; side++)
            good[side] = EVP_PKEY_set1_encoded_public_key(keys[side], point, len - flip / 2);
        MUST(good[0] == good[1] && good[0] == !flip);
        if (good[0])
            same(keys);
        point[len - 1] ^= flip == 1;
        EVP_PKEY_free(keys[0]);
        EVP_PKEY_free(keys[1]);
        ERR_clear_error();
    }
    OPENSSL_free(point);
    EVP_PKEY_free(key);
}

/* test_template makes parameters, and a key of them, as TLS does of a peer's group. */
static void test_template(const char *curve)
{
    for (int side = 0; side < 2; side++) {
        EVP_PKEY *group = NULL, *key = NULL, *empty = EVP_PKEY_new();
        EVP_PKEY_CTX *ctx = by_name(side);
        MUST(EVP_PKEY_paramgen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, curve) > 0);
        MUST(EVP_PKEY_CTX_set_ec_param_enc(ctx, OPENSSL_EC_NAMED_CURVE) > 0);
        MUST(EVP_PKEY_paramgen(ctx, &group) > 0);
        EVP_PKEY_CTX_free(ctx);
        ctx = EVP_PKEY_CTX_new_from_pkey(both.libctx, group, sides[side]);
        MUST(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_keygen(ctx, &key) > 0);
        MUST(EVP_PKEY_copy_parameters(empty, key) > 0 && EVP_PKEY_parameters_eq(empty, group) == 1);
        MUST(EVP_PKEY_missing_parameters(key) == 0 && EVP_PKEY_eq(empty, key) != 1);
        EVP_PKEY_CTX_free(ctx);
        EVP_PKEY_free(group);
        EVP_PKEY_free(key);
        EVP_PKEY_free(empty);
        ERR_clear_error();
    }
}

int main(void)
{
    size_t num = 0;
    both = load_both();
    for (size_t i = 0; i < NUM(curves); i++) {
        test_key(curves[i], THEM);
        test_key(curves[i], US);
        test_how(curves[i]);
        test_points(curves[i]);
        test_scalars(curves[i]);
        test_encoded(curves[i]);
        test_template(curves[i]);
        printf("ok %zu - keys of %s as the default provider's\n", ++num, curves[i]);
    }
    unload_both(&both);
    printf("1..%zu\n", num);
    return 0;
}
