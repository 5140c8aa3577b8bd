/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of the PKCS#11 module: the sentences of SECURITY.md, "PKCS#11", on what keys may do,
 * with a control that shows that a refused call is refused for that reason.  hides.c has the
 * others.  Usage: policy MODULE */
#include "p11.h"

static CK_SESSION_HANDLE s;
static const uint8_t value[64] = "Thirty-two bytes that make a key, and some for longer keys: ...";
static CK_BYTE iv[16];
static CK_MECHANISM cbc_pad = { CKM_AES_CBC_PAD, iv, sizeof iv };

static const CK_ATTRIBUTE_TYPE secret_uses[] = { CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN,  CKA_VERIFY,
                                                 CKA_WRAP,    CKA_UNWRAP,  CKA_DERIVE };

#define NOTHING ((struct list){ 0 })

/* ---- one purpose ---- */

static void expect_uses(CK_OBJECT_HANDLE key, const CK_ATTRIBUTE_TYPE *uses, size_t num)
{
    for (size_t i = 0; i < COUNT_OF(secret_uses); i++) {
        int wanted = 0;
        for (size_t k = 0; k < num; k++)
            wanted |= uses[k] == secret_uses[i];
        if (get_bool(s, key, secret_uses[i]) != wanted)
            complain("attribute 0x%lx is not %d", secret_uses[i], wanted);
    }
}

static void test_one_purpose(void)
{
    static const struct {
        const char *name;
        CK_KEY_TYPE type;
        size_t len;
        CK_ATTRIBUTE_TYPE uses[2];
        size_t num;
    } types[] = {
        { "AES", CKK_AES, 16, { CKA_ENCRYPT, CKA_DECRYPT }, 2 },
        { "triple DES", CKK_DES3, 24, { CKA_ENCRYPT, CKA_DECRYPT }, 2 },
        { "Camellia", CKK_CAMELLIA, 32, { CKA_ENCRYPT, CKA_DECRYPT }, 2 },
        { "ChaCha20", CKK_CHACHA20, 32, { CKA_ENCRYPT, CKA_DECRYPT }, 2 },
        { "a generic secret", CKK_GENERIC_SECRET, 20, { CKA_SIGN, CKA_VERIFY }, 2 },
        { "HKDF", CKK_HKDF, 32, { CKA_DERIVE }, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const CK_OBJECT_HANDLE key = key_of(s, types[i].type, value, types[i].len, NOTHING);
        expect_uses(key, types[i].uses, types[i].num);
        tap(1, "a template without uses gives %s its one purpose", types[i].name);
        destroy(s, key);
    }
    for (size_t i = 0; i < COUNT_OF(secret_uses); i++) {
        const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, bools_of(&secret_uses[i], 1));
        expect_uses(key, &secret_uses[i], 1);
        destroy(s, key);
    }
    tap(1, "a template gets exactly the use that it names");
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, BOOLS(NOT(CKA_ENCRYPT)));
    expect_uses(key, (const CK_ATTRIBUTE_TYPE[]){ CKA_DECRYPT }, 1);
    tap(1, "a use that a template denies is not given");
    destroy(s, key);
}

/* What a key may do is what C_...Init lets it do. */
static void test_uses_are_enforced(void)
{
    CK_MECHANISM cmac = { CKM_AES_CMAC, NULL, 0 }, ecb = { CKM_AES_ECB, NULL, 0 };
    for (size_t i = 0; i < COUNT_OF(secret_uses); i++) {
        const CK_ATTRIBUTE_TYPE use = secret_uses[i];
        const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, bools_of(&use, 1));
        const CK_RV no = CKR_KEY_FUNCTION_NOT_PERMITTED;
        if (EXPECT(use == CKA_ENCRYPT ? CKR_OK : no, p11->C_EncryptInit(s, &ecb, key)) &&
            use == CKA_ENCRYPT)
            REQUIRE(p11->C_EncryptInit(s, NULL, 0));
        if (EXPECT(use == CKA_DECRYPT ? CKR_OK : no, p11->C_DecryptInit(s, &ecb, key)) &&
            use == CKA_DECRYPT)
            REQUIRE(p11->C_DecryptInit(s, NULL, 0));
        if (EXPECT(use == CKA_SIGN ? CKR_OK : no, p11->C_SignInit(s, &cmac, key)) &&
            use == CKA_SIGN)
            REQUIRE(p11->C_SignInit(s, NULL, 0));
        if (EXPECT(use == CKA_VERIFY ? CKR_OK : no, p11->C_VerifyInit(s, &cmac, key)) &&
            use == CKA_VERIFY)
            REQUIRE(p11->C_VerifyInit(s, NULL, 0));
        destroy(s, key);
    }
    tap(1, "a key does what its uses say, and nothing else");
}

