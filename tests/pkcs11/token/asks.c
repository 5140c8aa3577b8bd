/* SPDX-License-Identifier: Apache-2.0 */
/* CKA_ALWAYS_AUTHENTICATE: C_Login(CKU_CONTEXT_SPECIFIC) before each operation.  The same calls
 * with a key that does not ask are the control. */
#include "token.h"

static const CK_ATTRIBUTE_TYPE all_uses[] = { CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN,  CKA_VERIFY,
                                              CKA_WRAP,    CKA_UNWRAP,  CKA_DERIVE };
static CK_BYTE nonce[12], text[16] = "sixteen bytes ..";
static CK_GCM_PARAMS gcm = { nonce, 12, 96, NULL, 0, 128 };
static CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 }, cmac = { CKM_AES_CMAC, NULL, 0 },
                    gcm_mechanism = { CKM_AES_GCM, &gcm, sizeof gcm };

static CK_OBJECT_HANDLE key_with(CK_KEY_TYPE type, const CK_ATTRIBUTE_TYPE *uses, size_t num,
                                 int asks)
{
    struct list t = bools_of(uses, num);
    put_bool(&t, CKA_PRIVATE, 1);
    put_bool(&t, CKA_ALWAYS_AUTHENTICATE, asks);
    return key_of(s, type, value, 16, t);
}

/* ---- operations that begin with one call and end with another ---- */

static CK_RV encrypt(void)
{
    CK_BYTE out[16];
    CK_ULONG len = sizeof out;
    return p11->C_Encrypt(s, text, 16, out, &len);
}

static CK_RV encrypt_pieces(void)
{
    CK_BYTE out[16];
    CK_ULONG len = sizeof out;
    const CK_RV rv = p11->C_EncryptUpdate(s, text, 16, out, &len);
    len = sizeof out;
    return rv == CKR_OK ? p11->C_EncryptFinal(s, out, &len) : rv;
}

static CK_RV decrypt(void)
{
    CK_BYTE out[16];
    CK_ULONG len = sizeof out;
    return p11->C_Decrypt(s, text, 16, out, &len);
}

static CK_RV decrypt_pieces(void)
{
    CK_BYTE out[16];
    CK_ULONG len = sizeof out;
    const CK_RV rv = p11->C_DecryptUpdate(s, text, 16, out, &len);
    len = sizeof out;
    return rv == CKR_OK ? p11->C_DecryptFinal(s, out, &len) : rv;
}

static CK_RV sign(void)
{
    CK_BYTE out[16];
    CK_ULONG len = sizeof out;
    return p11->C_Sign(s, text, 16, out, &len);
}

static CK_RV sign_pieces(void)
{
    CK_BYTE out[16];
    CK_ULONG len = sizeof out;
    CK_RV rv = CKR_OK;
    for (int i = 0; i < 3 && rv == CKR_OK; i++)
        rv = p11->C_SignUpdate(s, text, 5);
    if (rv == CKR_OK)
        rv = p11->C_SignFinal(s, NULL, &len);
    return rv == CKR_OK ? p11->C_SignFinal(s, out, &len) : rv;
}

static CK_RV sign_after_a_question(void)
{
    CK_ULONG len;
    const CK_RV rv = p11->C_Sign(s, text, 16, NULL, &len);
    return rv == CKR_OK ? sign() : rv;
}

/* verify returns CKR_OK for a MAC that is compared and wrong. */
static CK_RV verify(void)
{
    const CK_RV rv = p11->C_Verify(s, text, 16, text, 16);
    return rv == CKR_SIGNATURE_INVALID ? CKR_OK : rv;
}

/* messages encrypts two messages by one operation. */
static CK_RV messages(void)
{
    CK_BYTE tag[16], out[16];
    CK_ULONG len = sizeof out;
    CK_GCM_MESSAGE_PARAMS p = { nonce, 12, 0, CKG_NO_GENERATE, tag, 128 };
    CK_RV rv = CKR_OK;
    for (int i = 0; i < 2 && rv == CKR_OK; i++)
        rv = p11->C_EncryptMessage(s, &p, sizeof p, NULL, 0, text, 16, out, &len);
    const CK_RV end = p11->C_MessageEncryptFinal(s);
    return rv == CKR_OK ? end : rv;
}

static const struct operation {
    const char *name;
    CK_RV (*const *init)(CK_SESSION_HANDLE, CK_MECHANISM *, CK_OBJECT_HANDLE);
    CK_MECHANISM *mechanism;
    CK_RV (*use)(void);
} * operations;
static size_t num_operations;

