/* SPDX-License-Identifier: Apache-2.0 */
/* Public key in the PKCS#11 module: pairs of every type that it makes sign, verify, encrypt,
 * derive and encapsulate by every mechanism, in one call and in pieces; a changed text or signature
 * is refused; keys that are made of another's attributes do the same; and what is refused.
 * pk_evp.c compares with another implementation.  Usage: pk [--quick] MODULE */
#include "pk_pairs.h"

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

int main(int argc, char **argv)
{
    module_begin(argv[argc - 1]);
    s = session_open();
    random_bytes(text, sizeof text);
    text[0] = 0; /* as a number it is below each modulus */
    make_pairs();
    check_signatures();
    check_contexts();
    check_recovery();
    check_uses_of_pairs();
    check_incomplete();
    session_close(s);
    module_end();
    return tap_done();
}