/* ---- wrap and decrypt ---- */

/* test_either: a key that was generated for both does what it is used for first. */
static void test_either(void)
{
    CK_BYTE out[64] = { 0 };
    CK_ULONG len;
    const CK_OBJECT_HANDLE hidden = key_of(s, CKK_AES, value, 32, BOOLS(CKA_EXTRACTABLE));
    for (int wraps_first = 0; wraps_first < 2; wraps_first++) {
        struct list both = BOOLS(CKA_WRAP, CKA_DECRYPT);
        CK_OBJECT_HANDLE key, other;
        REQUIRE(generate(s, CKM_AES_KEY_GEN, 16, both, &key));
        EXPECT(CKR_ACTION_PROHIBITED, copy(s, key, BOOLS(NOT(CKA_WRAP)), &other));
        for (int i = 0; i < 2; i++) {
            const CK_RV wanted = i ? CKR_KEY_FUNCTION_NOT_PERMITTED : CKR_OK;
            if (wraps_first == i) {
                EXPECT(wanted, p11->C_DecryptInit(s, &cbc_pad, key));
            } else {
                len = sizeof out;
                EXPECT(wanted, p11->C_WrapKey(s, &cbc_pad, key, hidden, out, &len));
            }
        }
        if (!wraps_first) {
            len = sizeof out;
            (void)p11->C_Decrypt(s, out, 16, out, &len);
        }
        destroy(s, key);
    }
    destroy(s, hidden);
    tap(1, "a key generated for both CKA_WRAP and CKA_DECRYPT does the one that it does first");
}

static void test_wrap_and_decrypt(void)
{
    struct list both = BOOLS(CKA_WRAP, CKA_DECRYPT, CKA_TOKEN), fine = BOOLS(CKA_WRAP, CKA_UNWRAP);
    struct list as_created = both;
    CK_OBJECT_HANDLE key, wrapping, hidden;
    put_secret(&as_created, CKK_AES, value, 16);
    EXPECT(CKR_TEMPLATE_INCONSISTENT, create(s, as_created, &key));
    EXPECT(CKR_OK, generate(s, CKM_AES_KEY_GEN, 16, fine, &wrapping));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, generate(s, CKM_AES_KEY_GEN, 16, both, &key));
    tap(1, "no stored key is created or generated for both CKA_WRAP and CKA_DECRYPT");

    struct list as_unwrapped = both;
    CK_BYTE wrapped[64];
    CK_ULONG len = sizeof wrapped;
    hidden = key_of(s, CKK_AES, value, 32, BOOLS(CKA_EXTRACTABLE));
    REQUIRE(p11->C_WrapKey(s, &cbc_pad, wrapping, hidden, wrapped, &len));
    put_secret(&as_unwrapped, CKK_AES, NULL, 0);
    EXPECT(CKR_TEMPLATE_INCONSISTENT,
           p11->C_UnwrapKey(s, &cbc_pad, wrapping, wrapped, len, pointed(&as_unwrapped),
                            as_unwrapped.num, &key));
    put_secret(&fine, CKK_AES, NULL, 0);
    EXPECT(CKR_OK,
           p11->C_UnwrapKey(s, &cbc_pad, wrapping, wrapped, len, pointed(&fine), fine.num, &key));
    tap(1, "no stored key is unwrapped for both");

    struct list wraps = BOOLS(CKA_WRAP), decrypts = BOOLS(CKA_DECRYPT);
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, key, decrypts));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, copy(s, key, decrypts, &key));
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, hidden, wraps));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, copy(s, hidden, wraps, &key));
    tap(1, "no change and no copy adds the one to the other");
    destroy(s, wrapping);
    destroy(s, hidden);
}

