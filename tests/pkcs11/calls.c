/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile callers of the PKCS#11 module: every function at the wrong time, with handles of nothing
 * and pointers to nothing; operations in every order; parameters of every length; templates that no
 * object can have.  Usage: calls MODULE */
#include "p11.h"

static const uint8_t value[64] = "The quick brown fox jumps over the lazy dog, and then once more";

#define NOTHING ((struct list){ 0 })

typedef CK_RV init_call(CK_SESSION_HANDLE, CK_MECHANISM *, CK_OBJECT_HANDLE);
typedef CK_RV text_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);
typedef CK_RV input_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG);

/* ---- every function ---- */

enum { NUM_WORDS = 10 };
typedef CK_RV (*any_function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                              uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static const struct {
    const char *name;
    size_t at;
} all[] = {
#define P11_FUNCTION(name) { #name, offsetof(functions, name) },
#define P11_FUNCTION_3_0(name) { #name, offsetof(functions, name) },
#define P11_FUNCTION_3_2(name) { #name, offsetof(functions, name) },
#include "../../bind/pkcs11/functions.def"
};

/* These need no session; the functions whose name begins with C_Get are of these only if listed. */
static const char *const of_no_session[] = {
    "C_Initialize",       "C_Finalize",     "C_GetInfo",          "C_GetFunctionList",
    "C_GetSlotList",      "C_GetSlotInfo",  "C_GetTokenInfo",     "C_GetMechanismList",
    "C_GetMechanismInfo", "C_InitToken",    "C_OpenSession",      "C_CloseAllSessions",
    "C_WaitForSlotEvent", "C_GetInterface", "C_GetInterfaceList",
};
static const char *const of_no_module[] = { "C_Initialize", "C_GetFunctionList", "C_GetInterface",
                                            "C_GetInterfaceList" };

static int is_in(const char *name, const char *const *list, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (!strcmp(list[i], name))
            return 1;
    return 0;
}
#define IS_IN(name, list) is_in(name, list, COUNT_OF(list))

/* call_with calls a function whose first argument is a word, and all others 0. */
static CK_RV call_with(size_t i, uintptr_t first)
{
    any_function function;
    memcpy(&function, (const char *)p11 + all[i].at, sizeof function);
    return function(first, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void test_not_initialized(const char *when)
{
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (!IS_IN(all[i].name, of_no_module)) {
            const CK_RV rv = call_with(i, 0);
            if (rv != CKR_CRYPTOKI_NOT_INITIALIZED)
                complain("%s: %s", all[i].name, rv_name(rv));
        }
    tap(1, "%s every function says that the module is not initialised", when);
}

static void test_no_session(CK_SESSION_HANDLE handle, const char *what)
{
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (!IS_IN(all[i].name, of_no_session)) {
            const CK_RV rv = call_with(i, handle);
            if (rv != CKR_SESSION_HANDLE_INVALID)
                complain("%s: %s", all[i].name, rv_name(rv));
        }
    tap(1, "every function refuses %s", what);
}

/* A session, and else only NULL and 0. */
static void test_null(void)
{
    static const char *const succeed[] = { "C_CloseSession", "C_FindObjectsInit",
                                           "C_GenerateRandom", "C_SessionCancel",
                                           "C_FindObjectsFinal" };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        if (IS_IN(all[i].name, of_no_session))
            continue;
        const CK_SESSION_HANDLE s = session_open();
        const CK_RV rv = call_with(i, s);
        if (rv == CKR_OK && !IS_IN(all[i].name, succeed))
            complain("%s succeeds", all[i].name);
        if (rv == CKR_GENERAL_ERROR || rv == CKR_DEVICE_ERROR)
            complain("%s: %s", all[i].name, rv_name(rv));
        (void)p11->C_CloseSession(s);
    }
    for (size_t i = 0; i < COUNT_OF(of_no_session); i++)
        for (size_t k = 0; k < COUNT_OF(all); k++)
            if (!strcmp(all[k].name, of_no_session[i]) && i > 1 && call_with(k, 0) == CKR_OK &&
                strcmp(all[k].name, "C_CloseAllSessions"))
                complain("%s succeeds", all[k].name);
    tap(1, "every function refuses NULL and 0 for all its arguments");
}

static void test_stale_sessions(void)
{
    const CK_SESSION_HANDLE s = session_open(), other = session_open();
    session_close(s);
    test_no_session(0, "the handle 0");
    test_no_session(CK_UNAVAILABLE_INFORMATION, "the largest handle");
    test_no_session(s, "a handle that was closed");
    test_no_session(other + 1, "a handle that never was");
    const CK_SESSION_HANDLE again = session_open();
    if (again == s)
        complain("a handle was given out twice");
    test_no_session(s, "a handle whose place another session has");
    session_close(again);
    session_close(other);
}

/* ---- the order of calls ---- */

enum state { NONE, READY, PIECES };
enum step { BEGIN, WHOLE, UPDATE, FINAL, CANCEL, NUM_STEPS };

static CK_SESSION_HANDLE s;
static CK_OBJECT_HANDLE aes, secret;
static CK_AES_CTR_PARAMS ctr = { .ulCounterBits = 128 };
static CK_MECHANISM by_ctr = { CKM_AES_CTR, &ctr, sizeof ctr }, by_sha = { CKM_SHA256, NULL, 0 },
                    by_hmac = { CKM_SHA256_HMAC, NULL, 0 };
static CK_BYTE text[32], out[64];
static CK_ULONG out_len;

static CK_RV encrypt_step(enum step step)
{
    out_len = sizeof out;
    return step == BEGIN    ? p11->C_EncryptInit(s, &by_ctr, aes)
           : step == WHOLE  ? p11->C_Encrypt(s, text, sizeof text, out, &out_len)
           : step == UPDATE ? p11->C_EncryptUpdate(s, text, sizeof text, out, &out_len)
           : step == FINAL  ? p11->C_EncryptFinal(s, out, &out_len)
                            : p11->C_EncryptInit(s, NULL, 0);
}

static CK_RV decrypt_step(enum step step)
{
    out_len = sizeof out;
    return step == BEGIN    ? p11->C_DecryptInit(s, &by_ctr, aes)
           : step == WHOLE  ? p11->C_Decrypt(s, text, sizeof text, out, &out_len)
           : step == UPDATE ? p11->C_DecryptUpdate(s, text, sizeof text, out, &out_len)
           : step == FINAL  ? p11->C_DecryptFinal(s, out, &out_len)
                            : p11->C_SessionCancel(s, CKF_DECRYPT) + CKR_OK;
}

static CK_RV digest_step(enum step step)
{
    out_len = sizeof out;
    return step == BEGIN    ? p11->C_DigestInit(s, &by_sha)
           : step == WHOLE  ? p11->C_Digest(s, text, sizeof text, out, &out_len)
           : step == UPDATE ? p11->C_DigestUpdate(s, text, sizeof text)
           : step == FINAL  ? p11->C_DigestFinal(s, out, &out_len)
                            : p11->C_DigestInit(s, NULL);
}

static CK_RV sign_step(enum step step)
{
    out_len = sizeof out;
    return step == BEGIN    ? p11->C_SignInit(s, &by_hmac, secret)
           : step == WHOLE  ? p11->C_Sign(s, text, sizeof text, out, &out_len)
           : step == UPDATE ? p11->C_SignUpdate(s, text, sizeof text)
           : step == FINAL  ? p11->C_SignFinal(s, out, &out_len)
                            : p11->C_SignInit(s, NULL, 0);
}

/* The signature is wrong; that it was compared is what the step has succeeded in. */
static CK_RV verify_step(enum step step)
{
    static CK_BYTE sig[32];
    const CK_RV rv = step == BEGIN    ? p11->C_VerifyInit(s, &by_hmac, secret)
                     : step == WHOLE  ? p11->C_Verify(s, text, sizeof text, sig, sizeof sig)
                     : step == UPDATE ? p11->C_VerifyUpdate(s, text, sizeof text)
                     : step == FINAL  ? p11->C_VerifyFinal(s, sig, sizeof sig)
                                      : p11->C_VerifyInit(s, NULL, 0);
    return rv == CKR_SIGNATURE_INVALID ? CKR_OK : rv;
}

/* expected returns the result of a step, and changes the state. */
static CK_RV expected(enum state *state, enum step step)
{
    if (step == BEGIN && *state != NONE)
        return CKR_OPERATION_ACTIVE;
    if (step != BEGIN && *state == NONE)
        return CKR_OPERATION_NOT_INITIALIZED;
    if (step == WHOLE && *state == PIECES)
        return CKR_OPERATION_ACTIVE;
    *state = step == BEGIN ? READY : step == UPDATE ? PIECES : NONE;
    return CKR_OK;
}

static void test_order(const char *name, CK_RV (*take)(enum step))
{
    static const char *const steps[] = { "init", "whole", "update", "final", "cancel" };
    enum { LENGTH = 4, ALL = NUM_STEPS * NUM_STEPS * NUM_STEPS * NUM_STEPS };
    for (int i = 0; i < ALL; i++) {
        enum state state = NONE;
        char sequence[80] = "";
        for (int k = 0, left = i; k < LENGTH; k++, left /= NUM_STEPS) {
            const enum step step = (enum step)(left % NUM_STEPS);
            /* C_SessionCancel succeeds where there is nothing to end */
            const int is_free = step == CANCEL && take == decrypt_step && state == NONE;
            const CK_RV wanted = is_free ? CKR_OK : expected(&state, step), rv = take(step);
            strcat(strcat(sequence, " "), steps[step]);
            if (rv != wanted)
                complain("%s:%s: %s", name, sequence, rv_name(rv));
        }
        (void)p11->C_SessionCancel(s, ~0ul);
    }
    tap(1, "all sequences of four calls: %s", name);
}

/* ---- results that have no room ---- */

/* A result for which there is too little room leaves the room as it is, and the operation too. */
static void test_no_room(void)
{
    static const struct {
        const char *name;
        CK_RV (*take)(enum step);
        CK_ULONG len;
    } rows[] = {
        { "encryption", encrypt_step, 32 },
        { "digest", digest_step, 32 },
        { "signature", sign_step, 32 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (CK_ULONG room = 0; room <= rows[i].len; room++) {
            CK_BYTE small[64], wanted[64];
            REQUIRE(rows[i].take(BEGIN));
            REQUIRE(rows[i].take(WHOLE));
            memcpy(wanted, out, sizeof wanted);
            memset(small, 0xee, sizeof small);
            REQUIRE(rows[i].take(BEGIN));
            CK_ULONG len = room;
            CK_RV rv = i == 0   ? p11->C_Encrypt(s, text, sizeof text, small, &len)
                       : i == 1 ? p11->C_Digest(s, text, sizeof text, small, &len)
                                : p11->C_Sign(s, text, sizeof text, small, &len);
            EXPECT(room < rows[i].len ? CKR_BUFFER_TOO_SMALL : CKR_OK, rv);
            if (len != rows[i].len)
                complain("%lu bytes are wanted", len);
            if (room == rows[i].len)
                break;
            for (size_t k = 0; k < sizeof small; k++)
                if (small[k] != 0xee && !complaints_suffice())
                    complain("byte %zu of a room for %lu is written", k, room);
            len = 0;
            rv = i == 0   ? p11->C_Encrypt(s, text, sizeof text, NULL, &len)
                 : i == 1 ? p11->C_Digest(s, text, sizeof text, NULL, &len)
                          : p11->C_Sign(s, text, sizeof text, NULL, &len);
            if (rv != CKR_OK || len != rows[i].len)
                complain("a question for the length: %s, %lu", rv_name(rv), len);
            EXPECT(CKR_OK, rows[i].take(WHOLE));
            if (memcmp(out, wanted, rows[i].len))
                complain("the result changes after a small room");
        }
        tap(1, "a room that is too small, or none, changes nothing: %s", rows[i].name);
    }
}

/* ---- parameters ---- */

/* fits tells whether a parameter of so many bytes, all zero, is one of this mechanism. */
static int fits(CK_MECHANISM_TYPE type, CK_ULONG len)
{
    switch (type) {
    case CKM_AES_CBC:
    case CKM_AES_CBC_PAD:
    case CKM_AES_CFB128:
        return len == 16;
    case CKM_AES_GMAC:
        return len > 0 && len <= 64;
    case CKM_AES_ECB:
    case CKM_AES_CMAC:
        return len == 0;
    default: /* zero is no counter, no length and no address */
        return 0;
    }
}

static void test_parameters(void)
{
    static const CK_MECHANISM_TYPE types[] = {
        CKM_AES_CBC, CKM_AES_CBC_PAD, CKM_AES_CFB128, CKM_AES_GMAC,         CKM_AES_ECB,
        CKM_AES_GCM, CKM_AES_CCM,     CKM_AES_CTR,    CKM_AES_CMAC_GENERAL, CKM_AES_CMAC,
    };
    const struct guarded page = guarded_new(4096);
    const struct list uses = BOOLS(CKA_ENCRYPT, CKA_SIGN);
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, uses);
    for (size_t i = 0; i < COUNT_OF(types); i++)
        for (CK_ULONG len = 0; len <= 100; len++) {
            CK_MECHANISM mechanism = { types[i], page.end - len, len };
            const int signs = types[i] == CKM_AES_GMAC || types[i] == CKM_AES_CMAC ||
                              types[i] == CKM_AES_CMAC_GENERAL;
            init_call *init = signs ? p11->C_SignInit : p11->C_EncryptInit;
            const CK_RV rv = init(s, &mechanism, key),
                        wanted = fits(types[i], len) ? CKR_OK : CKR_MECHANISM_PARAM_INVALID;
            if (rv != wanted)
                complain("0x%lx with %lu bytes: %s", types[i], len, rv_name(rv));
            mechanism.pParameter = NULL;
            (void)p11->C_SessionCancel(s, ~0ul);
            if (len && init(s, &mechanism, key) != CKR_MECHANISM_PARAM_INVALID)
                complain("0x%lx with %lu bytes at NULL", types[i], len);
        }
    tap(1, "parameters of every length, and read no further");
    destroy(s, key);
}

static void test_aead_parameters(void)
{
    static const CK_ULONG huge[] = { 65537, 1ul << 32, SIZE_MAX / 2, SIZE_MAX };
    CK_BYTE nonce[64] = { 0 };
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, value, 16, NOTHING);
    for (CK_ULONG tag = 0; tag <= 200; tag++) {
        CK_GCM_PARAMS gcm = { nonce, 12, 96, NULL, 0, tag };
        CK_MECHANISM mechanism = { CKM_AES_GCM, &gcm, sizeof gcm };
        const int is_fine = tag % 8 == 0 && tag >= 32 && tag <= 128;
        EXPECT(is_fine ? CKR_OK : CKR_MECHANISM_PARAM_INVALID,
               p11->C_EncryptInit(s, &mechanism, key));
        (void)p11->C_SessionCancel(s, ~0ul);
    }
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        CK_GCM_PARAMS rows[] = { { NULL, 12, 96, NULL, 0, 128 },
                                 { nonce, 0, 0, NULL, 0, 128 },
                                 { nonce, huge[i], 96, NULL, 0, 128 },
                                 { nonce, 12, 96, NULL, huge[i], 128 },
                                 { nonce, 12, 96, NULL, 0, huge[i] } };
        for (size_t k = 0; k < COUNT_OF(rows); k++) {
            CK_MECHANISM mechanism = { CKM_AES_GCM, &rows[k], sizeof rows[k] };
            if (!EXPECT(CKR_MECHANISM_PARAM_INVALID, p11->C_EncryptInit(s, &mechanism, key)))
                complain("row %zu, %lu", k, huge[i]);
            (void)p11->C_SessionCancel(s, ~0ul);
        }
    }
    tap(1, "tags, nonces and associated data of wrong and of huge lengths");
    destroy(s, key);
}

