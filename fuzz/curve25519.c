/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 and Ed25519 against OpenSSL: equal secrets and signatures, and equal verdicts of
 * signatures that are right, changed in one byte, or made of points of small order.  The one
 * difference is that OpenSSL takes public keys that RFC 8032 section 5.1.3 says are none. */
#include "fuzz.h"

#include <headrace/algorithms.h>
#include <openssl/evp.h>

enum { MAX = 512 };

/* ---- X25519 ---- */

static void agree(struct input *in)
{
    uint8_t private[32], peer[32], ours[32], theirs[32];
    size_t len = sizeof ours, their_len = sizeof theirs;
    struct hr_agree_key key;
    take(in, private, sizeof private);
    take(in, peer, sizeof peer);
    CHECK(!hr_agree_key_init(&key, HR_X25519, private, sizeof private));
    const int error = hr_agree(ours, &len, peer, sizeof peer, &key);
    EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private, sizeof private),
             *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, peer, sizeof peer);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(own, NULL);
    CHECK(ctx && other && EVP_PKEY_derive_init(ctx) == 1 &&
          EVP_PKEY_derive_set_peer(ctx, other) == 1);
    const int good = EVP_PKEY_derive(ctx, theirs, &their_len) == 1;
    CHECK(good == !error);
    CHECK(!good || !memcmp(ours, theirs, sizeof ours));
    CHECK(!hr_agree_key_public(ours, &len, &key));
    CHECK(EVP_PKEY_get_raw_public_key(own, theirs, &their_len) == 1);
    CHECK(!memcmp(ours, theirs, sizeof ours));
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
}

/* ---- Ed25519 ---- */

static int their_verdict(const uint8_t public[32], const uint8_t sig[64], const uint8_t *message,
                         size_t len)
{
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public, 32);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    CHECK(key && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, key) == 1);
    const int good = EVP_DigestVerify(ctx, sig, 64, message, len) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    return good;
}

static void their_signature(uint8_t sig[64], const uint8_t seed[32], const uint8_t *message,
                            size_t len)
{
    size_t sig_len = 64;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    CHECK(key && ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1);
    CHECK(EVP_DigestSign(ctx, sig, &sig_len, message, len) == 1);
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
}

/* Whether the bytes are no encoding by RFC 8032, though OpenSSL may take them: y is not below p, or
 * a sign with x = 0, that is with y of 1 or -1. */
static int is_odd_encoding(const uint8_t public[32])
{
    static const uint8_t one[32] = { 1 };
    uint8_t y[32], ones = 0xff;
    memcpy(y, public, sizeof y);
    y[31] &= 127;
    for (int i = 1; i < 31; i++)
        ones &= y[i];
    const int near_p = ones == 0xff && y[31] == 127;
    return (near_p && y[0] >= 0xed) ||
           (public[31] >> 7 && (!memcmp(y, one, 32) || (near_p && y[0] == 0xec)));
}

static void compare(const uint8_t public[32], const uint8_t sig[64], const uint8_t *message,
                    size_t len)
{
    uint8_t memory[1024] __attribute__((aligned(64)));
    struct hr_sign_key *key = (struct hr_sign_key *)memory;
    CHECK(hr_sign_key_size(HR_ED25519) <= sizeof memory);
    const int error = hr_sign_key_init_public(key, HR_ED25519, public, 32);
    const int ours = !error && !hr_verify(sig, 64, message, len, key, NULL);
    CHECK(!is_odd_encoding(public) || error == HR_EKEY);
    if (!is_odd_encoding(public))
        CHECK(ours == their_verdict(public, sig, message, len));
}

/* Changes one byte of the public key, the signature or the message. */
static void compare_changed(struct input *in, uint8_t public[32], uint8_t sig[64], uint8_t *message,
                            size_t len)
{
    const uint8_t at = take_byte(in), by = take_byte(in);
    if (at < 32)
    public[at] ^= by;
    else if (at < 96) sig[at - 32] ^= by;
    else if (len) message[(at - 96u) % len] ^= by;
    compare(public, sig, message, len);
}

static void sign(struct input *in)
{
    uint8_t seed[32], public[32], ours[64], theirs[64], message[MAX];
    uint8_t memory[1024] __attribute__((aligned(64)));
    struct hr_sign_key *key = (struct hr_sign_key *)memory;
    size_t len = sizeof ours, public_len = sizeof public;
    take(in, seed, sizeof seed);
    const size_t message_len = (size_t)take_byte(in) * 2;
    struct input change = *in;
    take(in, message, message_len);
    CHECK(!hr_sign_key_init(key, HR_ED25519, seed, sizeof seed));
    CHECK(!hr_sign_key_public(public, &public_len, key));
    CHECK(!hr_sign(ours, &len, message, message_len, key, NULL));
    their_signature(theirs, seed, message, message_len);
    CHECK(!memcmp(ours, theirs, sizeof ours));
    compare(public, ours, message, message_len);
    compare_changed(&change, public, ours, message, message_len);
}

/* The y of points of small order, which have 8 x in all, and numbers that look like one. */
static void take_point(struct input *in, uint8_t out[32])
{
    static const uint8_t order8[2][32] = {
        { 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
          0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
          0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
        { 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
          0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
          0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
    };
    const uint8_t pick = take_byte(in);
    memset(out, pick & 2 ? 0xff : 0, 32);
    out[0] = pick & 2 ? (uint8_t)(0xec + (pick >> 2) % 4) : (pick >> 2) % 4;
    out[31] &= 127;
    if (pick & 1)
        memcpy(out, order8[(pick >> 2) & 1], 32);
    out[31] |= pick & 64 ? 128 : 0;
    if (pick & 128)
        take(in, out, 32);
}

static void small_orders(struct input *in)
{
    uint8_t public[32], sig[64], message[MAX];
    take_point(in, public);
    take_point(in, sig);
    take(in, sig + 32, 32);
    if (take_byte(in) & 1)
        memset(sig + 32, 0, 32);
    const size_t len = (size_t)take_byte(in) * 2;
    take(in, message, len);
    compare(public, sig, message, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    switch (take_byte(&in) % 3) {
    case 0:
        agree(&in);
        break;
    case 1:
        sign(&in);
        break;
    default:
        small_orders(&in);
    }
    return 0;
}
