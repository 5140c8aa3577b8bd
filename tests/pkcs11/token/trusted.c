/* SPDX-License-Identifier: Apache-2.0 */
/* CKA_TRUSTED, and CKA_WRAP_WITH_TRUSTED, which goes by it. */
#include "token.h"

static const uint8_t modulus_exponent[] = { 1, 0, 1 };

/* ---- who sets CKA_TRUSTED ---- */

static CK_RV create_trusted(int trusted, CK_OBJECT_HANDLE *key)
{
    struct list t = BOOLS(CKA_WRAP, NOT(CKA_PRIVATE));
    put_bool(&t, CKA_TRUSTED, trusted);
    put_secret(&t, CKK_AES, value, 16);
    return create(s, t, key);
}

static CK_RV create_certificate(int trusted, CK_OBJECT_HANDLE *object)
{
    struct list t = BOOLS(NOT(CKA_PRIVATE));
    put_bool(&t, CKA_TRUSTED, trusted);
    put_number(&t, CKA_CLASS, CKO_CERTIFICATE);
    put_number(&t, CKA_CERTIFICATE_TYPE, CKC_X_509);
    put_bytes(&t, CKA_SUBJECT, "0", 1);
    put_bytes(&t, CKA_VALUE, "0", 1);
    return create(s, t, object);
}

static CK_RV generate_trusted(int trusted, CK_OBJECT_HANDLE *key)
{
    struct list t = BOOLS(CKA_WRAP, NOT(CKA_PRIVATE));
    put_bool(&t, CKA_TRUSTED, trusted);
    return generate(s, CKM_AES_KEY_GEN, 16, t, key);
}

static CK_RV generate_pair(int trusted, CK_OBJECT_HANDLE *key)
{
    static const uint8_t p256[] = { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 };
    struct list public = BOOLS(CKA_VERIFY), private = BOOLS(CKA_SIGN, NOT(CKA_PRIVATE));
    CK_MECHANISM mechanism = { CKM_EC_KEY_PAIR_GEN, NULL, 0 };
    CK_OBJECT_HANDLE other;
    put_bool(&public, CKA_TRUSTED, trusted);
    put_bytes(&public, CKA_EC_PARAMS, p256, sizeof p256);
    return p11->C_GenerateKeyPair(s, &mechanism, pointed(&public), public.num, pointed(&private),
                                  private.num, key, &other);
}

static CK_RV unwrap_trusted(int trusted, CK_OBJECT_HANDLE *key)
{
    struct list t = BOOLS(CKA_WRAP, NOT(CKA_PRIVATE));
    CK_BYTE wrapped[64];
    CK_ULONG len = sizeof wrapped;
    const CK_OBJECT_HANDLE by = key_of(s, CKK_AES, value, 16,
                                       BOOLS(CKA_WRAP, CKA_UNWRAP, NOT(CKA_PRIVATE))),
                           known = key_of(s, CKK_AES, value, 32,
                                          BOOLS(CKA_EXTRACTABLE, NOT(CKA_PRIVATE)));
    REQUIRE(p11->C_WrapKey(s, &cbc_pad, by, known, wrapped, &len));
    put_bool(&t, CKA_TRUSTED, trusted);
    return unwrap_as(&cbc_pad, by, wrapped, len, t, CKK_AES, key);
}

static CK_RV derive_trusted(int trusted, CK_OBJECT_HANDLE *key)
{
    struct list t = BOOLS(CKA_WRAP, NOT(CKA_PRIVATE));
    CK_HKDF_PARAMS hkdf = { CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0 };
    CK_MECHANISM mechanism = { CKM_HKDF_DERIVE, &hkdf, sizeof hkdf };
    const CK_OBJECT_HANDLE base = key_of(s, CKK_HKDF, value, 32, BOOLS(NOT(CKA_PRIVATE)));
    put_bool(&t, CKA_TRUSTED, trusted);
    put_secret(&t, CKK_AES, NULL, 0);
    put_number(&t, CKA_VALUE_LEN, 16);
    return p11->C_DeriveKey(s, &mechanism, base, pointed(&t), t.num, key);
}