/* ---- templates ---- */

static CK_RV create_with(CK_ATTRIBUTE_TYPE type, const void *bytes, CK_ULONG len, int is_complete)
{
    struct list t = NOTHING;
    CK_OBJECT_HANDLE object;
    if (is_complete)
        put_secret(&t, CKK_AES, value, 16);
    put_bytes(&t, type, bytes, len);
    const CK_RV rv = create(s, t, &object);
    if (rv == CKR_OK)
        destroy(s, object);
    return rv;
}

static void test_templates(void)
{
    static uint8_t large[70000];
    const CK_ULONG number = CKO_SECRET_KEY;
    const CK_BBOOL yes = CK_TRUE;
    EXPECT(CKR_OK, create_with(CKA_LABEL, "label", 5, 1));
    EXPECT(CKR_OK, create_with(CKA_LABEL, NULL, 0, 1));
    EXPECT(CKR_ATTRIBUTE_VALUE_INVALID, create_with(CKA_LABEL, NULL, 5, 1));
    EXPECT(CKR_OK, create_with(CKA_LABEL, large, 20000, 1));
    EXPECT(CKR_ATTRIBUTE_VALUE_INVALID, create_with(CKA_LABEL, large, sizeof large, 1));
    EXPECT(CKR_ATTRIBUTE_VALUE_INVALID, create_with(CKA_LABEL, large, SIZE_MAX, 1));
    EXPECT(CKR_ATTRIBUTE_TYPE_INVALID, create_with(CKA_VENDOR_DEFINED | 5, "x", 1, 1));
    EXPECT(CKR_ATTRIBUTE_TYPE_INVALID, create_with(CK_UNAVAILABLE_INFORMATION, "x", 1, 1));
    EXPECT(CKR_ATTRIBUTE_TYPE_INVALID, create_with(CKA_MODULUS, "x", 1, 1));
    EXPECT(CKR_ATTRIBUTE_TYPE_INVALID, create_with(CKA_ENCAPSULATE, &yes, 1, 1));
    for (CK_ULONG len = 0; len < 20; len++) {
        EXPECT(len == 1 ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID,
               create_with(CKA_SENSITIVE, large, len, 1));
        EXPECT(len == 8 ? CKR_TEMPLATE_INCOMPLETE : CKR_ATTRIBUTE_VALUE_INVALID,
               create_with(CKA_CLASS, len == 8 ? (const void *)&number : large, len, 0));
        EXPECT(len % 8 ? CKR_ATTRIBUTE_VALUE_INVALID : CKR_OK,
               create_with(CKA_ALLOWED_MECHANISMS, large, len, 1));
    }
    tap(1, "attributes of every length, and those that are not known");

    EXPECT(CKR_TEMPLATE_INCONSISTENT, create_with(CKA_CLASS, &number, sizeof number, 1));
    EXPECT(CKR_TEMPLATE_INCONSISTENT, create_with(CKA_VALUE, value, 16, 1));
    struct list t = BOOLS(CKA_SENSITIVE, CKA_SENSITIVE);
    CK_OBJECT_HANDLE object;
    put_secret(&t, CKK_AES, value, 16);
    EXPECT(CKR_TEMPLATE_INCONSISTENT, create(s, t, &object));
    t = NOTHING;
    put_number(&t, CKA_CLASS, CKO_SECRET_KEY);
    EXPECT(CKR_TEMPLATE_INCOMPLETE, create(s, t, &object));
    put_number(&t, CKA_KEY_TYPE, CKK_AES);
    EXPECT(CKR_TEMPLATE_INCOMPLETE, create(s, t, &object));
    put_bytes(&t, CKA_VALUE, value, 17);
    EXPECT(CKR_ATTRIBUTE_VALUE_INVALID, create(s, t, &object));
    EXPECT(CKR_TEMPLATE_INCOMPLETE, create(s, NOTHING, &object));
    tap(1, "attributes that are there twice, or not at all");

    static CK_ATTRIBUTE many[100000];
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = (CK_ATTRIBUTE){ CKA_LABEL, large, 1 };
    static const CK_ULONG nums[] = { 1000, 65535, 65536, 65537, 100000 };
    for (size_t i = 0; i < COUNT_OF(nums); i++) {
        if (p11->C_CreateObject(s, many, nums[i], &object) == CKR_OK ||
            p11->C_FindObjectsInit(s, many, nums[i]) == CKR_OK ||
            p11->C_SetAttributeValue(s, aes, many, nums[i]) == CKR_OK)
            complain("%lu attributes", nums[i]);
        EXPECT(CKR_OK, p11->C_GetAttributeValue(s, aes, many, 0));
    }
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_CreateObject(s, NULL, 3, &object));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_GetAttributeValue(s, aes, NULL, 3));
    tap(1, "templates of 100,000 attributes, and at NULL");
}

