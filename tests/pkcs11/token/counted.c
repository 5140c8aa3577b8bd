/* SPDX-License-Identifier: Apache-2.0 */
/* IVs that the module makes by counting: none comes twice under one key, in whatever session. */
#include "token.h"

static CK_MECHANISM gcm = { CKM_AES_GCM, NULL, 0 };

/* count encrypts a message, and returns what the call did; the IV begins with `fixed` bytes. */
static CK_RV count(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, size_t fixed, CK_BYTE out[12])
{
    CK_BYTE text[5] = "text", ciphertext[5], tag[16];
    CK_ULONG len = sizeof ciphertext;
    CK_GCM_MESSAGE_PARAMS p = { out, 12, 8 * fixed, CKG_GENERATE_COUNTER, tag, 128 };
    memset(out, 7, 12);
    REQUIRE(p11->C_MessageEncryptInit(session, &gcm, key));
    const CK_RV rv =
        p11->C_EncryptMessage(session, &p, sizeof p, NULL, 0, text, sizeof text, ciphertext, &len);
    REQUIRE(p11->C_MessageEncryptFinal(session));
    return rv;
}

/* expect_different counts in two sessions, by operations of their own. */
static void expect_different(CK_OBJECT_HANDLE key, size_t fixed)
{
    enum { NUM = 8 };
    CK_BYTE ivs[NUM][12];
    const CK_SESSION_HANDLE other = session_open();
    for (size_t i = 0; i < NUM; i++) {
        EXPECT(CKR_OK, count(i % 2 ? other : s, key, fixed, ivs[i]));
        for (size_t k = 0; k < fixed; k++)
            if (ivs[i][k] != 7)
                complain("byte %zu is not the caller's", k);
        for (size_t k = 0; k < i; k++)
            if (!memcmp(ivs[i], ivs[k], 12))
                complain("messages %zu and %zu have one IV", k, i);
    }
    session_close(other);
}

/* found returns the stored key. */
static CK_OBJECT_HANDLE found(void)
{
    struct list t = BOOLS(CKA_TOKEN, CKA_ENCRYPT);
    CK_OBJECT_HANDLE key = 0;
    CK_ULONG num;
    REQUIRE(p11->C_FindObjectsInit(s, pointed(&t), t.num));
    REQUIRE(p11->C_FindObjects(s, &key, 1, &num));
    REQUIRE(p11->C_FindObjectsFinal(s));
    return key;
}

/* The module forgets a private key at a logout, and reads it again from its file. */
static void test_logout(void)
{
    enum { NUM = 4 };
    CK_BYTE ivs[NUM][12];
    key_of(s, CKK_AES, value, 16, BOOLS(CKA_ENCRYPT, CKA_TOKEN));
    for (size_t i = 0; i < NUM; i++) {
        if (i == 2)
            new_process();
        become(CKU_USER);
        EXPECT(CKR_OK, count(s, found(), 4, ivs[i]));
        for (size_t k = 0; k < i; k++)
            if (!memcmp(ivs[i], ivs[k], 12))
                complain("logins %zu and %zu have one IV", k, i);
    }
    tap(1, "counted IVs of a stored key are different also after a logout, and after C_Finalize");
    destroy(s, found());
}

/* Copies of a session's key count for themselves, and so does the original then. */
static void test_copies(void)
{
    CK_BYTE ivs[3][12];
    CK_OBJECT_HANDLE made = 0;
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, BOOLS(CKA_ENCRYPT));
    EXPECT(CKR_OK, count(s, key, 0, ivs[0]));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, copy(s, key, BOOLS(CKA_DECRYPT), &made));
    EXPECT(CKR_OK, count(s, key, 3, ivs[1]));
    REQUIRE(copy(s, key, NOTHING, &made));
    for (size_t fixed = 0; fixed < 4; fixed++) {
        EXPECT(CKR_MECHANISM_PARAM_INVALID, count(s, made, fixed, ivs[2]));
        EXPECT(CKR_MECHANISM_PARAM_INVALID, count(s, key, fixed, ivs[2]));
    }
    EXPECT(CKR_OK, count(s, made, 4, ivs[2]));
    EXPECT(CKR_OK, count(s, key, 4, ivs[2]));
    tap(1, "and so it is under a key that has been copied, and under its copy");
    destroy(s, made);
    destroy(s, key);
}

void test_counted(void)
{
    CK_BYTE counted[12];
    struct list kept = BOOLS(CKA_ENCRYPT, CKA_TOKEN), ours = BOOLS(CKA_ENCRYPT);
    const CK_OBJECT_HANDLE of_session = key_of(s, CKK_AES, value, 16, ours),
                           stored = key_of(s, CKK_AES, value, 16, kept);
    expect_different(of_session, 0);
    expect_different(of_session, 4);
    tap(1, "counted IVs of one key are different, in all sessions");
    for (size_t fixed = 0; fixed < 4; fixed++)
        EXPECT(CKR_MECHANISM_PARAM_INVALID, count(s, stored, fixed, counted));
    expect_different(stored, 4);
    expect_different(stored, 11);
    tap(1, "under a stored key, at least 32 bits of a counted IV are the caller's");
    destroy(s, of_session);
    destroy(s, stored);
    test_copies();
    test_logout();
}