static CK_RV change_trusted(int trusted, CK_OBJECT_HANDLE *key)
{
    *key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_WRAP, NOT(CKA_PRIVATE)));
    return set(s, *key, trusted ? BOOLS(CKA_TRUSTED) : BOOLS(NOT(CKA_TRUSTED)));
}

static void test_who_trusts(void)
{
    static const struct {
        const char *name;
        CK_RV (*make)(int trusted, CK_OBJECT_HANDLE *key);
    } ways[] = {
        { "C_CreateObject of a key", create_trusted },
        { "C_CreateObject of a certificate", create_certificate },
        { "C_GenerateKey", generate_trusted },
        { "C_GenerateKeyPair", generate_pair },
        { "C_UnwrapKey", unwrap_trusted },
        { "C_DeriveKey", derive_trusted },
        { "C_SetAttributeValue", change_trusted },
    };
    static const CK_USER_TYPE users[] = { NOBODY, CKU_USER, CKU_SO };
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        for (size_t u = 0; u < COUNT_OF(users); u++) {
            CK_OBJECT_HANDLE key;
            const CK_RV wanted = users[u] == CKU_SO ? CKR_OK : CKR_ATTRIBUTE_READ_ONLY;
            become(users[u]);
            if (EXPECT(wanted, ways[i].make(1, &key)) && wanted == CKR_OK &&
                get_bool(s, key, CKA_TRUSTED) != 1)
                complain("the key is not trusted");
            if (EXPECT(CKR_OK, ways[i].make(0, &key)) && get_bool(s, key, CKA_TRUSTED) != 0)
                complain("a key is trusted that nobody trusts");
        }
        tap(1, "%s makes trusted what the security officer trusts, and nobody else", ways[i].name);
    }
    become(CKU_USER);
}

/* A trusted key stays so: a copy that is not, or a change, would unwrap without a mark what the
 * trusted key wraps. */
static void test_trust_stays(void)
{
    const CK_OBJECT_HANDLE by = trusted_key(CKK_AES, value, 16, BOOLS(CKA_WRAP, CKA_UNWRAP)),
                           marked = key_of(s, CKK_AES, value, 32,
                                           BOOLS(CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED));
    CK_OBJECT_HANDLE twin, made;
    CK_BYTE wrapped[64];
    CK_ULONG len = sizeof wrapped;
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, by, BOOLS(NOT(CKA_TRUSTED))));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, copy(s, by, BOOLS(NOT(CKA_TRUSTED)), &twin));
    REQUIRE(copy(s, by, NOTHING, &twin));
    if (get_bool(s, twin, CKA_TRUSTED) != 1)
        complain("the copy of a trusted key is not trusted");
    tap(1, "no change and no copy by the user takes CKA_TRUSTED away");
    EXPECT(CKR_OK, p11->C_WrapKey(s, &cbc_pad, by, marked, wrapped, &len));
    const CK_OBJECT_HANDLE by_all[] = { by, twin };
    for (size_t i = 0; i < COUNT_OF(by_all); i++) {
        EXPECT(CKR_TEMPLATE_INCONSISTENT,
               unwrap_as(&cbc_pad, by_all[i], wrapped, len, BOOLS(NOT(CKA_WRAP_WITH_TRUSTED)),
                         CKK_AES, &made));
        if (EXPECT(CKR_OK, unwrap_as(&cbc_pad, by_all[i], wrapped, len, NOTHING, CKK_AES, &made)) &&
            get_bool(s, made, CKA_WRAP_WITH_TRUSTED) != 1)
            complain("CKA_WRAP_WITH_TRUSTED is lost");
    }
    become(CKU_SO);
    EXPECT(CKR_OK, set(s, by, BOOLS(NOT(CKA_TRUSTED))));
    become(CKU_USER);
    if (EXPECT(CKR_OK, unwrap_as(&cbc_pad, by, wrapped, len, NOTHING, CKK_AES, &made)) &&
        get_bool(s, made, CKA_WRAP_WITH_TRUSTED) != 0)
        complain("CKA_WRAP_WITH_TRUSTED comes from nowhere");
    tap(1, "what a trusted key unwraps has CKA_WRAP_WITH_TRUSTED");
}