static void test_wrapping_mechanisms(void)
{
    static const CK_MECHANISM_TYPE bad[] = { CKM_AES_ECB,      CKM_AES_CBC,      CKM_DES_ECB,
                                             CKM_DES_CBC,      CKM_DES3_ECB,     CKM_DES3_CBC,
                                             CKM_CAMELLIA_ECB, CKM_CAMELLIA_CBC, CKM_AES_CTR };
    const CK_OBJECT_HANDLE by = key_of(s, CKK_AES, value, 16, BOOLS(CKA_WRAP, CKA_UNWRAP)),
                           key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_EXTRACTABLE));
    CK_BYTE out[64];
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        CK_MECHANISM mechanism = { bad[i], iv, 16 };
        CK_ULONG len = sizeof out;
        CK_OBJECT_HANDLE made;
        struct list t = NOTHING;
        put_secret(&t, CKK_AES, NULL, 0);
        EXPECT(CKR_MECHANISM_INVALID, p11->C_WrapKey(s, &mechanism, by, key, out, &len));
        EXPECT(CKR_MECHANISM_INVALID,
               p11->C_UnwrapKey(s, &mechanism, by, out, 16, pointed(&t), t.num, &made));
    }
    CK_ULONG len = sizeof out;
    EXPECT(CKR_OK, p11->C_WrapKey(s, &cbc_pad, by, key, out, &len));
    tap(1, "nothing is wrapped by ECB, CTR, or CBC without padding");
    destroy(s, by);
    destroy(s, key);
}

/* ---- changes and copies ---- */

static void test_attributes_of_others(void)
{
    static const CK_ATTRIBUTE_TYPE lacks[] = { CKA_ENCRYPT, NOT(CKA_ENCRYPT), CKA_SENSITIVE,
                                               NOT(CKA_SENSITIVE) };
    CK_OBJECT_HANDLE data, other;
    struct list t = NOTHING;
    put_number(&t, CKA_CLASS, CKO_DATA);
    REQUIRE(create(s, t, &data));
    for (size_t i = 0; i < COUNT_OF(lacks); i++) {
        EXPECT(CKR_ATTRIBUTE_TYPE_INVALID, set(s, data, bools_of(&lacks[i], 1)));
        EXPECT(CKR_ATTRIBUTE_TYPE_INVALID, copy(s, data, bools_of(&lacks[i], 1), &other));
    }
    tap(1, "no change and no copy takes an attribute that the class of the object lacks");
}

static void test_changes(void)
{
    for (size_t i = 0; i < COUNT_OF(secret_uses); i++)
        for (size_t k = 0; k < COUNT_OF(secret_uses); k++) {
            const CK_OBJECT_HANDLE key =
                key_of(s, CKK_AES, value, 16, bools_of(&secret_uses[i], 1));
            EXPECT(i == k ? CKR_OK : CKR_ATTRIBUTE_READ_ONLY,
                   set(s, key, bools_of(&secret_uses[k], 1)));
            EXPECT(CKR_OK, set(s, key, BOOLS(NOT(secret_uses[k]))));
            if (get_bool(s, key, secret_uses[k]) != 0)
                complain("a use is still there");
            EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, key, bools_of(&secret_uses[k], 1)));
            destroy(s, key);
        }
    tap(1, "C_SetAttributeValue takes uses away and gives none");

    static const struct {
        CK_ATTRIBUTE_TYPE before, change;
        CK_RV rv;
    } rows[] = {
        { NOT(CKA_SENSITIVE), CKA_SENSITIVE, CKR_OK },
        { CKA_SENSITIVE, NOT(CKA_SENSITIVE), CKR_ATTRIBUTE_READ_ONLY },
        { CKA_EXTRACTABLE, NOT(CKA_EXTRACTABLE), CKR_OK },
        { NOT(CKA_EXTRACTABLE), CKA_EXTRACTABLE, CKR_ATTRIBUTE_READ_ONLY },
        { NOT(CKA_WRAP_WITH_TRUSTED), CKA_WRAP_WITH_TRUSTED, CKR_OK },
        { CKA_WRAP_WITH_TRUSTED, NOT(CKA_WRAP_WITH_TRUSTED), CKR_ATTRIBUTE_READ_ONLY },
        { CKA_COPYABLE, NOT(CKA_COPYABLE), CKR_OK },
        { NOT(CKA_COPYABLE), CKA_COPYABLE, CKR_ATTRIBUTE_READ_ONLY },
        { NOT(CKA_TOKEN), CKA_TOKEN, CKR_ATTRIBUTE_READ_ONLY },
        { CKA_DESTROYABLE, NOT(CKA_DESTROYABLE), CKR_ATTRIBUTE_READ_ONLY },
        { CKA_ENCRYPT, CKA_TRUSTED, CKR_ATTRIBUTE_READ_ONLY },
        { CKA_ENCRYPT, CKA_LOCAL, CKR_ATTRIBUTE_READ_ONLY },
        { CKA_ENCRYPT, CKA_ALWAYS_SENSITIVE, CKR_ATTRIBUTE_READ_ONLY },
        { NOT(CKA_MODIFIABLE), CKA_SENSITIVE, CKR_ACTION_PROHIBITED },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, bools_of(&rows[i].before, 1));
        const int before = get_bool(s, key, rows[i].change & ~NOT(0));
        if (!EXPECT(rows[i].rv, set(s, key, bools_of(&rows[i].change, 1))))
            complain("row %zu", i);
        if ((get_bool(s, key, rows[i].change & ~NOT(0)) != before) != (rows[i].rv == CKR_OK))
            complain("row %zu: the attribute is not what the result says", i);
        destroy(s, key);
    }
    tap(1, "keys become sensitive and unextractable, and never the reverse");

    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_EXTRACTABLE));
    struct list t = NOTHING;
    put_bytes(&t, CKA_VALUE, value + 1, 16);
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, key, t));
    t = NOTHING;
    put_bytes(&t, CKA_LABEL, "other", 5);
    put_bool(&t, CKA_WRAP, 1);
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, key, t));
    t.num = 1;
    if (num_found(s, t) != 0)
        complain("a refused change has changed the label");
    EXPECT(CKR_OK, set(s, key, t));
    if (num_found(s, t) != 1)
        complain("a change has not changed the label");
    tap(1, "a refused change changes nothing, and values do not change");
    destroy(s, key);
}

