/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA and ECDH against OpenSSL: equal secrets, equal verdicts of signatures and public keys that
 * are right or changed, and of signatures in DER.  The differences are that OpenSSL takes points in
 * the hybrid form (SEC 1 section 2.3.4), and forms whose first byte alone says something wrong. */
#include "fuzz.h"
#include <headrace/algorithms.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

enum { MAX_NUMBER = 66, MAX_POINT = 1 + 2 * MAX_NUMBER, MAX_SIG = 2 * MAX_NUMBER, MAX_DER = 160 };

static const struct curve {
    const char *name;
    hr_alg sign, agree;
    size_t len;      /* bytes of a number */
    uint8_t top_bit; /* the bits of a number's first byte */
} curves[] = {
    { "P-256", HR_ECDSA_P256, HR_ECDH_P256, 32, 0xff },
    { "P-384", HR_ECDSA_P384, HR_ECDH_P384, 48, 0xff },
    { "P-521", HR_ECDSA_P521, HR_ECDH_P521, 66, 0x01 },
};
static union {
    struct hr_agree_key agree;
    uint8_t bytes[4096];
} memory __attribute__((aligned(64)));

/* ---- keys ---- */

/* OpenSSL's key of a point, and of a number where that is not NULL; NULL: it refuses the point. */
static EVP_PKEY *their_key(const struct curve *c, const uint8_t *point, size_t len,
                           const uint8_t *number)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *n = number ? BN_bin2bn(number, (int)c->len, NULL) : NULL;
    CHECK(ctx && build && (n || !number));
    CHECK(OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, c->name, 0));
    CHECK(OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, len));
    CHECK(!n || OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, n));
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    CHECK(params && EVP_PKEY_fromdata_init(ctx) == 1);
    if (EVP_PKEY_fromdata(ctx, &key, n ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params) != 1)
        key = NULL;
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    BN_free(n);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* A number of the curve's length: random, or next to 0 or to the largest. */
static void take_number(struct input *in, const struct curve *c, uint8_t *out)
{
    const uint8_t kind = take_byte(in) % 4;
    if (kind < 2) {
        take_many(in, out, c->len);
        out[0] &= c->top_bit;
        return;
    }
    memset(out, kind == 2 ? 0 : 0xff, c->len);
    out[0] &= c->top_bit;
    take(in, out + c->len - 2, 2);
}

/* Changes up to three bytes. */
static void change(struct input *in, uint8_t *p, size_t len)
{
    for (uint8_t i = take_byte(in) % 4; i && len; i--) {
        const size_t at = take_byte(in) % len;
        p[at] ^= take_byte(in);
    }
}

/* ---- ECDH ---- */