/* ---- CKA_WRAP_WITH_TRUSTED ---- */

static CK_RV wrap(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by, CK_OBJECT_HANDLE key)
{
    CK_BYTE out[512];
    CK_ULONG len = sizeof out;
    return p11->C_WrapKey(s, mechanism, by, key, out, &len);
}

/* expect_marked wraps two keys that differ in the mark, by two keys that differ in the trust. */
static void expect_marked(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE trusted,
                          CK_OBJECT_HANDLE untrusted, const char *name)
{
    const CK_OBJECT_HANDLE marked = key_of(s, CKK_AES, value, 32,
                                           BOOLS(CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED)),
                           free_key = key_of(s, CKK_AES, value, 32, BOOLS(CKA_EXTRACTABLE));
    EXPECT(CKR_OK, wrap(mechanism, trusted, marked));
    EXPECT(CKR_KEY_NOT_WRAPPABLE, wrap(mechanism, untrusted, marked));
    EXPECT(CKR_OK, wrap(mechanism, trusted, free_key));
    EXPECT(CKR_OK, wrap(mechanism, untrusted, free_key));
    EXPECT(CKR_OK, set(s, free_key, BOOLS(CKA_WRAP_WITH_TRUSTED)));
    EXPECT(CKR_KEY_NOT_WRAPPABLE, wrap(mechanism, untrusted, free_key));
    tap(1, "by %s, a key with CKA_WRAP_WITH_TRUSTED is wrapped by trusted keys only", name);
    destroy(s, marked);
    destroy(s, free_key);
}

static void test_wrap_with_trusted(void)
{
    CK_GCM_PARAMS gcm = { iv, 12, 96, NULL, 0, 128 };
    CK_MECHANISM mechanisms[] = { cbc_pad,
                                  { CKM_AES_KEY_WRAP, NULL, 0 },
                                  { CKM_AES_KEY_WRAP_KWP, NULL, 0 },
                                  { CKM_AES_GCM, &gcm, sizeof gcm } };
    static const char *const names[] = { "AES-CBC", "AES key wrap", "AES key wrap with padding",
                                         "AES-GCM" };
    const CK_OBJECT_HANDLE trusted = trusted_key(CKK_AES, value, 32, BOOLS(CKA_WRAP)),
                           untrusted = key_of(s, CKK_AES, value, 32, BOOLS(CKA_WRAP));
    for (size_t i = 0; i < COUNT_OF(mechanisms); i++)
        expect_marked(&mechanisms[i], trusted, untrusted, names[i]);
}

static void put_public(struct list *t, const uint8_t *modulus, size_t len)
{
    put_number(t, CKA_CLASS, CKO_PUBLIC_KEY);
    put_number(t, CKA_KEY_TYPE, CKK_RSA);
    put_bytes(t, CKA_MODULUS, modulus, len);
    put_bytes(t, CKA_PUBLIC_EXPONENT, modulus_exponent, sizeof modulus_exponent);
}

/* A stored public key that the officer trusts is what a user wraps by; without a login nobody
 * vouches for its file. */
