/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption, wrapping, agreement and encapsulation by keys of the PKCS#11 module. */
#include "pk_pairs.h"

static CK_BYTE sig[2048], again[2048];

/* ---- encryption ---- */

static CK_RV crypt(CK_RV (*init)(CK_SESSION_HANDLE, CK_MECHANISM *, CK_OBJECT_HANDLE),
                   CK_RV (*whole)(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *),
                   CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key, CK_BYTE *in, CK_ULONG len,
                   CK_BYTE *out, CK_ULONG *out_len)
{
    const CK_RV rv = init(s, mechanism, key);
    return rv == CKR_OK ? whole(s, in, len, out, out_len) : rv;
}
#define ENCRYPT(...) crypt(p11->C_EncryptInit, p11->C_Encrypt, __VA_ARGS__)
#define DECRYPT(...) crypt(p11->C_DecryptInit, p11->C_Decrypt, __VA_ARGS__)

static void check_encryption(void)
{
    CK_RSA_PKCS_OAEP_PARAMS oaep[] = {
        { CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, NULL, 0 },
        { CKM_SHA256, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, (CK_BYTE *)"label", 5 },
    };
    CK_MECHANISM ways[] = { { CKM_RSA_PKCS, NULL, 0 },
                            { CKM_RSA_PKCS_OAEP, &oaep[0], sizeof oaep[0] },
                            { CKM_RSA_PKCS_OAEP, &oaep[1], sizeof oaep[1] } };
    const struct pair *pair = pair_of("RSA 2048");
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        CK_ULONG len = sizeof sig, out_len = 10;
        EXPECT(CKR_OK, ENCRYPT(&ways[i], pair->public_key, text, 60, sig, &len));
        EXPECT(CKR_BUFFER_TOO_SMALL,
               DECRYPT(&ways[i], pair->private_key, sig, len, again, &out_len));
        EXPECT(CKR_OK, p11->C_Decrypt(s, sig, len, again, &out_len));
        if (out_len != 60 || memcmp(again, text, 60))
            complain("way %zu: %lu bytes are decrypted", i, out_len);
        sig[50] ^= 1;
        out_len = sizeof again;
        EXPECT(i ? CKR_ENCRYPTED_DATA_INVALID : CKR_OK,
               DECRYPT(&ways[i], pair->private_key, sig, len, again, &out_len));
        EXPECT(CKR_ENCRYPTED_DATA_LEN_RANGE,
               DECRYPT(&ways[i], pair->private_key, sig, len - 1, again, &out_len));
        len = sizeof sig;
        EXPECT(CKR_DATA_LEN_RANGE, ENCRYPT(&ways[i], pair->public_key, text, 256, sig, &len));
    }
    tap(1, "RSA encrypts; bad padding of PKCS#1 is no error, of OAEP it is");
}

static void check_wrapping(void)
{
    const struct list public = template_of(&kinds[0]);
    struct list wraps = BOOLS(CKA_WRAP), unwraps = BOOLS(CKA_UNWRAP, NOT(CKA_SENSITIVE)), t = { 0 };
    struct pair pair;
    CK_MECHANISM mechanism = { CKM_RSA_PKCS, NULL, 0 };
    CK_OBJECT_HANDLE key = key_of(s, CKK_AES, text, 32, BOOLS(CKA_EXTRACTABLE)), back;
    CK_ULONG len = sizeof sig;
    put_all(&wraps, &public);
    REQUIRE(generate_pair(CKM_RSA_PKCS_KEY_PAIR_GEN, wraps, unwraps, &pair));
    EXPECT(CKR_OK, p11->C_WrapKey(s, &mechanism, pair.public_key, key, sig, &len));
    put_secret(&t, CKK_AES, NULL, 0);
    EXPECT(CKR_OK,
           p11->C_UnwrapKey(s, &mechanism, pair.private_key, sig, len, pointed(&t), t.num, &back));
    CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 };
    CK_BYTE a[16], b[16];
    CK_ULONG a_len = sizeof a, b_len = sizeof b;
    EXPECT(CKR_OK, ENCRYPT(&ecb, key, text, 16, a, &a_len));
    EXPECT(CKR_OK, ENCRYPT(&ecb, back, text, 16, b, &b_len));
    if (memcmp(a, b, 16))
        complain("another key is unwrapped");
    tap(1, "RSA wraps");
}

/* ---- private keys, wrapped as PKCS#8 ---- */

static const uint8_t known[32] = "a key that these tests know, too";
static CK_BYTE iv[16];
static CK_MECHANISM cbc_pad = { CKM_AES_CBC_PAD, iv, sizeof iv };

static CK_KEY_TYPE type_of(CK_OBJECT_HANDLE key)
{
    CK_KEY_TYPE type;
    CK_ATTRIBUTE a = { CKA_KEY_TYPE, &type, sizeof type };
    REQUIRE(p11->C_GetAttributeValue(s, key, &a, 1));
    return type;
}

