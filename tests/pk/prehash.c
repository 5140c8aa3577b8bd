/* SPDX-License-Identifier: Apache-2.0 */
/* HashML-DSA and HashSLH-DSA against their definition: M' of FIPS 204 algorithm 4 and FIPS 205
 * algorithm 23, written out here, is signed by what takes M' or its mu, and is the same signature.
 * Usage: prehash [--quick] */
#include "test.h"
#include <headrace/algorithms.h>
#include <stdlib.h>

static const struct {
    hr_alg alg;
    uint8_t oid, len;
} digests[] = {
    { HR_SHA224, 4, 28 },    { HR_SHA256, 1, 32 },     { HR_SHA384, 2, 48 },
    { HR_SHA512, 3, 64 },    { HR_SHA512_224, 5, 28 }, { HR_SHA512_256, 6, 32 },
    { HR_SHA3_224, 7, 28 },  { HR_SHA3_256, 8, 32 },   { HR_SHA3_384, 9, 48 },
    { HR_SHA3_512, 10, 64 }, { HR_SHAKE128, 11, 32 },  { HR_SHAKE256, 12, 64 },
};
static const hr_alg rows[] = { HR_MLDSA44, HR_MLDSA65, HR_MLDSA87, HR_SLHDSA_SHA2_128F,
                               HR_SLHDSA_SHAKE_128F };
static uint8_t digest[64], context[255], sigs[2][50000];
static struct hr_sign_key key;

/* encode writes 1 || |ctx| || ctx || OID || digest, and returns its length. */
static size_t encode(uint8_t *out, size_t i, size_t context_len)
{
    const uint8_t oid[] = { 0x06, 0x09, 0x60, 0x86, 0x48,          0x01,
                            0x65, 0x03, 0x04, 0x02, digests[i].oid };
    out[0] = 1;
    out[1] = (uint8_t)context_len;
    memcpy(out + 2, context, context_len);
    memcpy(out + 2 + context_len, oid, sizeof oid);
    memcpy(out + 2 + context_len + sizeof oid, digest, digests[i].len);
    return 2 + context_len + sizeof oid + digests[i].len;
}

/* shake256 writes 64 bytes of SHAKE256 of two texts. */
static int shake256(uint8_t out[64], const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    struct hr_xof_ctx ctx;
    return hr_xof_init(&ctx, HR_SHAKE256) || hr_xof_update(&ctx, a, a_len) ||
           (b_len && hr_xof_update(&ctx, b, b_len)) || hr_xof_squeeze(&ctx, out, 64);
}

/* by_definition signs M', or mu = SHAKE256(SHAKE256(pk) || M'). */
static int by_definition(uint8_t *sig, const uint8_t *encoded, size_t len, int is_ml_dsa)
{
    static uint8_t public_key[2592];
    uint8_t tr[64], mu[64];
    size_t public_len = sizeof public_key, sig_len = sizeof sigs[0];
    const struct hr_sign_options options = { .flags = HR_SIGN_DETERMINISTIC |
                                                      (is_ml_dsa ? HR_SIGN_MU : HR_SIGN_ENCODED) };
    if (hr_sign_key_public(public_key, &public_len, &key) ||
        shake256(tr, public_key, public_len, NULL, 0) || shake256(mu, tr, 64, encoded, len))
        return -1;
    return is_ml_dsa ? hr_sign(sig, &sig_len, mu, 64, &key, &options)
                     : hr_sign(sig, &sig_len, encoded, len, &key, &options);
}

static int check(const struct hr_algorithm *row, size_t i, size_t context_len, int is_ml_dsa)
{
    uint8_t encoded[2 + 255 + 11 + 64];
    struct hr_sign_options options = { .flags = HR_SIGN_DETERMINISTIC | HR_SIGN_PREHASH,
                                       .digest = digests[i].alg,
                                       .context = context,
                                       .context_len = context_len };
    const size_t len = encode(encoded, i, context_len);
    size_t sig_len = sizeof sigs[0];
    int bad = hr_sign(sigs[0], &sig_len, digest, digests[i].len, &key, &options) != 0;
    bad |= by_definition(sigs[1], encoded, len, is_ml_dsa) || sig_len != row->out_len ||
           memcmp(sigs[0], sigs[1], sig_len);
    options.flags = HR_SIGN_PREHASH;
    bad |= hr_verify(sigs[0], sig_len, digest, digests[i].len, &key, &options);
    options.digest = digests[(i + 1) % COUNT_OF(digests)].alg;
    bad |= !hr_verify(sigs[0], sig_len, digest, digests[i].len, &key, &options);
    options.digest = HR_ALG_NONE;
    options.flags = 0;
    bad |= hr_verify(sigs[0], sig_len, digest, digests[i].len, &key, &options) != HR_EMAC;
    return bad;
}

/* check_refused tries options that do not fit. */
static int check_refused(int is_ml_dsa)
{
    const uint32_t other = is_ml_dsa ? HR_SIGN_MU : HR_SIGN_ENCODED;
    const struct {
        struct hr_sign_options options;
        size_t len;
        int error;
    } cases[] = {
        { { .flags = HR_SIGN_PREHASH }, 32, HR_EINVAL },
        { { .digest = HR_SHA256 }, 32, HR_EINVAL },
        { { .flags = HR_SIGN_PREHASH | other, .digest = HR_SHA512 }, 64, HR_EINVAL },
        { { .flags = other, .digest = HR_SHA512 }, 64, HR_EINVAL },
        { { .flags = HR_SIGN_PREHASH, .digest = HR_SHA1 }, 20, HR_EALG },
        { { .flags = HR_SIGN_PREHASH, .digest = HR_AES_128_CBC }, 32, HR_EALG },
        { { .flags = HR_SIGN_PREHASH, .digest = HR_SHA256 }, 31, HR_ELENGTH },
        { { .flags = HR_SIGN_PREHASH, .digest = HR_SHA256 }, 33, HR_ELENGTH },
        { { .flags = HR_SIGN_PREHASH, .digest = HR_SHAKE128 }, 64, HR_ELENGTH },
    };
    int bad = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t len = sizeof sigs[0];
        bad |=
            hr_sign(sigs[0], &len, digest, cases[i].len, &key, &cases[i].options) != cases[i].error;
        bad |=
            hr_verify(sigs[1], hr_algorithm(is_ml_dsa ? HR_MLDSA44 : HR_SLHDSA_SHA2_128F)->out_len,
                      digest, cases[i].len, &key, &cases[i].options) != cases[i].error;
    }
    return bad;
}

int main(int argc, char **argv)
{
    static const size_t lens[] = { 0, 7, 255 };
    const size_t step = argc > 1 && !strcmp(argv[1], "--quick") ? 3 : 1;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct hr_algorithm *row = hr_algorithm(rows[r]);
        const int is_ml_dsa = r < 3;
        int bad = hr_sign_key_generate(&key, row->alg, NULL) != 0;
        for (size_t i = r % step; i < COUNT_OF(digests); i += step) {
            random_bytes(digest, sizeof digest);
            random_bytes(context, sizeof context);
            bad |= check(row, i, lens[(i + i / step) % COUNT_OF(lens)], is_ml_dsa);
        }
        if (r == 0 || r == 3)
            bad |= check_refused(is_ml_dsa);
        tap(!bad, "%s: signatures of %zu digests are those of the definition", row->name,
            COUNT_OF(digests) / step);
        hr_sign_key_wipe(&key);
    }
    return tap_done();
}
