/* SPDX-License-Identifier: Apache-2.0 */
/* Public key in the PKCS#11 module: pairs of every type that it makes sign, verify, encrypt,
 * derive and encapsulate by every mechanism, in one call and in pieces; a changed text or signature
 * is refused; keys that are made of another's attributes do the same; and what is refused.
 * pk_evp.c compares with another implementation.  Usage: pk [--quick] MODULE */
#include "pk_pairs.h"
#include <headrace/algorithms.h>

#define NOTHING ((struct list){ 0 })
enum { MAX_SIG = 50000 };
static CK_BYTE sig[MAX_SIG], again[MAX_SIG];

/* ---- signatures ---- */

struct way {
    const char *key;
    CK_MECHANISM_TYPE type;
    void *parameter;
    CK_ULONG parameter_len;
    int digest_len; /* of raw signatures; 0: the whole text */
    int no_pieces;
};

static CK_RV sign(const struct way *way, CK_OBJECT_HANDLE key, const uint8_t *in, CK_ULONG len,
                  CK_BYTE *out, CK_ULONG *out_len)
{
    CK_MECHANISM mechanism = { way->type, way->parameter, way->parameter_len };
    const CK_RV rv = p11->C_SignInit(s, &mechanism, key);
    return rv == CKR_OK ? p11->C_Sign(s, (CK_BYTE *)(uintptr_t)in, len, out, out_len) : rv;
}

static CK_RV verify(const struct way *way, CK_OBJECT_HANDLE key, const uint8_t *in, CK_ULONG len,
                    CK_ULONG sig_len)
{
    CK_MECHANISM mechanism = { way->type, way->parameter, way->parameter_len };
    const CK_RV rv = p11->C_VerifyInit(s, &mechanism, key);
    return rv == CKR_OK ? p11->C_Verify(s, (CK_BYTE *)(uintptr_t)in, len, sig, sig_len) : rv;
}

static void check_wrong(const struct way *way, CK_OBJECT_HANDLE key, CK_ULONG len, CK_ULONG sig_len)
{
    const size_t at = random_below((uint32_t)sig_len);
    sig[at] ^= 64;
    if (verify(way, key, text, len, sig_len) == CKR_OK)
        complain("%s, 0x%lx: a changed signature verifies", way->key, way->type);
    sig[at] ^= 64;
    text[len - 1] ^= 1;
    if (verify(way, key, text, len, sig_len) != CKR_SIGNATURE_INVALID)
        complain("%s, 0x%lx: a changed text verifies", way->key, way->type);
    text[len - 1] ^= 1;
    if (verify(way, key, text, len, sig_len - 1) != CKR_SIGNATURE_LEN_RANGE)
        complain("%s, 0x%lx: a short signature", way->key, way->type);
}

static void check_pieces(const struct way *way, const struct pair *pair)
{
    CK_MECHANISM mechanism = { way->type, way->parameter, way->parameter_len };
    CK_ULONG len = sizeof again, wanted = 0;
    EXPECT(CKR_OK, p11->C_SignInit(s, &mechanism, pair->private_key));
    EXPECT(CKR_OK, p11->C_SignUpdate(s, text, 100));
    EXPECT(CKR_OK, p11->C_SignUpdate(s, NULL, 0));
    EXPECT(CKR_OK, p11->C_SignUpdate(s, text + 100, sizeof text - 100));
    EXPECT(CKR_OK, p11->C_SignFinal(s, NULL, &wanted));
    EXPECT(CKR_OK, p11->C_SignFinal(s, again, &len));
    if (len != wanted)
        complain("%s, 0x%lx: %lu bytes, not %lu", way->key, way->type, len, wanted);
    EXPECT(CKR_OK, p11->C_VerifyInit(s, &mechanism, pair->public_key));
    EXPECT(CKR_OK, p11->C_VerifyUpdate(s, text, 1));
    EXPECT(CKR_OK, p11->C_VerifyUpdate(s, text + 1, sizeof text - 1));
    EXPECT(CKR_OK, p11->C_VerifyFinal(s, again, len));
    EXPECT(CKR_OK, p11->C_VerifySignatureInit(s, &mechanism, pair->public_key, again, len));
    EXPECT(CKR_OK, p11->C_VerifySignatureUpdate(s, text, 7));
    EXPECT(CKR_OK, p11->C_VerifySignatureUpdate(s, text + 7, sizeof text - 7));
    EXPECT(CKR_OK, p11->C_VerifySignatureFinal(s));
}