static void test_copies(void)
{
    static const struct {
        CK_ATTRIBUTE_TYPE before, change;
        CK_RV rv;
    } rows[] = {
        { CKA_SENSITIVE, NOT(CKA_SENSITIVE), CKR_TEMPLATE_INCONSISTENT },
        { NOT(CKA_SENSITIVE), CKA_SENSITIVE, CKR_OK },
        { NOT(CKA_EXTRACTABLE), CKA_EXTRACTABLE, CKR_TEMPLATE_INCONSISTENT },
        { CKA_EXTRACTABLE, NOT(CKA_EXTRACTABLE), CKR_OK },
        { CKA_WRAP_WITH_TRUSTED, NOT(CKA_WRAP_WITH_TRUSTED), CKR_TEMPLATE_INCONSISTENT },
        { NOT(CKA_WRAP_WITH_TRUSTED), CKA_WRAP_WITH_TRUSTED, CKR_OK },
        { CKA_ENCRYPT, CKA_TRUSTED, CKR_TEMPLATE_INCONSISTENT },
        { CKA_ENCRYPT, CKA_DECRYPT, CKR_TEMPLATE_INCONSISTENT },
        { CKA_ENCRYPT, CKA_WRAP, CKR_TEMPLATE_INCONSISTENT },
        { CKA_ENCRYPT, CKA_LOCAL, CKR_ATTRIBUTE_READ_ONLY },
        { CKA_ENCRYPT, CKA_ALWAYS_SENSITIVE, CKR_ATTRIBUTE_READ_ONLY },
        { CKA_ENCRYPT, CKA_NEVER_EXTRACTABLE, CKR_ATTRIBUTE_READ_ONLY },
        { NOT(CKA_COPYABLE), CKA_ENCRYPT, CKR_ACTION_PROHIBITED },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, bools_of(&rows[i].before, 1));
        CK_OBJECT_HANDLE second;
        if (!EXPECT(rows[i].rv, copy(s, key, bools_of(&rows[i].change, 1), &second)))
            complain("row %zu", i);
        destroy(s, key);
    }
    tap(1, "a copy has no use and shows nothing that the original does not");

    const CK_MECHANISM_TYPE ecb = CKM_AES_ECB, both[] = { CKM_AES_ECB, CKM_AES_CBC };
    struct list limited = BOOLS(CKA_ENCRYPT), wider = NOTHING;
    put_bytes(&limited, CKA_ALLOWED_MECHANISMS, &ecb, sizeof ecb);
    put_bytes(&wider, CKA_ALLOWED_MECHANISMS, both, sizeof both);
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, limited);
    CK_OBJECT_HANDLE second;
    CK_MECHANISM cbc = { CKM_AES_CBC, iv, sizeof iv }, is_ecb = { CKM_AES_ECB, NULL, 0 };
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, copy(s, key, wider, &second));
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, key, wider));
    REQUIRE(copy(s, key, NOTHING, &second));
    EXPECT(CKR_MECHANISM_INVALID, p11->C_EncryptInit(s, &cbc, second));
    if (EXPECT(CKR_OK, p11->C_EncryptInit(s, &is_ecb, second)))
        REQUIRE(p11->C_EncryptInit(s, NULL, 0));
    tap(1, "a copy has the original's CKA_ALLOWED_MECHANISMS");
    destroy(s, key);
    destroy(s, second);
}