static void test_stored_trust(void)
{
    CK_RSA_PKCS_OAEP_PARAMS oaep = { CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 0 };
    CK_MECHANISM mechanism = { CKM_RSA_PKCS_OAEP, &oaep, sizeof oaep };
    uint8_t modulus[256];
    CK_OBJECT_HANDLE keys[2], trusted = 0;
    random_bytes(modulus, sizeof modulus);
    modulus[0] |= 0x80;
    modulus[255] |= 1;
    for (int i = 0; i < 2; i++) {
        struct list t = BOOLS(CKA_WRAP, CKA_TOKEN);
        put_public(&t, modulus, sizeof modulus);
        REQUIRE(create(s, t, &keys[i]));
    }
    become(CKU_SO);
    EXPECT(CKR_OK, set(s, keys[0], BOOLS(CKA_TRUSTED)));
    become(CKU_USER);
    expect_marked(&mechanism, keys[0], keys[1], "RSA-OAEP");

    struct list is_trusted = BOOLS(CKA_TRUSTED), is_public = NOTHING;
    put_public(&is_public, modulus, sizeof modulus);
    new_process();
    if (num_found(s, is_trusted) != 0 || num_found(s, is_public) != 2)
        complain("a file is trusted before it is verified");
    become(CKU_USER);
    CK_ULONG num;
    REQUIRE(p11->C_FindObjectsInit(s, pointed(&is_trusted), is_trusted.num));
    REQUIRE(p11->C_FindObjects(s, &trusted, 1, &num));
    REQUIRE(p11->C_FindObjectsFinal(s));
    if (num != 1)
        complain("the trust of a stored key is lost");
    tap(1, "the trust of a stored key is in its file, and counts when a PIN has opened that");
    destroy(s, trusted);
}

/* expect_too_long gives a key a label for which its file has no room beside the value, which the
 * officer does not see. */
static void expect_too_long(CK_OBJECT_HANDLE key)
{
    static char label[65500];
    struct list t = { 0 };
    put_bytes(&t, CKA_LABEL, label, sizeof label);
    EXPECT(CKR_DEVICE_MEMORY, set(s, key, t));
    if (num_found(s, t))
        complain("a key has a label that its file does not have");
}

/* The officer does not see the value of a stored key, and must not lose it. */
static void test_officer_loses_nothing(void)
{
    struct list t = BOOLS(CKA_TOKEN, NOT(CKA_PRIVATE), CKA_ENCRYPT);
    CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 };
    CK_BYTE out[2][16];
    CK_ULONG len = 16;
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, t);
    REQUIRE(p11->C_EncryptInit(s, &ecb, key));
    REQUIRE(p11->C_Encrypt(s, iv, 16, out[0], &len));
    put_bytes(&t, CKA_LABEL, "trusted", 7);
    become(CKU_SO);
    CK_OBJECT_HANDLE found = 0;
    CK_ULONG num;
    struct list all = BOOLS(CKA_TOKEN, CKA_ENCRYPT);
    REQUIRE(p11->C_FindObjectsInit(s, pointed(&all), all.num));
    REQUIRE(p11->C_FindObjects(s, &found, 1, &num));
    REQUIRE(p11->C_FindObjectsFinal(s));
    if (num != 1)
        complain("the officer does not find the key");
    EXPECT(CKR_USER_NOT_LOGGED_IN, p11->C_EncryptInit(s, &ecb, found));
    EXPECT(CKR_OK, set(s, found, BOOLS(CKA_TRUSTED)));
    expect_too_long(found);
    new_process();
    become(CKU_USER);
    REQUIRE(p11->C_FindObjectsInit(s, pointed(&all), all.num));
    REQUIRE(p11->C_FindObjects(s, &found, 1, &num));
    REQUIRE(p11->C_FindObjectsFinal(s));
    if (get_bool(s, found, CKA_TRUSTED) != 1)
        complain("the key is not trusted");
    if (EXPECT(CKR_OK, p11->C_EncryptInit(s, &ecb, found))) {
        EXPECT(CKR_OK, p11->C_Encrypt(s, iv, 16, out[1], &len));
        if (memcmp(out[0], out[1], 16) != 0)
            complain("it is another key");
    }
    tap(1, "a stored key that the officer changes keeps its value");
    destroy(s, found);
}

void test_trusted(void)
{
    test_who_trusts();
    test_trust_stays();
    test_wrap_with_trusted();
    test_stored_trust();
    test_officer_loses_nothing();
}