static void find_operations(void)
{
    static struct operation list[] = {
        { "C_Encrypt", NULL, &ecb, encrypt },
        { "C_EncryptUpdate", NULL, &ecb, encrypt_pieces },
        { "C_Decrypt", NULL, &ecb, decrypt },
        { "C_DecryptUpdate", NULL, &ecb, decrypt_pieces },
        { "C_Sign", NULL, &cmac, sign },
        { "C_Sign after a question for the length", NULL, &cmac, sign_after_a_question },
        { "C_SignUpdate", NULL, &cmac, sign_pieces },
        { "C_Verify", NULL, &cmac, verify },
        { "C_EncryptMessage", NULL, &gcm_mechanism, messages },
    };
    list[0].init = list[1].init = &p11->C_EncryptInit;
    list[2].init = list[3].init = &p11->C_DecryptInit;
    list[4].init = list[5].init = list[6].init = &p11->C_SignInit;
    list[7].init = &p11->C_VerifyInit;
    list[8].init = &p11->C_MessageEncryptInit;
    operations = list;
    num_operations = COUNT_OF(list);
}

static void test_each_operation(void)
{
    const CK_OBJECT_HANDLE asks = key_with(CKK_AES, all_uses, 4, 1),
                           free_key = key_with(CKK_AES, all_uses, 4, 0);
    for (size_t i = 0; i < num_operations; i++) {
        const struct operation *o = &operations[i];
        EXPECT(CKR_OK, (*o->init)(s, o->mechanism, free_key));
        EXPECT(CKR_OPERATION_NOT_INITIALIZED, login_again(s, RIGHT_PIN));
        EXPECT(CKR_OK, o->use());
        for (int round = 0; round < 2; round++) { /* what was allowed once is not the next time */
            EXPECT(CKR_OK, (*o->init)(s, o->mechanism, asks));
            EXPECT(CKR_USER_NOT_LOGGED_IN, o->use());
            EXPECT(CKR_OPERATION_NOT_INITIALIZED, o->use());
            EXPECT(CKR_OPERATION_NOT_INITIALIZED, login_again(s, RIGHT_PIN));
            EXPECT(CKR_OK, (*o->init)(s, o->mechanism, asks));
            EXPECT(CKR_PIN_INCORRECT, login_again(s, WRONG_PIN));
            EXPECT(CKR_USER_NOT_LOGGED_IN, o->use());
            EXPECT(CKR_OK, (*o->init)(s, o->mechanism, asks));
            EXPECT(CKR_PIN_INCORRECT, login_again(s, WRONG_PIN));
            EXPECT(CKR_OK, login_again(s, RIGHT_PIN));
            EXPECT(CKR_OK, o->use());
        }
        tap(1, "with CKA_ALWAYS_AUTHENTICATE, %s wants a login each time", o->name);
    }
    destroy(s, asks);
    destroy(s, free_key);
}

/* One login serves one operation of one session. */
static void test_one_each(void)
{
    const CK_OBJECT_HANDLE key = key_with(CKK_AES, all_uses, 4, 1);
    const CK_SESSION_HANDLE other = session_open();
    EXPECT(CKR_OK, p11->C_SignInit(s, &cmac, key));
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, login_again(other, RIGHT_PIN));
    EXPECT(CKR_OK, p11->C_SignInit(other, &cmac, key));
    EXPECT(CKR_OK, login_again(other, RIGHT_PIN));
    EXPECT(CKR_USER_NOT_LOGGED_IN, sign());
    tap(1, "a login for another session's operation serves that only");
    session_close(other);

    EXPECT(CKR_OK, p11->C_SignInit(s, &cmac, key));
    EXPECT(CKR_OK, p11->C_EncryptInit(s, &ecb, key));
    EXPECT(CKR_OK, login_again(s, RIGHT_PIN));
    EXPECT(CKR_OK, encrypt());
    EXPECT(CKR_USER_NOT_LOGGED_IN, sign());
    EXPECT(CKR_OK, p11->C_EncryptInit(s, &ecb, key));
    EXPECT(CKR_OK, p11->C_SignInit(s, &cmac, key));
    EXPECT(CKR_OK, login_again(s, RIGHT_PIN));
    EXPECT(CKR_OK, login_again(s, RIGHT_PIN));
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, login_again(s, RIGHT_PIN));
    EXPECT(CKR_OK, encrypt());
    EXPECT(CKR_OK, sign());
    tap(1, "of two operations that wait, a login serves the one begun last");
    destroy(s, key);
}

/* ---- operations of one call, between which nobody can log in ---- */

