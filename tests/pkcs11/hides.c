/* SPDX-License-Identifier: Apache-2.0 */
/* What the PKCS#11 module hides: SECURITY.md, "PKCS#11", of values and of what comes of a key.
 * Usage: hides MODULE */
#include "p11.h"

static CK_SESSION_HANDLE s;
static const uint8_t value[64] = "Thirty-two bytes that make a key, and some for longer keys: ...";
static CK_BYTE iv[16];
static CK_MECHANISM cbc_pad = { CKM_AES_CBC_PAD, iv, sizeof iv };

#define NOTHING ((struct list){ 0 })

/* ---- what comes of a key ---- */

static CK_RV unwrap_as(CK_OBJECT_HANDLE by, const CK_BYTE *wrapped, CK_ULONG len, struct list t,
                       CK_KEY_TYPE type, CK_OBJECT_HANDLE *key)
{
    put_secret(&t, type, NULL, 0);
    return p11->C_UnwrapKey(s, &cbc_pad, by, (CK_BYTE *)(uintptr_t)wrapped, len, pointed(&t), t.num,
                            key);
}

/* Wrapping a sensitive key and unwrapping the result must not show it, for any wrapping key whose
 * value the caller cannot see itself. */
static void test_unwrapped_hides(void)
{
    static const struct {
        const char *name;
        CK_ATTRIBUTE_TYPE bits[2];
        int hides;
    } wrapping[] = {
        { "sensitive", { CKA_SENSITIVE, CKA_EXTRACTABLE }, 1 },
        { "unextractable", { NOT(CKA_SENSITIVE), NOT(CKA_EXTRACTABLE) }, 1 },
        { "shown", { NOT(CKA_SENSITIVE), CKA_EXTRACTABLE }, 0 },
    };
    const CK_OBJECT_HANDLE key =
        key_of(s, CKK_AES, value, 32, BOOLS(CKA_SENSITIVE, CKA_EXTRACTABLE));
    for (size_t i = 0; i < COUNT_OF(wrapping); i++) {
        struct list uses = BOOLS(CKA_WRAP, CKA_UNWRAP), hides = bools_of(wrapping[i].bits, 2);
        put_all(&uses, &hides);
        const CK_OBJECT_HANDLE by = key_of(s, CKK_AES, value + 16, 32, uses);
        CK_BYTE wrapped[64], seen[64];
        CK_ULONG len = sizeof wrapped, seen_len = sizeof seen;
        CK_OBJECT_HANDLE made;
        REQUIRE(p11->C_WrapKey(s, &cbc_pad, by, key, wrapped, &len));
        const struct list open = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
        EXPECT(wrapping[i].hides ? CKR_TEMPLATE_INCONSISTENT : CKR_OK,
               unwrap_as(by, wrapped, len, open, CKK_AES, &made));
        REQUIRE(unwrap_as(by, wrapped, len, BOOLS(CKA_EXTRACTABLE), CKK_AES, &made));
        const int is_sensitive = wrapping[i].hides;
        if (get_bool(s, made, CKA_SENSITIVE) != is_sensitive ||
            get_bool(s, made, CKA_ALWAYS_SENSITIVE) != 0)
            complain("the unwrapped key has the wrong attributes");
        EXPECT(is_sensitive ? CKR_ATTRIBUTE_SENSITIVE : CKR_OK,
               get_value(s, made, seen, &seen_len));
        tap(1, "what a key that is %s unwraps is %s", wrapping[i].name,
            is_sensitive ? "sensitive" : "what its template says");
        destroy(s, made);
        destroy(s, by);
    }
    destroy(s, key);
}