/* ---- attributes that limit ---- */

static void test_limits(void)
{
    const CK_OBJECT_HANDLE by = key_of(s, CKK_AES, value, 32, BOOLS(CKA_WRAP)),
                           free_key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_EXTRACTABLE)),
                           fixed = key_of(s, CKK_AES, value, 16, BOOLS(NOT(CKA_EXTRACTABLE))),
                           trusting = key_of(s, CKK_AES, value, 16,
                                             BOOLS(CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED));
    CK_BYTE out[64];
    CK_ULONG len = sizeof out;
    EXPECT(CKR_OK, p11->C_WrapKey(s, &cbc_pad, by, free_key, out, &len));
    EXPECT(CKR_KEY_UNEXTRACTABLE, p11->C_WrapKey(s, &cbc_pad, by, fixed, out, &len));
    EXPECT(CKR_KEY_NOT_WRAPPABLE, p11->C_WrapKey(s, &cbc_pad, by, trusting, out, &len));
    tap(1, "CKA_EXTRACTABLE and CKA_WRAP_WITH_TRUSTED are honoured");

    struct list trusted = BOOLS(CKA_TRUSTED);
    CK_OBJECT_HANDLE key;
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, generate(s, CKM_AES_KEY_GEN, 16, trusted, &key));
    put_secret(&trusted, CKK_AES, value, 16);
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, create(s, trusted, &key));
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, by, BOOLS(CKA_TRUSTED)));
    tap(1, "only the security officer sets CKA_TRUSTED");

    const CK_MECHANISM_TYPE allowed[] = { CKM_AES_CBC, CKM_AES_ECB };
    CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 }, cbc = { CKM_AES_CBC, iv, sizeof iv },
                 cfb = { CKM_AES_CFB128, iv, sizeof iv };
    struct list limited = NOTHING;
    put_bytes(&limited, CKA_ALLOWED_MECHANISMS, allowed, sizeof allowed);
    key = key_of(s, CKK_AES, value, 16, limited);
    for (int round = 0; round < 2; round++) { /* the second finds what the first made */
        EXPECT(CKR_OK, p11->C_EncryptInit(s, &ecb, key));
        EXPECT(CKR_OK, p11->C_EncryptInit(s, NULL, 0));
        EXPECT(CKR_MECHANISM_INVALID, p11->C_EncryptInit(s, &cbc_pad, key));
        EXPECT(CKR_MECHANISM_INVALID, p11->C_EncryptInit(s, &cfb, key));
        EXPECT(CKR_OK, p11->C_EncryptInit(s, &cbc, key));
        EXPECT(CKR_OK, p11->C_EncryptInit(s, NULL, 0));
    }
    limited = NOTHING;
    put_bytes(&limited, CKA_ALLOWED_MECHANISMS, allowed, 0);
    key = key_of(s, CKK_AES, value, 16, limited);
    EXPECT(CKR_MECHANISM_INVALID, p11->C_EncryptInit(s, &ecb, key));
    tap(1, "CKA_ALLOWED_MECHANISMS is honoured, also when it is empty");
    destroy(s, by);
    destroy(s, free_key);
    destroy(s, fixed);
    destroy(s, trusting);
}

/* ---- CKA_ALLOWED_MECHANISMS, wherever a key is used ---- */

static CK_RV try_wrap(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by)
{
    CK_BYTE out[64];
    CK_ULONG len = sizeof out;
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_EXTRACTABLE));
    return p11->C_WrapKey(s, mechanism, by, key, out, &len);
}

static CK_RV try_unwrap(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by)
{
    CK_BYTE wrapped[24] = { 0 };
    CK_OBJECT_HANDLE key;
    struct list t = NOTHING;
    put_secret(&t, CKK_AES, NULL, 0);
    const CK_RV rv = p11->C_UnwrapKey(s, mechanism, by, wrapped, 24, pointed(&t), t.num, &key);
    return rv == CKR_WRAPPED_KEY_INVALID ? CKR_OK : rv; /* it was tried */
}