/* Messages that are digested may be longer than what the module keeps of others. */
static void check_long(int is_quick)
{
    enum { PIECE = 1 << 20, PIECES = 257 };
    CK_MECHANISM mechanism = { CKM_HASH_ML_DSA_SHA256, NULL, 0 };
    CK_HASH_SIGN_ADDITIONAL_CONTEXT of_sha256 = { CKH_HEDGE_PREFERRED, NULL, 0, CKM_SHA256 };
    const struct way whole = { "ML-DSA-44", CKM_HASH_ML_DSA, &of_sha256, sizeof of_sha256, 32, 1 };
    static CK_BYTE piece[PIECE];
    const struct pair *pair = pair_of(whole.key);
    struct hr_digest_ctx ctx;
    uint8_t digest[32];
    CK_ULONG len = sizeof sig;
    if (is_quick) {
        tap_skip("--quick", "a message of 257 MiB in pieces");
        return;
    }
    EXPECT(CKR_OK, p11->C_SignInit(s, &mechanism, pair->private_key));
    int error = hr_digest_init(&ctx, HR_SHA256);
    for (int i = 0; i < PIECES && !error; i++) {
        piece[0] = (CK_BYTE)i;
        EXPECT(CKR_OK, p11->C_SignUpdate(s, piece, sizeof piece));
        error = hr_digest_update(&ctx, piece, sizeof piece);
    }
    if (error || hr_digest_final(&ctx, digest))
        complain("SHA-256");
    EXPECT(CKR_OK, p11->C_SignFinal(s, sig, &len));
    EXPECT(CKR_OK, verify(&whole, pair->public_key, digest, sizeof digest, len));
    tap(1, "a message of 257 MiB in pieces");
}

static void check_way(const struct way *way)
{
    const struct pair *pair = pair_of(way->key);
    const CK_ULONG in_len = way->digest_len ? (CK_ULONG)way->digest_len : sizeof text;
    CK_ULONG len = 3;
    CK_OBJECT_HANDLE copy_key;
    EXPECT(CKR_BUFFER_TOO_SMALL, sign(way, pair->private_key, text, in_len, sig, &len));
    EXPECT(CKR_OK, p11->C_Sign(s, text, in_len, sig, &len));
    EXPECT(CKR_OK, verify(way, pair->public_key, text, in_len, len));
    check_wrong(way, pair->public_key, in_len, len);
    if (!way->no_pieces)
        check_pieces(way, pair);
    if (!EXPECT(CKR_OK, import(pair->private_key, NO_PART, BOOLS(CKA_SIGN), &copy_key)))
        return;
    len = sizeof sig;
    EXPECT(CKR_OK, sign(way, copy_key, text, in_len, sig, &len));
    EXPECT(CKR_OK, verify(way, pair->public_key, text, in_len, len));
    destroy(s, copy_key);
}

static CK_RSA_PKCS_PSS_PARAMS pss[] = {
    { CKM_SHA_1, CKG_MGF1_SHA1, 20 },        { CKM_SHA224, CKG_MGF1_SHA224, 0 },
    { CKM_SHA256, CKG_MGF1_SHA256, 32 },     { CKM_SHA384, CKG_MGF1_SHA1, 48 },
    { CKM_SHA512, CKG_MGF1_SHA512, 62 },     { CKM_SHA3_224, CKG_MGF1_SHA3_224, 28 },
    { CKM_SHA3_256, CKG_MGF1_SHA256, 20 },   { CKM_SHA3_384, CKG_MGF1_SHA3_384, 20 },
    { CKM_SHA3_512, CKG_MGF1_SHA3_512, 20 },
};
static CK_EDDSA_PARAMS ed_ph = { CK_TRUE, 0, NULL }, ed_ctx = { CK_FALSE, 3, (CK_BYTE *)"abc" };
static CK_SIGN_ADDITIONAL_CONTEXT with_context = { .hedgeVariant = CKH_HEDGE_PREFERRED },
                                  fixed = { CKH_DETERMINISTIC_REQUIRED, NULL, 0 };