static CK_RV unwrap_key(CK_OBJECT_HANDLE wrapping, CK_KEY_TYPE type, CK_BYTE *in, CK_ULONG len,
                        CK_OBJECT_HANDLE *key)
{
    struct list t = BOOLS(CKA_EXTRACTABLE);
    put_number(&t, CKA_CLASS, CKO_PRIVATE_KEY);
    put_number(&t, CKA_KEY_TYPE, type);
    return p11->C_UnwrapKey(s, &cbc_pad, wrapping, in, len, pointed(&t), t.num, key);
}

/* Changed bytes of what was wrapped give an error, or a key that is another one and good. */
static void check_hostile(CK_OBJECT_HANDLE wrapping, CK_OBJECT_HANDLE encrypts, CK_KEY_TYPE type,
                          CK_BYTE *plain, CK_ULONG len, int times)
{
    for (int i = 0; i < times; i++) {
        CK_BYTE changed[8192], wrapped[8192];
        CK_ULONG changed_len = len, wrapped_len = sizeof wrapped;
        CK_OBJECT_HANDLE key;
        memcpy(changed, plain, len);
        for (uint32_t n = 1 + random_below(3); n; n--) {
            const uint32_t at = random_below((uint32_t)(random_below(2) ? len
                                                        : len < 64      ? len
                                                                        : 64));
            const uint32_t bit = 1u << random_below(8);
            changed[at] = (CK_BYTE)(random_below(2) ? changed[at] ^ bit : random_below(256));
        }
        if (random_below(4) == 0)
            changed_len = random_below((uint32_t)len + 1);
        REQUIRE(ENCRYPT(&cbc_pad, encrypts, changed, changed_len, wrapped, &wrapped_len));
        if (unwrap_key(wrapping, type, wrapped, wrapped_len, &key) == CKR_OK)
            destroy(s, key);
    }
}

static void check_private(int quick)
{
    const CK_OBJECT_HANDLE wrapping = key_of(s, CKK_AES, known, 32, BOOLS(CKA_WRAP, CKA_UNWRAP)),
                           crypts = key_of(s, CKK_AES, known, 32, BOOLS(CKA_ENCRYPT, CKA_DECRYPT));
    for (size_t i = 0; i < NUM_KINDS; i++) {
        CK_BYTE wrapped[8192], second[8192], plain[8192];
        CK_ULONG len = sizeof wrapped, second_len = sizeof second, plain_len = sizeof plain;
        CK_OBJECT_HANDLE back, none;
        const CK_KEY_TYPE type = type_of(pairs[i].private_key);
        EXPECT(CKR_OK, p11->C_WrapKey(s, &cbc_pad, wrapping, pairs[i].private_key, wrapped, &len));
        if (!EXPECT(CKR_OK, unwrap_key(wrapping, type, wrapped, len, &back)))
            continue;
        EXPECT(CKR_OK, p11->C_WrapKey(s, &cbc_pad, wrapping, back, second, &second_len));
        if (len != second_len || memcmp(wrapped, second, len))
            complain("%s: another key is unwrapped", kinds[i].name);
        EXPECT(CKR_TEMPLATE_INCONSISTENT,
               unwrap_key(wrapping, type == CKK_DSA ? CKK_DH : CKK_DSA, wrapped, len, &none));
        EXPECT(CKR_OK, DECRYPT(&cbc_pad, crypts, wrapped, len, plain, &plain_len));
        check_hostile(wrapping, crypts, type, plain, plain_len, quick ? 40 : 400);
        destroy(s, back);
    }
    tap(1, "private keys are wrapped, and come back; changed ones spoil nothing");
}

/* ---- secrets ---- */

static CK_ULONG secret_of(CK_OBJECT_HANDLE key, uint8_t *out)
{
    CK_ULONG len = 256;
    EXPECT(CKR_OK, get_value(s, key, out, &len));
    return len;
}

static struct list secret_template(CK_ULONG len)
{
    struct list t = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    if (len)
        put_number(&t, CKA_VALUE_LEN, len);
    return t;
}

static CK_RV derive_by(CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key, CK_ULONG kdf,
                       const uint8_t *point, CK_ULONG point_len, CK_ULONG len,
                       CK_OBJECT_HANDLE *out)
{
    struct list t = secret_template(len);
    CK_ECDH1_DERIVE_PARAMS p = { kdf, kdf == CKD_NULL ? 0 : 4, kdf == CKD_NULL ? NULL : text,
                                 point_len, (CK_BYTE *)(uintptr_t)point };
    CK_MECHANISM mechanism = { type, &p, sizeof p };
    return p11->C_DeriveKey(s, &mechanism, key, pointed(&t), t.num, out);
}

static CK_RV derive(CK_OBJECT_HANDLE key, CK_ULONG kdf, const uint8_t *point, CK_ULONG point_len,
                    CK_ULONG len, CK_OBJECT_HANDLE *out)
{
    return derive_by(CKM_ECDH1_DERIVE, key, kdf, point, point_len, len, out);
}

static CK_ULONG point_of(const struct pair *pair, uint8_t *out, CK_ULONG room)
{
    CK_ATTRIBUTE a = { CKA_EC_POINT, out, room };
    REQUIRE(p11->C_GetAttributeValue(s, pair->public_key, &a, 1));
    return a.ulValueLen;
}