/* A part of a key that can be tried out shows the key piece by piece. */
static void test_unwrapped_is_whole(void)
{
    const CK_OBJECT_HANDLE by = key_of(s, CKK_AES, value, 32, BOOLS(CKA_WRAP, CKA_UNWRAP)),
                           key = key_of(s, CKK_GENERIC_SECRET, value, 32, BOOLS(CKA_EXTRACTABLE));
    CK_BYTE wrapped[64];
    CK_ULONG len = sizeof wrapped;
    CK_OBJECT_HANDLE made;
    REQUIRE(p11->C_WrapKey(s, &cbc_pad, by, key, wrapped, &len));
    for (CK_ULONG part = 0; part <= 33; part++) {
        struct list t = NOTHING;
        put_number(&t, CKA_VALUE_LEN, part);
        if (part != 32 && unwrap_as(by, wrapped, len, t, CKK_GENERIC_SECRET, &made) == CKR_OK)
            complain("%lu bytes of 32 become a key", part);
    }
    static const CK_KEY_TYPE shorter[] = { CKK_DES, CKK_DES2, CKK_DES3 };
    for (size_t i = 0; i < COUNT_OF(shorter); i++)
        if (unwrap_as(by, wrapped, len, NOTHING, shorter[i], &made) == CKR_OK)
            complain("a part becomes a key of type 0x%lx", shorter[i]);
    struct list whole = NOTHING;
    put_number(&whole, CKA_VALUE_LEN, 32);
    EXPECT(CKR_OK, unwrap_as(by, wrapped, len, whole, CKK_GENERIC_SECRET, &made));
    EXPECT(CKR_OK, unwrap_as(by, wrapped, len, NOTHING, CKK_GENERIC_SECRET, &made));
    tap(1, "C_UnwrapKey makes no key of a part of another");
    destroy(s, by);
    destroy(s, key);
}

static CK_RV derive(CK_OBJECT_HANDLE base, CK_HKDF_PARAMS *hkdf, struct list t, CK_ULONG len,
                    CK_OBJECT_HANDLE *key)
{
    CK_MECHANISM mechanism = { CKM_HKDF_DERIVE, hkdf, sizeof *hkdf };
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    put_number(&t, CKA_VALUE_LEN, len);
    return p11->C_DeriveKey(s, &mechanism, base, pointed(&t), t.num, key);
}

static const CK_HKDF_PARAMS expand = { CK_FALSE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0,
                                       0,        NULL,    0 };