static void test_one_call(void)
{
    CK_HKDF_PARAMS hkdf = { CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0 };
    CK_MECHANISM derivation = { CKM_HKDF_DERIVE, &hkdf, sizeof hkdf };
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_EXTRACTABLE));
    CK_BYTE wrapped[64];
    CK_ULONG len = sizeof wrapped;
    for (int asks = 0; asks < 2; asks++) {
        const CK_RV wanted = asks ? CKR_USER_NOT_LOGGED_IN : CKR_OK;
        const CK_OBJECT_HANDLE by = key_with(CKK_AES, all_uses + 4, 2, asks),
                               base = key_with(CKK_HKDF, all_uses + 6, 1, asks);
        CK_BYTE out[64];
        CK_ULONG out_len = sizeof out;
        CK_OBJECT_HANDLE made;
        struct list t = NOTHING;
        EXPECT(wanted, p11->C_WrapKey(s, &cbc_pad, by, key, out, &out_len));
        if (!asks) {
            memcpy(wrapped, out, sizeof wrapped);
            len = out_len;
        }
        EXPECT(wanted, unwrap_as(&cbc_pad, by, wrapped, len, NOTHING, CKK_AES, &made));
        put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
        put_number(&t, CKA_VALUE_LEN, 32);
        EXPECT(wanted, p11->C_DeriveKey(s, &derivation, base, pointed(&t), t.num, &made));
        destroy(s, by);
        destroy(s, base);
    }
    tap(1, "with CKA_ALWAYS_AUTHENTICATE, nothing is wrapped, unwrapped or derived");
    destroy(s, key);
}

/* ---- who may have such keys, and who is asked ---- */

static void test_private_only(void)
{
    CK_OBJECT_HANDLE key, other;
    struct list open = BOOLS(CKA_ALWAYS_AUTHENTICATE, NOT(CKA_PRIVATE)),
                fine = BOOLS(CKA_ALWAYS_AUTHENTICATE, CKA_PRIVATE);
    EXPECT(CKR_TEMPLATE_INCONSISTENT, generate(s, CKM_AES_KEY_GEN, 16, open, &key));
    REQUIRE(generate(s, CKM_AES_KEY_GEN, 16, fine, &key));
    EXPECT(CKR_ATTRIBUTE_READ_ONLY, set(s, key, BOOLS(NOT(CKA_ALWAYS_AUTHENTICATE))));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, copy(s, key, BOOLS(NOT(CKA_ALWAYS_AUTHENTICATE)), &other));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, copy(s, key, BOOLS(NOT(CKA_PRIVATE)), &other));
    REQUIRE(copy(s, key, NOTHING, &other));
    EXPECT(CKR_OK, p11->C_EncryptInit(s, &ecb, other));
    EXPECT(CKR_USER_NOT_LOGGED_IN, encrypt());
    tap(1, "CKA_ALWAYS_AUTHENTICATE is of private keys, and stays with them and their copies");
    destroy(s, key);
    destroy(s, other);
}

/* Who logs out, or tries too often, must log in first. */
static void test_logged_out(void)
{
    CK_SESSION_INFO info;
    CK_OBJECT_HANDLE key = key_with(CKK_AES, all_uses, 4, 1);
    REQUIRE(p11->C_SignInit(s, &cmac, key));
    become(NOBODY);
    EXPECT(CKR_USER_NOT_LOGGED_IN, login_again(s, RIGHT_PIN));
    become(CKU_SO);
    EXPECT(CKR_USER_NOT_LOGGED_IN, login_again(s, RIGHT_PIN));
    EXPECT(CKR_USER_NOT_LOGGED_IN, sign());
    become(CKU_USER);
    tap(1, "nobody is asked again who has not logged in");

    key = key_with(CKK_AES, all_uses, 4, 1);
    REQUIRE(p11->C_SignInit(s, &cmac, key));
    CK_RV rv = CKR_OK;
    for (int i = 0; i < 20 && rv != CKR_PIN_LOCKED; i++) {
        REQUIRE(p11->C_GetSessionInfo(s, &info));
        if (info.state != CKS_RW_USER_FUNCTIONS)
            complain("logged out after %d wrong PINs", i);
        rv = login_again(s, WRONG_PIN);
        EXPECT(rv == CKR_PIN_LOCKED ? rv : CKR_PIN_INCORRECT, rv);
    }
    EXPECT(CKR_PIN_LOCKED, rv);
    REQUIRE(p11->C_GetSessionInfo(s, &info));
    if (info.state != CKS_RW_PUBLIC_SESSION)
        complain("the session's state is %lu", info.state);
    EXPECT(CKR_USER_NOT_LOGGED_IN, sign());
    tap(1, "too many wrong PINs lock the PIN, and log the user out");
    become(CKU_SO);
    REQUIRE(p11->C_InitPIN(s, (CK_UTF8CHAR *)RIGHT_PIN, strlen(RIGHT_PIN)));
    become(CKU_USER);
}

void test_asks(void)
{
    find_operations();
    test_each_operation();
    test_one_each();
    test_one_call();
    test_private_only();
    test_logged_out();
}