/* An object as large as any can be is copied and changed as others are. */
static void test_large(void)
{
    static uint8_t large[65536], seen[65536];
    struct list t = NOTHING, label = NOTHING;
    CK_OBJECT_HANDLE object, second;
    CK_ULONG len = sizeof seen;
    random_bytes(large, sizeof large);
    put_number(&t, CKA_CLASS, CKO_DATA);
    put_bytes(&t, CKA_VALUE, large, sizeof large);
    put_bytes(&t, CKA_APPLICATION, large, 40000);
    put_bytes(&label, CKA_LABEL, large, 50000);
    REQUIRE(create(s, t, &object));
    EXPECT(CKR_OK, set(s, object, label));
    if (EXPECT(CKR_OK, copy(s, object, NOTHING, &second))) {
        EXPECT(CKR_OK, get_value(s, second, seen, &len));
        if (len != sizeof large || memcmp(seen, large, sizeof large) || num_found(s, label) != 2)
            complain("the copy is another");
        destroy(s, second);
    }
    destroy(s, object);
    tap(1, "objects with values of 65,536 bytes are changed and copied");
}

/* Texts and signatures at NULL that have a length, and lengths that no text has. */
static void test_lengths(void)
{
    static const CK_ULONG lens[] = { 1, 1ul << 31, 1ul << 32, SIZE_MAX / 4, SIZE_MAX };
    for (size_t i = 0; i < COUNT_OF(lens); i++) {
        text_call *const writes[] = {
            p11->C_Encrypt, p11->C_EncryptUpdate, p11->C_Decrypt,
            p11->C_Digest,  p11->C_Sign,          p11->C_DecryptUpdate,
        };
        input_call *const reads[] = { p11->C_DigestUpdate, p11->C_SignUpdate, p11->C_VerifyUpdate };
        for (size_t k = 0; k < COUNT_OF(writes) + COUNT_OF(reads); k++) {
            REQUIRE(encrypt_step(BEGIN));
            REQUIRE(decrypt_step(BEGIN));
            REQUIRE(digest_step(BEGIN));
            REQUIRE(sign_step(BEGIN));
            REQUIRE(verify_step(BEGIN));
            out_len = sizeof out;
            EXPECT(CKR_ARGUMENTS_BAD, k < COUNT_OF(writes)
                                          ? writes[k](s, NULL, lens[i], out, &out_len)
                                          : reads[k - COUNT_OF(writes)](s, NULL, lens[i]));
            REQUIRE(p11->C_SessionCancel(s, ~0ul));
        }
    }
    tap(1, "texts at NULL with a length");
}

int main(int argc, char **argv)
{
    void *library;
    const char *path = argc > 1 ? argv[argc - 1] : "";
    p11 = module_load(path, &library);
    if (!p11)
        return 1;
    test_not_initialized("before C_Initialize");
    module_begin(path);
    test_stale_sessions();
    test_null();
    s = session_open();
    aes = key_of(s, CKK_AES, value, 16, NOTHING);
    secret = key_of(s, CKK_GENERIC_SECRET, value, 20, NOTHING);
    test_order("encryption", encrypt_step);
    test_order("decryption", decrypt_step);
    test_order("digests", digest_step);
    test_order("signatures", sign_step);
    test_order("verification", verify_step);
    test_no_room();
    test_parameters();
    test_aead_parameters();
    test_templates();
    test_large();
    test_lengths();
    module_end();
    test_not_initialized("after C_Finalize");
    return tap_done();
}