static void test_derived_hides(void)
{
    CK_HKDF_PARAMS hkdf = {
        CK_FALSE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0
    };
    static const struct {
        CK_ATTRIBUTE_TYPE base[2], wanted[2];
        CK_RV rv;
        int sensitive, extractable;
    } rows[] = {
        { { CKA_SENSITIVE, CKA_EXTRACTABLE }, { CKA_EXTRACTABLE, CKA_EXTRACTABLE }, CKR_OK, 1, 1 },
        { { CKA_SENSITIVE, CKA_EXTRACTABLE },
          { NOT(CKA_SENSITIVE), CKA_EXTRACTABLE },
          CKR_TEMPLATE_INCONSISTENT,
          0,
          0 },
        { { NOT(CKA_SENSITIVE), NOT(CKA_EXTRACTABLE) }, { CKA_SIGN, CKA_VERIFY }, CKR_OK, 0, 0 },
        { { NOT(CKA_SENSITIVE), NOT(CKA_EXTRACTABLE) },
          { CKA_EXTRACTABLE, CKA_SIGN },
          CKR_TEMPLATE_INCONSISTENT,
          0,
          0 },
        { { NOT(CKA_SENSITIVE), CKA_EXTRACTABLE }, { CKA_EXTRACTABLE, CKA_SIGN }, CKR_OK, 0, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct list t = bools_of(rows[i].base, 2);
        const CK_OBJECT_HANDLE base = key_of(s, CKK_HKDF, value, 32, t);
        CK_OBJECT_HANDLE made;
        struct list wanted =
            bools_of(rows[i].wanted, rows[i].wanted[1] == rows[i].wanted[0] ? 1 : 2);
        if (!EXPECT(rows[i].rv, derive(base, &hkdf, wanted, 32, &made)))
            complain("row %zu", i);
        else if (rows[i].rv == CKR_OK &&
                 (get_bool(s, made, CKA_SENSITIVE) != rows[i].sensitive ||
                  get_bool(s, made, CKA_EXTRACTABLE) != rows[i].extractable))
            complain("row %zu: the derived key has the wrong attributes", i);
        destroy(s, base);
    }
    tap(1, "what HKDF derives hides as much as the key");
}

static void test_derived_is_long(void)
{
    CK_HKDF_PARAMS hkdf = expand;
    const CK_OBJECT_HANDLE hidden = key_of(s, CKK_HKDF, value, 32, BOOLS(CKA_SENSITIVE)),
                           shown = key_of(s, CKK_HKDF, value, 32, BOOLS(CKA_EXTRACTABLE));
    CK_OBJECT_HANDLE made;
    for (CK_ULONG len = 1; len < 16; len++)
        EXPECT(CKR_KEY_SIZE_RANGE, derive(hidden, &hkdf, NOTHING, len, &made));
    EXPECT(CKR_OK, derive(hidden, &hkdf, NOTHING, 16, &made));
    EXPECT(CKR_OK, derive(shown, &hkdf, NOTHING, 1, &made));
    tap(1, "of a hidden key no secret is derived that is short enough to be tried out");
    destroy(s, hidden);
    destroy(s, shown);
}

static void test_salt(void)
{
    const CK_OBJECT_HANDLE hidden = key_of(s, CKK_HKDF, value, 32, BOOLS(CKA_SENSITIVE)),
                           shown = key_of(s, CKK_HKDF, value, 32, BOOLS(CKA_EXTRACTABLE)),
                           trusting = key_of(s, CKK_HKDF, value, 32,
                                             BOOLS(CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED));
    CK_OBJECT_HANDLE made;
    CK_HKDF_PARAMS salted = { CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_KEY, NULL, 0,
                              hidden,  NULL,    0 };
    const struct list open = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
    EXPECT(CKR_TEMPLATE_INCONSISTENT, derive(shown, &salted, open, 32, &made));
    salted.hSaltKey = shown;
    EXPECT(CKR_OK, derive(shown, &salted, open, 32, &made));
    tap(1, "what HKDF derives with a hidden key as its salt hides as much");
    salted.hSaltKey = trusting;
    EXPECT(CKR_TEMPLATE_INCONSISTENT,
           derive(shown, &salted, BOOLS(NOT(CKA_WRAP_WITH_TRUSTED)), 32, &made));
    for (int as_salt = 0; as_salt < 2; as_salt++) {
        salted.hSaltKey = as_salt ? trusting : shown;
        REQUIRE(derive(as_salt ? shown : trusting, &salted, NOTHING, 32, &made));
        if (get_bool(s, made, CKA_WRAP_WITH_TRUSTED) != 1)
            complain("CKA_WRAP_WITH_TRUSTED is lost");
    }
    salted.hSaltKey = shown;
    REQUIRE(derive(shown, &salted, NOTHING, 32, &made));
    if (get_bool(s, made, CKA_WRAP_WITH_TRUSTED) != 0)
        complain("CKA_WRAP_WITH_TRUSTED comes from nowhere");
    tap(1, "CKA_WRAP_WITH_TRUSTED stays with what HKDF derives");

    const CK_MECHANISM_TYPE ecb = CKM_AES_ECB;
    struct list limited = BOOLS(CKA_DERIVE, CKA_EXTRACTABLE);
    put_bytes(&limited, CKA_ALLOWED_MECHANISMS, &ecb, sizeof ecb);
    salted.hSaltKey = key_of(s, CKK_HKDF, value, 32, limited);
    if (derive(shown, &salted, open, 32, &made) == CKR_OK)
        complain("a salt that HKDF may not use");
    salted.hSaltKey = key_of(s, CKK_AES, value, 32, BOOLS(CKA_ENCRYPT, CKA_EXTRACTABLE));
    if (derive(shown, &salted, open, 32, &made) == CKR_OK)
        complain("a salt that is no key for derivation");
    tap(1, "the salt is a key that may derive, by HKDF");
}

/* ---- sensitive values ---- */

static void test_sensitive(void)
{
    static const struct {
        const char *name;
        CK_ATTRIBUTE_TYPE bits[2];
        int is_hidden;
    } rows[] = {
        { "sensitive", { CKA_SENSITIVE, CKA_EXTRACTABLE }, 1 },
        { "unextractable", { NOT(CKA_SENSITIVE), NOT(CKA_EXTRACTABLE) }, 1 },
        { "neither", { NOT(CKA_SENSITIVE), CKA_EXTRACTABLE }, 0 },
    };
    CK_MECHANISM sha256 = { CKM_SHA256, NULL, 0 };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CK_OBJECT_HANDLE key =
            key_of(s, CKK_GENERIC_SECRET, value + 32, 24, bools_of(rows[i].bits, 2));
        CK_BYTE seen[64] = { 0 };
        CK_ULONG len = sizeof seen;
        EXPECT(rows[i].is_hidden ? CKR_ATTRIBUTE_SENSITIVE : CKR_OK, get_value(s, key, seen, &len));
        if (rows[i].is_hidden != is_zero(seen, sizeof seen) ||
            (rows[i].is_hidden && len != CK_UNAVAILABLE_INFORMATION))
            complain("the value is shown, or is not");
        len = 0;
        EXPECT(rows[i].is_hidden ? CKR_ATTRIBUTE_SENSITIVE : CKR_OK, get_value(s, key, NULL, &len));
        struct list t = NOTHING;
        put_bytes(&t, CKA_VALUE, value + 32, 24);
        if (num_found(s, t) != (rows[i].is_hidden ? 0u : 1u))
            complain("C_FindObjects compares the value, or does not");
        REQUIRE(p11->C_DigestInit(s, &sha256));
        EXPECT(rows[i].is_hidden ? CKR_KEY_INDIGESTIBLE : CKR_OK, p11->C_DigestKey(s, key));
        (void)p11->C_DigestInit(s, NULL);
        tap(1, "the value of a key that is %s is %s", rows[i].name,
            rows[i].is_hidden ? "not given out, compared or digested" : "all that");
        destroy(s, key);
    }
}