#define PSS(type, i)                                   \
    {                                                  \
        "RSA 2048", type, &pss[i], sizeof pss[i], 0, 0 \
    }
#define PLAIN(key, type)         \
    {                            \
        key, type, NULL, 0, 0, 0 \
    }
#define RAW(key, type, len)        \
    {                              \
        key, type, NULL, 0, len, 1 \
    }
#define HASHED(key, type)                                                                  \
    PLAIN(key, type##_SHA1), PLAIN(key, type##_SHA224), PLAIN(key, type##_SHA256),         \
        PLAIN(key, type##_SHA384), PLAIN(key, type##_SHA512), PLAIN(key, type##_SHA3_224), \
        PLAIN(key, type##_SHA3_256), PLAIN(key, type##_SHA3_384), PLAIN(key, type##_SHA3_512)
#define PREHASHED(key, type)                                                                   \
    PLAIN(key, type##_SHA224), PLAIN(key, type##_SHA256), PLAIN(key, type##_SHA384),           \
        PLAIN(key, type##_SHA512), PLAIN(key, type##_SHA3_224), PLAIN(key, type##_SHA3_256),   \
        PLAIN(key, type##_SHA3_384), PLAIN(key, type##_SHA3_512), PLAIN(key, type##_SHAKE128), \
        PLAIN(key, type##_SHAKE256)

static CK_HASH_SIGN_ADDITIONAL_CONTEXT of_sha512 = { CKH_HEDGE_PREFERRED, (CK_BYTE *)"abc", 3,
                                                     CKM_SHA512 };

static void check_signatures(void)
{
    const struct way ways[] = {
        RAW("RSA 1024", CKM_RSA_PKCS, 117),
        RAW("RSA 2048", CKM_RSA_PKCS, 245),
        RAW("RSA 2048", CKM_RSA_X_509, 200),
        PLAIN("RSA 1024", CKM_SHA1_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA224_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA256_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA384_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA512_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA3_224_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA3_256_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA3_384_RSA_PKCS),
        PLAIN("RSA 2048", CKM_SHA3_512_RSA_PKCS),
        { "RSA 2048", CKM_RSA_PKCS_PSS, &pss[2], sizeof pss[2], 32, 1 },
        PSS(CKM_SHA1_RSA_PKCS_PSS, 0),
        PSS(CKM_SHA224_RSA_PKCS_PSS, 1),
        PSS(CKM_SHA256_RSA_PKCS_PSS, 2),
        PSS(CKM_SHA384_RSA_PKCS_PSS, 3),
        PSS(CKM_SHA512_RSA_PKCS_PSS, 4),
        PSS(CKM_SHA3_224_RSA_PKCS_PSS, 5),
        PSS(CKM_SHA3_256_RSA_PKCS_PSS, 6),
        PSS(CKM_SHA3_384_RSA_PKCS_PSS, 7),
        PSS(CKM_SHA3_512_RSA_PKCS_PSS, 8),
        RAW("P-256", CKM_ECDSA, 20),
        RAW("P-256", CKM_ECDSA, 32),
        RAW("P-384", CKM_ECDSA, 48),
        RAW("P-521", CKM_ECDSA, 64),
        HASHED("P-256", CKM_ECDSA),
        HASHED("P-521", CKM_ECDSA),
        PLAIN("Ed25519", CKM_EDDSA),
        PLAIN("edwards25519", CKM_EDDSA),
        { "Ed25519", CKM_EDDSA, &ed_ph, sizeof ed_ph, 0, 0 },
        { "Ed25519", CKM_EDDSA, &ed_ctx, sizeof ed_ctx, 0, 0 },
        PLAIN("ML-DSA-44", CKM_ML_DSA),
        PLAIN("ML-DSA-65", CKM_ML_DSA),
        PLAIN("ML-DSA-87", CKM_ML_DSA),
        { "ML-DSA-44", CKM_ML_DSA, &fixed, sizeof fixed, 0, 0 },
        { "ML-DSA-65", CKM_ML_DSA, &with_context, sizeof with_context, 0, 0 },
        PLAIN("SLH-DSA", CKM_SLH_DSA),
        { "SLH-DSA", CKM_SLH_DSA, &with_context, sizeof with_context, 0, 0 },
        PREHASHED("ML-DSA-65", CKM_HASH_ML_DSA),
        PREHASHED("SLH-DSA", CKM_HASH_SLH_DSA),
        { "ML-DSA-44", CKM_HASH_ML_DSA_SHA256, &fixed, sizeof fixed, 0, 0 },
        { "ML-DSA-87", CKM_HASH_ML_DSA, &of_sha512, sizeof of_sha512, 64, 1 },
        { "SLH-DSA", CKM_HASH_SLH_DSA, &of_sha512, sizeof of_sha512, 64, 1 },
    };
    with_context.pContext = (CK_BYTE *)"abc";
    with_context.ulContextLen = 3;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        check_way(&ways[i]);
        tap(1, "%s signs by 0x%lx", ways[i].key, ways[i].type);
    }
}

static void check_contexts(void)
{
    const struct way with = { "Ed25519", CKM_EDDSA, &ed_ctx, sizeof ed_ctx, 0, 0 },
                     without = PLAIN("Ed25519", CKM_EDDSA),
                     deterministic = { "ML-DSA-44", CKM_ML_DSA, &fixed, sizeof fixed, 0, 0 };
    const struct pair *pair = pair_of("Ed25519");
    CK_ULONG len = sizeof sig, again_len = sizeof again;
    EXPECT(CKR_OK, sign(&with, pair->private_key, text, 9, sig, &len));
    EXPECT(CKR_SIGNATURE_INVALID, verify(&without, pair->public_key, text, 9, len));
    pair = pair_of("ML-DSA-44");
    len = sizeof sig;
    EXPECT(CKR_OK, sign(&deterministic, pair->private_key, text, 9, sig, &len));
    EXPECT(CKR_OK, sign(&deterministic, pair->private_key, text, 9, again, &again_len));
    if (len != again_len || memcmp(sig, again, len))
        complain("a deterministic signature is not");
    tap(1, "contexts and randomness are those of the parameter");
}

/* The library's own calls verify what mechanisms with parameters sign. */
static void check_parameters(void)
{
    static struct hr_sign_key key;
    uint8_t digest[64];
    const uint8_t *const abc = (const uint8_t *)"abc";
    const struct {
        struct way way;
        hr_alg alg;
        struct hr_sign_options options;
    } rows[] = {
        { { "Ed25519", CKM_EDDSA, &ed_ph, sizeof ed_ph, 0, 0 },
          HR_ED25519,
          { .flags = HR_SIGN_PREHASH } },
        { { "Ed25519", CKM_EDDSA, &ed_ctx, sizeof ed_ctx, 0, 0 },
          HR_ED25519,
          { .context = abc, .context_len = 3 } },
        { { "ML-DSA-65", CKM_ML_DSA, &with_context, sizeof with_context, 0, 0 },
          HR_MLDSA65,
          { .context = abc, .context_len = 3 } },
        { { "SLH-DSA", CKM_SLH_DSA, &with_context, sizeof with_context, 0, 0 },
          HR_SLHDSA_SHA2_128F,
          { .context = abc, .context_len = 3 } },
        { { "ML-DSA-65", CKM_HASH_ML_DSA_SHA512, &with_context, sizeof with_context, 0, 0 },
          HR_MLDSA65,
          { HR_SIGN_PREHASH, HR_SHA512, abc, 3, NULL } },
        { { "SLH-DSA", CKM_HASH_SLH_DSA_SHA512, &with_context, sizeof with_context, 0, 0 },
          HR_SLHDSA_SHA2_128F,
          { HR_SIGN_PREHASH, HR_SHA512, abc, 3, NULL } },
        { { "ML-DSA-65", CKM_HASH_ML_DSA, &of_sha512, sizeof of_sha512, 64, 0 },
          HR_MLDSA65,
          { HR_SIGN_PREHASH, HR_SHA512, abc, 3, NULL } },
    };
    if (hr_digest(digest, HR_SHA512, text, sizeof text))
        complain("SHA-512");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pair *pair = pair_of(rows[i].way.key);
        const int is_hashed = rows[i].options.flags != 0;
        CK_ATTRIBUTE a = { i < 2 ? CKA_EC_POINT : CKA_VALUE, again, sizeof again };
        const size_t head = i < 2 ? 2 : 0; /* a point is in an OCTET STRING */
        CK_ULONG len = sizeof sig;
        const int is_given = rows[i].way.digest_len != 0; /* the digest, instead of the text */
        EXPECT(CKR_OK, sign(&rows[i].way, pair->private_key, is_given ? digest : text,
                            is_given ? sizeof digest : sizeof text, sig, &len));
        EXPECT(CKR_OK, p11->C_GetAttributeValue(s, pair->public_key, &a, 1));
        if (hr_sign_key_init_public(&key, rows[i].alg, again + head, a.ulValueLen - head) ||
            hr_verify(sig, len, is_hashed ? digest : text, is_hashed ? sizeof digest : sizeof text,
                      &key, &rows[i].options))
            complain("row %zu", i);
    }
    tap(1, "what parameters mean is what the library says");
}

static void check_recovery(void)
{
    const struct pair *pair = pair_of("RSA 1024");
    CK_MECHANISM mechanism = { CKM_RSA_PKCS, NULL, 0 };
    CK_ULONG len = sizeof sig, out_len = sizeof again;
    EXPECT(CKR_OK, p11->C_SignRecoverInit(s, &mechanism, pair->private_key));
    EXPECT(CKR_OK, p11->C_SignRecover(s, text, 40, sig, &len));
    EXPECT(CKR_OK, p11->C_VerifyRecoverInit(s, &mechanism, pair->public_key));
    EXPECT(CKR_OK, p11->C_VerifyRecover(s, sig, len, again, &out_len));
    if (out_len != 40 || memcmp(again, text, 40))
        complain("%lu bytes are recovered", out_len);
    sig[5] ^= 1;
    out_len = sizeof again;
    EXPECT(CKR_OK, p11->C_VerifyRecoverInit(s, &mechanism, pair->public_key));
    EXPECT(CKR_SIGNATURE_INVALID, p11->C_VerifyRecover(s, sig, len, again, &out_len));
    tap(1, "recovery");
}

/* ---- what is refused ---- */

static void check_incomplete(void)
{
    CK_OBJECT_HANDLE none;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const CK_OBJECT_HANDLE keys[] = { pairs[i].public_key, pairs[i].private_key };
        for (size_t k = 0; k < 2; k++)
            for (size_t j = 0; j + 2 < COUNT_OF(parts); j++) {
                const CK_ULONG before = read_parts(keys[k], NO_PART).num;
                if (read_parts(keys[k], parts[j]).num == before)
                    continue;
                if (import(keys[k], parts[j], NOTHING, &none) != CKR_TEMPLATE_INCOMPLETE)
                    complain("%s without 0x%lx", kinds[i].name, parts[j]);
            }
    }
    tap(1, "keys without one of their parts are refused");
}

/* Pairs that cannot be made, and parameters that mechanisms do not have. */
static void check_refusals(void)
{
    static const struct kind bad[] = {
        { "", CKM_RSA_PKCS_KEY_PAIR_GEN, CKA_MODULUS_BITS, 1020, NULL, 0 },
        { "", CKM_RSA_PKCS_KEY_PAIR_GEN, CKA_MODULUS_BITS, 8192, NULL, 0 },
        { "", CKM_RSA_PKCS_KEY_PAIR_GEN, CKA_LABEL, 0, (const uint8_t *)"", 0 },
        { "", CKM_EC_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, (const uint8_t *)"\6\1\1", 3 },
        { "", CKM_EC_EDWARDS_KEY_PAIR_GEN, CKA_EC_PARAMS, 0, (const uint8_t *)"\6\3\x2b\x65\x6e",
          5 },
        { "", CKM_ML_DSA_KEY_PAIR_GEN, CKA_PARAMETER_SET, 4, NULL, 0 },
        { "", CKM_ML_KEM_KEY_PAIR_GEN, CKA_LABEL, 0, (const uint8_t *)"", 0 },
        { "", CKM_DSA_KEY_PAIR_GEN, CKA_PRIME, 0, (const uint8_t *)"\7", 1 },
    };
    static const CK_RV wanted[] = { CKR_KEY_SIZE_RANGE,      CKR_KEY_SIZE_RANGE,
                                    CKR_TEMPLATE_INCOMPLETE, CKR_CURVE_NOT_SUPPORTED,
                                    CKR_CURVE_NOT_SUPPORTED, CKR_PARAMETER_SET_NOT_SUPPORTED,
                                    CKR_TEMPLATE_INCOMPLETE, CKR_TEMPLATE_INCOMPLETE };
    struct pair none;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        EXPECT(wanted[i], generate_pair(bad[i].generate, template_of(&bad[i]), NOTHING, &none));
    CK_EDDSA_PARAMS long_context = { CK_FALSE, 256, text };
    CK_SIGN_ADDITIONAL_CONTEXT no_hedge = { .hedgeVariant = 9 };
    CK_RSA_PKCS_PSS_PARAMS other_hash = { CKM_SHA_1, CKG_MGF1_SHA1, 20 },
                           no_hash = { CKM_MD5, CKG_MGF1_SHA1, 20 },
                           long_salt = { CKM_SHA256, CKG_MGF1_SHA256, 256 - 32 - 2 + 1 };
    CK_HASH_SIGN_ADDITIONAL_CONTEXT of_sha1 = { CKH_HEDGE_PREFERRED, NULL, 0, CKM_SHA_1 },
                                    of_aes = { CKH_HEDGE_PREFERRED, NULL, 0, CKM_AES_ECB },
                                    long_hash = { CKH_HEDGE_PREFERRED, text, 256, CKM_SHA256 };
    const struct way ways[] = {
        { "ML-DSA-44", CKM_HASH_ML_DSA, NULL, 0, 0, 0 },
        { "ML-DSA-44", CKM_HASH_ML_DSA, &fixed, sizeof fixed, 0, 0 },
        { "ML-DSA-44", CKM_HASH_ML_DSA, &of_sha1, sizeof of_sha1, 0, 0 },
        { "SLH-DSA", CKM_HASH_SLH_DSA, &of_aes, sizeof of_aes, 0, 0 },
        { "ML-DSA-44", CKM_HASH_ML_DSA, &long_hash, sizeof long_hash, 0, 0 },
        { "ML-DSA-44", CKM_HASH_ML_DSA_SHA256, &of_sha512, sizeof of_sha512, 0, 0 },
        { "Ed25519", CKM_EDDSA, &long_context, sizeof long_context, 0, 0 },
        { "Ed25519", CKM_EDDSA, &long_context, 1, 0, 0 },
        { "ML-DSA-44", CKM_ML_DSA, &no_hedge, sizeof no_hedge, 0, 0 },
        { "RSA 2048", CKM_SHA256_RSA_PKCS_PSS, &other_hash, sizeof other_hash, 0, 0 },
        { "RSA 2048", CKM_RSA_PKCS_PSS, &no_hash, sizeof no_hash, 0, 0 },
        { "RSA 2048", CKM_RSA_PKCS_PSS, NULL, 0, 0, 0 },
        { "RSA 2048", CKM_SHA256_RSA_PKCS_PSS, &long_salt, sizeof long_salt, 0, 0 },
        { "RSA 2048", CKM_SHA256_RSA_PKCS, text, 1, 0, 0 },
        { "P-256", CKM_ECDSA, text, 1, 0, 0 },
    };
    CK_ULONG len = sizeof sig;
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        EXPECT(CKR_MECHANISM_PARAM_INVALID,
               sign(&ways[i], pair_of(ways[i].key)->private_key, text, 9, sig, &len));
    const struct way short_hash = {
        "ML-DSA-44", CKM_HASH_ML_DSA, &of_sha512, sizeof of_sha512, 0, 0
    };
    EXPECT(CKR_DATA_LEN_RANGE,
           sign(&short_hash, pair_of("ML-DSA-44")->private_key, text, 63, sig, &len));
    const struct way ecdsa = PLAIN("P-256", CKM_ECDSA);
    EXPECT(CKR_KEY_TYPE_INCONSISTENT,
           sign(&ecdsa, pair_of("RSA 1024")->private_key, text, 9, sig, &len));
    EXPECT(CKR_KEY_FUNCTION_NOT_PERMITTED,
           sign(&ecdsa, pair_of("P-256")->public_key, text, 9, sig, &len));
    tap(1, "pairs and parameters that there are not");
}

/* A point may be given in three forms, and is shown in one; a lattice's key may be its seed. */
static void check_forms(void)
{
    uint8_t point[160], form_bytes[160];
    CK_ATTRIBUTE a;
    CK_OBJECT_HANDLE key;
    const struct way eddsa = PLAIN("Ed25519", CKM_EDDSA), ecdsa = RAW("P-521", CKM_ECDSA, 64),
                     mldsa = PLAIN("ML-DSA-65", CKM_ML_DSA);
    for (int form = 0; form < 6; form++) { /* bytes, an OCTET STRING, a BIT STRING */
        const struct way *way = form % 2 ? &ecdsa : &eddsa;
        const struct pair *pair = pair_of(way->key);
        const size_t head = form % 2 ? 3 : 2, bits = form / 2 == 2;
        struct list more = BOOLS(CKA_VERIFY);
        CK_ULONG len = sizeof sig;
        a = (CK_ATTRIBUTE){ CKA_EC_POINT, point, sizeof point };
        REQUIRE(p11->C_GetAttributeValue(s, pair->public_key, &a, 1));
        const CK_ULONG whole = a.ulValueLen;
        size_t at = 0;
        if (point[0] != 4 || point[head - 1] != whole - head)
            complain("%s: a point that is no OCTET STRING", way->key);
        if (form / 2) {
            form_bytes[at++] = bits ? 3 : 4;
            if (whole - head + bits >= 128)
                form_bytes[at++] = 0x81;
            form_bytes[at++] = (uint8_t)(whole - head + bits);
            if (bits)
                form_bytes[at++] = 0;
        }
        memcpy(form_bytes + at, point + head, whole - head);
        put_bytes(&more, CKA_EC_POINT, form_bytes, at + whole - head);
        EXPECT(CKR_OK, import(pair->public_key, CKA_EC_POINT, more, &key));
        EXPECT(CKR_OK, sign(way, pair->private_key, text, 64, sig, &len));
        EXPECT(CKR_OK, verify(way, key, text, 64, len));
        a = (CK_ATTRIBUTE){ CKA_EC_POINT, form_bytes, sizeof form_bytes };
        REQUIRE(p11->C_GetAttributeValue(s, key, &a, 1));
        if (a.ulValueLen != whole || memcmp(form_bytes, point, whole) != 0)
            complain("%s: a point is shown in another form", way->key);
    }
    uint8_t seed[32];
    a = (CK_ATTRIBUTE){ CKA_SEED, seed, sizeof seed };
    struct list more = BOOLS(CKA_SIGN);
    CK_ULONG len = sizeof sig;
    REQUIRE(p11->C_GetAttributeValue(s, pair_of("ML-DSA-65")->private_key, &a, 1));
    put_bytes(&more, CKA_SEED, seed, sizeof seed);
    EXPECT(CKR_OK, import(pair_of("ML-DSA-65")->private_key, CKA_VALUE, more, &key));
    EXPECT(CKR_OK, sign(&mldsa, key, text, 9, sig, &len));
    EXPECT(CKR_OK, verify(&mldsa, pair_of("ML-DSA-65")->public_key, text, 9, len));
    tap(1, "points in other forms, and keys by their seeds");
}

int main(int argc, char **argv)
{
    const int is_quick = argc > 2 && !strcmp(argv[1], "--quick");
    module_begin(argv[argc - 1]);
    s = session_open();
    random_bytes(text, sizeof text);
    text[0] = 0; /* as a number it is below each modulus */
    make_pairs();
    check_signatures();
    check_contexts();
    check_long(is_quick);
    check_parameters();
    check_recovery();
    check_uses_of_pairs(is_quick);
    check_infos();
    check_incomplete();
    check_refusals();
    check_forms();
    session_close(s);
    module_end();
    return tap_done();
}