static void check_agreement(void)
{
    static const char *const names[] = { "P-256", "P-384", "P-521", "X25519" };
    static const CK_ULONG lens[] = { 0, 16, 20 },
                          kdfs[] = { CKD_NULL, CKD_SHA1_KDF, CKD_SHA256_KDF, CKD_SHA3_512_KDF };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct pair *a = pair_of(names[i]);
        struct pair b;
        size_t kind = (size_t)(a - pairs);
        REQUIRE(
            generate_pair(kinds[kind].generate, template_of(&kinds[kind]), BOOLS(CKA_DERIVE), &b));
        uint8_t of_a[160], of_b[160], x[256], y[256], whole[256] = { 0 };
        const CK_ULONG a_len = point_of(a, of_a, sizeof of_a), b_len = point_of(&b, of_b, 160);
        CK_ULONG whole_len = 0;
        /* the cofactor is 1, so both mechanisms agree; X25519 has its own way with its 8 */
        const CK_MECHANISM_TYPE other = i < 3 ? CKM_ECDH1_COFACTOR_DERIVE : CKM_ECDH1_DERIVE;
        for (size_t j = 0; j < COUNT_OF(lens) * COUNT_OF(kdfs); j++) {
            CK_OBJECT_HANDLE one, two;
            const CK_ULONG len = lens[j / COUNT_OF(kdfs)], kdf = kdfs[j % COUNT_OF(kdfs)];
            if (!EXPECT(CKR_OK, derive(a->private_key, kdf, of_b, b_len, len, &one)) ||
                !EXPECT(CKR_OK, derive_by(other, b.private_key, kdf, of_a, a_len, len, &two)))
                continue;
            const CK_ULONG x_len = secret_of(one, x), y_len = secret_of(two, y);
            if (x_len != y_len || memcmp(x, y, x_len) || (len && x_len != len))
                complain("%s: no common secret, %lu bytes", names[i], len);
            if (j == 0) {
                whole_len = x_len;
                memcpy(whole, x, x_len);
            } else if (kdf == CKD_NULL && memcmp(x, whole + whole_len - len, len) != 0) {
                complain("%s: %lu bytes are not the last ones", names[i], len);
            }
        }
        CK_OBJECT_HANDLE none;
        if (i == 3)
            EXPECT(CKR_KEY_TYPE_INCONSISTENT, derive_by(CKM_ECDH1_COFACTOR_DERIVE, a->private_key,
                                                        CKD_NULL, of_b, b_len, 0, &none));
        of_b[b_len - 3] ^= 1;
        if (kind < 7) /* any 32 bytes are a point of X25519 */
            EXPECT(CKR_PUBLIC_KEY_INVALID, derive(a->private_key, CKD_NULL, of_b, b_len, 0, &none));
        memset(of_b, 0, 32);
        EXPECT(CKR_PUBLIC_KEY_INVALID, derive(a->private_key, CKD_NULL, of_b, 32, 0, &none));
        EXPECT(CKR_MECHANISM_PARAM_INVALID, derive(a->private_key, 99, of_a, a_len, 0, &none));
    }
    tap(1, "agreement");
}

static void check_encapsulation(void)
{
    static const char *const names[] = { "ML-KEM-512", "ML-KEM-768", "ML-KEM-1024" };
    CK_MECHANISM mechanism = { CKM_ML_KEM, NULL, 0 };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct pair *pair = pair_of(names[i]);
        struct list t = secret_template(0);
        CK_ULONG len = 0;
        CK_OBJECT_HANDLE one, two, three;
        uint8_t x[256], y[256];
        EXPECT(CKR_OK, p11->C_EncapsulateKey(s, &mechanism, pair->public_key, pointed(&t), t.num,
                                             NULL, &len, &one));
        EXPECT(CKR_OK, p11->C_EncapsulateKey(s, &mechanism, pair->public_key, pointed(&t), t.num,
                                             sig, &len, &one));
        EXPECT(CKR_OK, p11->C_DecapsulateKey(s, &mechanism, pair->private_key, pointed(&t), t.num,
                                             sig, len, &two));
        if (secret_of(one, x) != 32 || secret_of(two, y) != 32 || memcmp(x, y, 32))
            complain("%s: no common secret", names[i]);
        sig[7] ^= 1;
        EXPECT(CKR_OK, p11->C_DecapsulateKey(s, &mechanism, pair->private_key, pointed(&t), t.num,
                                             sig, len, &three));
        if (secret_of(three, y) != 32 || !memcmp(x, y, 32))
            complain("%s: the secret of a changed ciphertext", names[i]);
        EXPECT(CKR_ENCRYPTED_DATA_LEN_RANGE,
               p11->C_DecapsulateKey(s, &mechanism, pair->private_key, pointed(&t), t.num, sig,
                                     len - 1, &three));
    }
    tap(1, "encapsulation");
}

void check_uses_of_pairs(int quick)
{
    check_encryption();
    check_wrapping();
    check_private(quick);
    check_agreement();
    check_encapsulation();
}