static int their_secret(EVP_PKEY *own, EVP_PKEY *peer, uint8_t *out, size_t len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(own, NULL);
    CHECK(ctx && EVP_PKEY_derive_init(ctx) == 1);
    const int good =
        EVP_PKEY_derive_set_peer(ctx, peer) == 1 && EVP_PKEY_derive(ctx, out, &len) == 1;
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static int own_key(const struct curve *c, uint8_t *number, uint8_t point[MAX_POINT])
{
    size_t len = MAX_POINT;
    const int error = hr_agree_key_init(&memory.agree, c->agree, number, c->len);
    CHECK(!error || error == HR_EKEY);
    CHECK(error || !hr_agree_key_public(point, &len, &memory.agree));
    return !error;
}

static void agree(struct input *in, const struct curve *c)
{
    uint8_t number[MAX_NUMBER], other[MAX_NUMBER], point[MAX_POINT], peer[MAX_POINT];
    uint8_t ours[MAX_NUMBER], theirs[MAX_NUMBER];
    size_t len = sizeof ours, peer_len = 1 + 2 * c->len;
    take_number(in, c, other);
    take_number(in, c, number);
    if (!own_key(c, other, peer) || !own_key(c, number, point))
        return;
    EVP_PKEY *own = their_key(c, point, peer_len, number);
    CHECK(own);
    if (take_byte(in) & 1) {
        peer[0] = 2 + (peer[peer_len - 1] & 1);
        peer_len = 1 + c->len;
    }
    change(in, peer, peer_len);
    const int error = hr_agree(ours, &len, peer, peer_len, &memory.agree);
    CHECK(hr_agree_check(c->agree, peer, peer_len) == error);
    EVP_PKEY *their_peer = their_key(c, peer, peer_len, NULL);
    if (peer[0] == 4 || (peer[0] | 1) == 3)
        CHECK((their_peer && their_secret(own, their_peer, theirs, c->len)) == !error);
    else
        CHECK(error);
    CHECK(error || !memcmp(ours, theirs, c->len));
    EVP_PKEY_free(their_peer);
    EVP_PKEY_free(own);
}

/* ---- ECDSA ---- */

static int their_verdict(EVP_PKEY *key, const uint8_t *der, size_t der_len, const uint8_t *in,
                         size_t len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL);
    CHECK(ctx && EVP_PKEY_verify_init(ctx) == 1);
    const int good = EVP_PKEY_verify(ctx, der, der_len, in, len) == 1;
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static void compare(const struct curve *c, const uint8_t *point, const uint8_t *sig,
                    const uint8_t *message, size_t len)
{
    uint8_t der[MAX_DER], back[MAX_SIG];
    size_t der_len = sizeof der;
    struct hr_sign_key *const key = (struct hr_sign_key *)memory.bytes;
    const int error = hr_sign_key_init_public(key, c->sign, point, 1 + 2 * c->len);
    EVP_PKEY *theirs = their_key(c, point, 1 + 2 * c->len, NULL);
    CHECK((theirs != NULL) == !error);
    CHECK(!hr_ecdsa_to_der(der, &der_len, sig, 2 * c->len));
    CHECK(!hr_ecdsa_from_der(back, 2 * c->len, der, der_len) && !memcmp(back, sig, 2 * c->len));
    if (theirs)
        CHECK(their_verdict(theirs, der, der_len, message, len) ==
              !hr_verify(sig, 2 * c->len, message, len, key, NULL));
    EVP_PKEY_free(theirs);
}

static void sign(struct input *in, const struct curve *c)
{
    uint8_t number[MAX_NUMBER], point[MAX_POINT], sig[MAX_SIG], message[100], random[32];
    size_t len = sizeof sig, point_len = sizeof point;
    struct hr_sign_key *const key = (struct hr_sign_key *)memory.bytes;
    const struct hr_sign_options options = { .random = random };
    CHECK(hr_sign_key_size(c->sign) <= sizeof memory);
    take_number(in, c, number);
    take(in, random, sizeof random);
    const size_t message_len = 1 + take_byte(in) % sizeof message;
    take_many(in, message, message_len);
    if (hr_sign_key_init(key, c->sign, number, c->len))
        return;
    CHECK(!hr_sign_key_public(point, &point_len, key));
    CHECK(!hr_sign(sig, &len, message, message_len, key, &options));
    CHECK(!hr_verify(sig, len, message, message_len, key, NULL));
    compare(c, point, sig, message, message_len);
    uint8_t *const parts[] = { point + 1, sig, message, sig };
    const size_t lens[] = { 2 * c->len, len, message_len, len };
    const uint8_t part = take_byte(in) % 4;
    if (part == 3)
        take_number(in, c, sig + (take_byte(in) & 1 ? c->len : 0));
    else
        change(in, parts[part], lens[part]);
    compare(c, point, sig, message, message_len);
}

/* ---- signatures in DER ---- */

/* Reads a signature as OpenSSL's verification does: no byte follows it, and encoding it again gives
 * the same bytes. */
static int their_der(uint8_t *sig, const struct curve *c, const uint8_t *der, size_t len)
{
    const uint8_t *at = der;
    uint8_t *again = NULL;
    ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &at, (long)len);
    const int again_len = s ? i2d_ECDSA_SIG(s, &again) : -1;
    int good = again_len == (int)len && at == der + len && !memcmp(again, der, len);
    const BIGNUM *const numbers[] = { s ? ECDSA_SIG_get0_r(s) : NULL,
                                      s ? ECDSA_SIG_get0_s(s) : NULL };
    for (int i = 0; good && i < 2; i++)
        good = !BN_is_negative(numbers[i]) &&
               BN_bn2binpad(numbers[i], sig + (size_t)i * c->len, (int)c->len) > 0;
    OPENSSL_free(again);
    ECDSA_SIG_free(s);
    return good;
}

static void der(struct input *in, const struct curve *c)
{
    uint8_t bytes[MAX_DER], sig[MAX_SIG], ours[MAX_SIG], theirs[MAX_SIG];
    size_t len = sizeof bytes;
    take_number(in, c, sig);
    take_number(in, c, sig + c->len);
    if (take_byte(in) & 1)
        take(in, bytes, len = take_byte(in) % sizeof bytes);
    else
        CHECK(!hr_ecdsa_to_der(bytes, &len, sig, 2 * c->len));
    change(in, bytes, len);
    len -= len && take_byte(in) % 4 == 1;
    const int error = hr_ecdsa_from_der(ours, 2 * c->len, bytes, len);
    CHECK(their_der(theirs, c, bytes, len) == !error);
    CHECK(error || !memcmp(ours, theirs, 2 * c->len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const parts[])(struct input * in, const struct curve *c) = { agree, sign, der };
    struct input in = { data, size };
    const uint8_t pick = take_byte(&in);
    parts[pick % 3](&in, &curves[pick / 3 % 3]);
    return 0;
}