static void test_history(void)
{
    CK_OBJECT_HANDLE key;
    REQUIRE(generate(s, CKM_AES_KEY_GEN, 16, BOOLS(CKA_SENSITIVE, CKA_EXTRACTABLE), &key));
    if (get_bool(s, key, CKA_LOCAL) != 1 || get_bool(s, key, CKA_ALWAYS_SENSITIVE) != 1 ||
        get_bool(s, key, CKA_NEVER_EXTRACTABLE) != 0)
        complain("of a generated key");
    REQUIRE(set(s, key, BOOLS(NOT(CKA_EXTRACTABLE))));
    if (get_bool(s, key, CKA_NEVER_EXTRACTABLE) != 0)
        complain("of a key that was extractable");
    destroy(s, key);
    key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_SENSITIVE, NOT(CKA_EXTRACTABLE)));
    if (get_bool(s, key, CKA_LOCAL) != 0 || get_bool(s, key, CKA_ALWAYS_SENSITIVE) != 0 ||
        get_bool(s, key, CKA_NEVER_EXTRACTABLE) != 0)
        complain("of a key that the caller knows");
    destroy(s, key);
    tap(1, "what a key always was is what it always was");
}

/* decrypt decrypts a ciphertext of AES-GCM whole, or in pieces, of which none may show anything. */
static CK_RV decrypt(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key, CK_BYTE *in, CK_ULONG len,
                     int pieces, CK_BYTE *out, CK_ULONG room)
{
    REQUIRE(p11->C_DecryptInit(s, mechanism, key));
    if (!pieces)
        return p11->C_Decrypt(s, in, len, out, &room);
    for (CK_ULONG at = 0; at < len; at += 40) {
        CK_ULONG given = room;
        REQUIRE(p11->C_DecryptUpdate(s, in + at, len - at < 40 ? len - at : 40, out, &given));
        if (given)
            complain("C_DecryptUpdate gives out %lu bytes", given);
    }
    return p11->C_DecryptFinal(s, out, &room);
}

static void test_no_text_before_the_tag(void)
{
    CK_BYTE nonce[12] = { 1 }, text[64] = "Attack at dawn, and not before: the tag says who",
            out[96], wrong[96], seen[96];
    CK_GCM_PARAMS gcm = { nonce, 12, 96, NULL, 0, 128 };
    CK_MECHANISM mechanism = { CKM_AES_GCM, &gcm, sizeof gcm };
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, NOTHING);
    CK_ULONG len = sizeof out;
    REQUIRE(p11->C_EncryptInit(s, &mechanism, key));
    REQUIRE(p11->C_Encrypt(s, text, 48, out, &len));
    for (int i = 0; i < 4; i++) {
        const int is_wrong = i & 1;
        memcpy(wrong, out, len);
        wrong[len - 1] ^= (CK_BYTE)is_wrong;
        memset(seen, 0xee, sizeof seen);
        EXPECT(is_wrong ? CKR_ENCRYPTED_DATA_INVALID : CKR_OK,
               decrypt(&mechanism, key, wrong, len, i / 2, seen, sizeof seen));
        int shows = 0;
        for (int k = 0; k < 48; k++)
            shows += seen[k] == text[k];
        if (is_wrong ? shows > 8 : shows != 48)
            complain("%d bytes of the text are there", shows);
    }
    tap(1, "no text of AES-GCM is given out before the tag was compared");
    destroy(s, key);
}

int main(int argc, char **argv)
{
    module_begin(argc > 1 ? argv[argc - 1] : "");
    s = session_open();
    test_unwrapped_hides();
    test_unwrapped_is_whole();
    test_derived_hides();
    test_derived_is_long();
    test_salt();
    test_sensitive();
    test_history();
    test_no_text_before_the_tag();
    session_close(s);
    module_end();
    return tap_done();
}
