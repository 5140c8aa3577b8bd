/* SPDX-License-Identifier: Apache-2.0 */
/* DSA against OpenSSL: what we sign it takes, and signatures, digests and public keys that were
 * changed get the same verdict; a group that was changed is refused, or signs and verifies. */
#include "dsa_keys.h"
#include "fuzz.h"
#include <headrace/algorithms.h>
#include <headrace/dsa.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>

enum { MAX = 384, MAX_SIG = 64, MAX_DER = 96 };
enum { P, Q, G, Y, X, NUM_PARTS };

static const char *const names[NUM_PARTS] = { OSSL_PKEY_PARAM_FFC_P, OSSL_PKEY_PARAM_FFC_Q,
                                              OSSL_PKEY_PARAM_FFC_G, OSSL_PKEY_PARAM_PUB_KEY,
                                              OSSL_PKEY_PARAM_PRIV_KEY };

/* The numbers of a key, as OpenSSL reads them. */
struct key {
    uint8_t bytes[NUM_PARTS][MAX];
    size_t len[NUM_PARTS];
};

static const struct key *take_key(struct input *in)
{
    static struct key keys[COUNT(dsa_keys)];
    const size_t i = take_byte(in) % COUNT(keys);
    const uint8_t *der = dsa_keys[i].der;
    struct key *const key = &keys[i];
    if (key->len[P])
        return key;
    EVP_PKEY *theirs = d2i_PrivateKey(EVP_PKEY_DSA, NULL, &der, (long)dsa_keys[i].len);
    CHECK(theirs);
    for (int part = 0; part < NUM_PARTS; part++) {
        BIGNUM *n = NULL;
        CHECK(EVP_PKEY_get_bn_param(theirs, names[part], &n) == 1);
        key->len[part] = (size_t)BN_bn2bin(n, key->bytes[part]);
        BN_free(n);
    }
    EVP_PKEY_free(theirs);
    return key;
}

static struct hr_dsa_parts parts_of(const struct key *key)
{
#define PART(i)                    \
    {                              \
        key->bytes[i], key->len[i] \
    }
    return (struct hr_dsa_parts){ PART(P), PART(Q), PART(G), PART(Y), PART(X) };
#undef PART
}

/* OpenSSL's public key of these numbers. */
static EVP_PKEY *their_key(const struct key *key)
{
    EVP_PKEY *made = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *numbers[X];
    CHECK(ctx && build);
    for (int part = 0; part < X; part++) {
        numbers[part] = BN_bin2bn(key->bytes[part], (int)key->len[part], NULL);
        CHECK(numbers[part] && OSSL_PARAM_BLD_push_BN(build, names[part], numbers[part]));
    }
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    CHECK(params && EVP_PKEY_fromdata_init(ctx) == 1 &&
          EVP_PKEY_fromdata(ctx, &made, EVP_PKEY_PUBLIC_KEY, params) == 1);
    for (int part = 0; part < X; part++)
        BN_free(numbers[part]);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    return made;
}

static void change(struct input *in, uint8_t *p, size_t len)
{
    for (uint8_t i = take_byte(in) % 4; i && len; i--) {
        const size_t at = take_byte(in) % len;
        p[at] ^= take_byte(in);
    }
}

static void compare(const struct key *key, const uint8_t *sig, size_t sig_len,
                    const uint8_t *digest, size_t len)
{
    static struct hr_dsa_key ours;
    uint8_t der[MAX_DER];
    size_t der_len = sizeof der;
    const struct hr_dsa_parts parts = parts_of(key);
    if (hr_dsa_key_init_public(&ours, &parts)) /* OpenSSL takes any y */
        return;
    EVP_PKEY *theirs = their_key(key);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(theirs, NULL);
    CHECK(!hr_ecdsa_to_der(der, &der_len, sig, sig_len));
    CHECK(ctx && EVP_PKEY_verify_init(ctx) == 1);
    const int good = EVP_PKEY_verify(ctx, der, der_len, digest, len) == 1;
    CHECK(good == !hr_dsa_verify(sig, sig_len, digest, len, &ours));
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(theirs);
}

static void sign(struct input *in)
{
    static struct hr_dsa_key ours;
    const struct key *const right = take_key(in);
    struct key key = *right;
    const struct hr_dsa_parts parts = parts_of(right);
    uint8_t digest[64], random[32], sig[MAX_SIG];
    size_t sig_len = sizeof sig;
    const struct hr_sign_options options = { .random = random };
    const size_t len = 1 + take_byte(in) % sizeof digest;
    take_many(in, digest, len);
    take_many(in, random, sizeof random);
    CHECK(!hr_dsa_key_init(&ours, &parts));
    CHECK(!hr_dsa_sign(sig, &sig_len, digest, len, &ours, &options));
    CHECK(!hr_dsa_verify(sig, sig_len, digest, len, &ours));
    compare(right, sig, sig_len, digest, len);
    switch (take_byte(in) % 4) {
    case 0:
        change(in, sig, sig_len);
        break;
    case 1:
        memset(sig + (take_byte(in) & 1 ? sig_len / 2 : 0), take_byte(in) & 1 ? 0 : 0xff,
               sig_len / 2);
        break;
    case 2:
        change(in, digest, len);
        break;
    default: /* another public key of the group */
        memcpy(key.bytes[Y], key.bytes[G], key.len[Y] = key.len[G]);
    }
    compare(&key, sig, sig_len, digest, len);
}

/* Numbers that do not fit each other, and moduli that are not prime. */
static void bad_group(struct input *in)
{
    static struct hr_dsa_key ours;
    struct key key = *take_key(in);
    const uint8_t part = take_byte(in) % NUM_PARTS;
    uint8_t digest[32] = { 1 }, sig[MAX_SIG];
    size_t sig_len = sizeof sig;
    change(in, key.bytes[part], key.len[part]);
    key.len[part] -= take_byte(in) & 1;
    const struct hr_dsa_parts parts = parts_of(&key);
    const int error = hr_dsa_key_init(&ours, &parts);
    CHECK(!error || error == HR_EKEY || error == HR_EKEYLEN);
    CHECK(!error || all_zero(&ours, sizeof ours));
    if (error || hr_dsa_sign(sig, &sig_len, digest, sizeof digest, &ours, NULL))
        return;
    CHECK(!hr_dsa_verify(sig, sig_len, digest, sizeof digest, &ours));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    if (take_byte(&in) & 1)
        sign(&in);
    else
        bad_group(&in);
    return 0;
}