static CK_RV try_derive(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE base)
{
    CK_OBJECT_HANDLE key;
    struct list t = NOTHING;
    put_secret(&t, CKK_AES, NULL, 0);
    put_number(&t, CKA_VALUE_LEN, 16);
    return p11->C_DeriveKey(s, mechanism, base, pointed(&t), t.num, &key);
}

/* ended ends what a call has begun. */
static CK_RV ended(CK_RV rv, CK_C_SignInit begin)
{
    return rv == CKR_OK ? begin(s, NULL, 0) : rv;
}

#define TRY_INIT(name, call)                                         \
    static CK_RV name(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) \
    {                                                                \
        return ended(p11->call(s, mechanism, key), p11->call);       \
    }
TRY_INIT(try_encrypt, C_EncryptInit)
TRY_INIT(try_decrypt, C_DecryptInit)
TRY_INIT(try_sign, C_SignInit)
TRY_INIT(try_verify, C_VerifyInit)
TRY_INIT(try_message_encrypt, C_MessageEncryptInit)
TRY_INIT(try_message_decrypt, C_MessageDecryptInit)

static void test_allowed_mechanisms(void)
{
    CK_HKDF_PARAMS hkdf = { CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0 };
    CK_GCM_PARAMS gcm = { iv, 12, 96, NULL, 0, 128 };
    CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 }, cmac = { CKM_AES_CMAC, NULL, 0 },
                 kwp = { CKM_AES_KEY_WRAP_KWP, NULL, 0 },
                 by_gcm = { CKM_AES_GCM, &gcm, sizeof gcm },
                 by_hkdf = { CKM_HKDF_DERIVE, &hkdf, sizeof hkdf };
    const struct {
        const char *name;
        CK_ATTRIBUTE_TYPE use;
        CK_KEY_TYPE type;
        CK_MECHANISM *mechanism;
        CK_RV (*attempt)(CK_MECHANISM *, CK_OBJECT_HANDLE);
    } rows[] = {
        { "C_EncryptInit", CKA_ENCRYPT, CKK_AES, &ecb, try_encrypt },
        { "C_DecryptInit", CKA_DECRYPT, CKK_AES, &cbc_pad, try_decrypt },
        { "C_SignInit", CKA_SIGN, CKK_AES, &cmac, try_sign },
        { "C_VerifyInit", CKA_VERIFY, CKK_AES, &cmac, try_verify },
        { "C_MessageEncryptInit", CKA_ENCRYPT, CKK_AES, &by_gcm, try_message_encrypt },
        { "C_MessageDecryptInit", CKA_DECRYPT, CKK_AES, &by_gcm, try_message_decrypt },
        { "C_WrapKey", CKA_WRAP, CKK_AES, &kwp, try_wrap },
        { "C_UnwrapKey", CKA_UNWRAP, CKK_AES, &kwp, try_unwrap },
        { "C_DeriveKey", CKA_DERIVE, CKK_HKDF, &by_hkdf, try_derive },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int is_allowed = 0; is_allowed < 2; is_allowed++) {
            /* The next number is another mechanism of the same keys, or none. */
            const CK_MECHANISM_TYPE list[] = { CKM_AES_CTR,
                                               rows[i].mechanism->mechanism + !is_allowed };
            struct list t = bools_of(&rows[i].use, 1);
            put_bytes(&t, CKA_ALLOWED_MECHANISMS, list, sizeof list);
            const CK_OBJECT_HANDLE key = key_of(s, rows[i].type, value, 32, t);
            if (!EXPECT(is_allowed ? CKR_OK : CKR_MECHANISM_INVALID,
                        rows[i].attempt(rows[i].mechanism, key)))
                complain("%s", rows[i].name);
            destroy(s, key);
        }
    tap(1, "every call that uses a key honours its CKA_ALLOWED_MECHANISMS");
}

int main(int argc, char **argv)
{
    module_begin(argc > 1 ? argv[argc - 1] : "");
    s = session_open();
    test_one_purpose();
    test_uses_are_enforced();
    test_wrap_and_decrypt();
    test_either();
    test_wrapping_mechanisms();
    test_changes();
    test_attributes_of_others();
    test_copies();
    test_limits();
    test_allowed_mechanisms();
    session_close(s);
    module_end();
    return tap_done();
}
