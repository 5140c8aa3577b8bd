/* SPDX-License-Identifier: Apache-2.0 */
/* Many sessions and many objects of the PKCS#11 module, their handles, and how they are found.
 * Usage: objects [--quick] MODULE */
#include "p11.h"

static CK_SESSION_HANDLE s;
static const uint8_t value[16] = "sixteen bytes...";

#define NOTHING ((struct list){ 0 })

static struct list labelled(const char *label, CK_ULONG id)
{
    static CK_ULONG ids[2];
    static unsigned next;
    struct list t = NOTHING;
    ids[next ^= 1] = id;
    put_bytes(&t, CKA_LABEL, label, strlen(label));
    put_bytes(&t, CKA_ID, &ids[next], sizeof id);
    return t;
}

static CK_RV new_data(CK_SESSION_HANDLE session, const char *label, CK_OBJECT_HANDLE *object)
{
    struct list t = NOTHING;
    put_number(&t, CKA_CLASS, CKO_DATA);
    if (label)
        put_bytes(&t, CKA_LABEL, label, strlen(label));
    return create(session, t, object);
}

static struct list by(CK_ATTRIBUTE_TYPE type, const void *bytes, size_t len)
{
    struct list t = NOTHING;
    put_bytes(&t, type, bytes, len);
    return t;
}

static struct list by_number(CK_ATTRIBUTE_TYPE type, CK_ULONG number)
{
    struct list t = NOTHING;
    put_number(&t, type, number);
    return t;
}

/* ---- sessions ---- */

static void test_sessions(int num)
{
    CK_SESSION_HANDLE *many = calloc((size_t)num, sizeof *many);
    CK_SESSION_INFO info;
    CK_TOKEN_INFO before, token;
    REQUIRE(p11->C_GetTokenInfo(0, &before));
    for (int i = 0; i < num; i++)
        many[i] = session_open();
    REQUIRE(p11->C_GetTokenInfo(0, &token));
    if (token.ulSessionCount - before.ulSessionCount != (CK_ULONG)num)
        complain("the token counts %lu sessions", token.ulSessionCount);
    CK_MECHANISM sha = { CKM_SHA256, NULL, 0 };
    for (int i = 0; i < num; i += 97)
        EXPECT(CKR_OK, p11->C_DigestInit(many[i], &sha));
    for (int i = 0; i < num; i += 2)
        session_close(many[i]);
    for (int i = 0; i < num; i++)
        EXPECT(i % 2 ? CKR_OK : CKR_SESSION_HANDLE_INVALID, p11->C_GetSessionInfo(many[i], &info));
    for (int i = 1; i < num; i += 2)
        session_close(many[i]);
    REQUIRE(p11->C_GetTokenInfo(0, &token));
    if (token.ulSessionCount != before.ulSessionCount)
        complain("the token still counts %lu sessions", token.ulSessionCount);
    tap(1, "%d sessions, each found by its handle, and by no other", num);
    free(many);
}

static void test_all_sessions(void)
{
    enum { MOST = 16384 };
    static CK_SESSION_HANDLE many[MOST + 1];
    int num = 0;
    CK_RV rv = CKR_OK;
    while (num <= MOST && rv == CKR_OK)
        rv = p11->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &many[num++]);
    EXPECT(CKR_SESSION_COUNT, rv);
    if (num < 10000)
        complain("only %d sessions", num);
    for (int i = 0; i < num - 1; i++)
        session_close(many[i]);
    session_close(session_open());
    tap(1, "when there is no place for a session, one that ends makes one");
}

/* ---- objects ---- */

static void test_handles(void)
{
    CK_OBJECT_HANDLE object, other;
    CK_ULONG size;
    REQUIRE(new_data(s, "a", &object));
    destroy(s, object);
    REQUIRE(new_data(s, "b", &other));
    if (other == object)
        complain("a handle was given out twice");
    const CK_OBJECT_HANDLE wrong[] = { 0, object, other + 1, other - 1, ~0ul, 1ul << 17 };
    CK_BYTE byte;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        CK_ATTRIBUTE a = { CKA_VALUE, &byte, 1 };
        CK_OBJECT_HANDLE copied;
        EXPECT(CKR_OBJECT_HANDLE_INVALID, p11->C_GetObjectSize(s, wrong[i], &size));
        EXPECT(CKR_OBJECT_HANDLE_INVALID, p11->C_GetAttributeValue(s, wrong[i], &a, 1));
        EXPECT(CKR_OBJECT_HANDLE_INVALID, p11->C_SetAttributeValue(s, wrong[i], &a, 0));
        EXPECT(CKR_OBJECT_HANDLE_INVALID, p11->C_CopyObject(s, wrong[i], NULL, 0, &copied));
        EXPECT(CKR_OBJECT_HANDLE_INVALID, p11->C_DestroyObject(s, wrong[i]));
        CK_MECHANISM cmac = { CKM_AES_CMAC, NULL, 0 };
        EXPECT(CKR_KEY_HANDLE_INVALID, p11->C_SignInit(s, &cmac, wrong[i]));
    }
    EXPECT(CKR_OK, p11->C_GetObjectSize(s, other, &size));
    destroy(s, other);
    tap(1, "handles of nothing, and of objects that were destroyed");
}

static void test_session_objects(void)
{
    const CK_SESSION_HANDLE owner = session_open();
    CK_OBJECT_HANDLE object;
    CK_ULONG size;
    REQUIRE(new_data(owner, "mine", &object));
    EXPECT(CKR_OK, p11->C_GetObjectSize(s, object, &size));
    session_close(owner);
    EXPECT(CKR_OBJECT_HANDLE_INVALID, p11->C_GetObjectSize(s, object, &size));
    if (num_found(s, by(CKA_LABEL, "mine", 4)))
        complain("it is still found");
    tap(1, "objects of a session end with it, and all sessions see them until then");
}

/* What another session destroys, or takes with it when it ends, is used until the operation ends,
 * and not after. */
static void test_destroyed_in_use(int ends)
{
    CK_BYTE mac[16], wanted[16];
    CK_ULONG len = sizeof mac;
    CK_MECHANISM cmac = { CKM_AES_CMAC, NULL, 0 };
    const CK_SESSION_HANDLE user = session_open(), owner = session_open();
    CK_OBJECT_HANDLE key = key_of(owner, CKK_AES, value, 16, BOOLS(CKA_SIGN));
    REQUIRE(p11->C_SignInit(user, &cmac, key));
    REQUIRE(p11->C_Sign(user, NULL, 0, wanted, &len));
    REQUIRE(p11->C_SignInit(user, &cmac, key));
    if (ends)
        session_close(owner);
    else
        destroy(owner, key);
    EXPECT(CKR_KEY_HANDLE_INVALID, p11->C_SignInit(s, &cmac, key));
    for (int i = 0; i < 1000; i++) /* others come to where it was */
        key = key_of(user, CKK_AES, wanted, 16, BOOLS(CKA_SIGN));
    EXPECT(CKR_OK, p11->C_Sign(user, NULL, 0, mac, &len));
    if (memcmp(mac, wanted, sizeof mac))
        complain("the operation goes on with another key");
    REQUIRE(p11->C_SignInit(user, &cmac, key));
    session_close(user);
    if (!ends)
        session_close(owner);
    tap(1, "an operation keeps its key when another session %s", ends ? "ends" : "destroys that");
}

/* ---- finding ---- */

static void test_find(CK_ULONG num)
{
    char label[32];
    const CK_ULONG before = num_found(s, NOTHING);
    const CK_SESSION_HANDLE owner = session_open();
    CK_OBJECT_HANDLE *keys = calloc(num, sizeof *keys);
    for (CK_ULONG i = 0; i < num; i++) {
        snprintf(label, sizeof label, "key %lu", i);
        keys[i] = key_of(owner, CKK_AES, value, 16, labelled(label, i));
    }
    for (CK_ULONG i = 0; i < num; i += num / 50) {
        snprintf(label, sizeof label, "key %lu", i);
        struct list t = by(CKA_LABEL, label, strlen(label));
        CK_OBJECT_HANDLE found[2];
        CK_ULONG found_num = 0;
        REQUIRE(p11->C_FindObjectsInit(s, pointed(&t), t.num));
        REQUIRE(p11->C_FindObjects(s, found, 2, &found_num));
        REQUIRE(p11->C_FindObjectsFinal(s));
        if (found_num != 1 || found[0] != keys[i])
            complain("%s: %lu objects", label, found_num);
        put_bytes(&t, CKA_ID, &i, sizeof i);
        put_number(&t, CKA_CLASS, CKO_SECRET_KEY);
        if (num_found(s, t) != 1 || num_found(s, by(CKA_ID, &i, sizeof i)) != 1)
            complain("%s is not found by its id", label);
        put_number(&t, CKA_KEY_TYPE, CKK_DES);
        if (num_found(s, t))
            complain("%s is found by what it is not", label);
    }
    if (num_found(s, NOTHING) != before + num ||
        num_found(s, by_number(CKA_CLASS, CKO_SECRET_KEY)) < num ||
        num_found(s, by_number(CKA_CLASS, CKO_CERTIFICATE)) ||
        num_found(s, by(CKA_LABEL, "key", 3)))
        complain("all, by class, or by a part of the label");
    REQUIRE(set(s, keys[0], by(CKA_LABEL, "renamed", 7)));
    REQUIRE(set(s, keys[0], by(CKA_ID, "", 0)));
    if (num_found(s, by(CKA_LABEL, "renamed", 7)) != 1 || num_found(s, by(CKA_LABEL, "key 0", 5)))
        complain("a changed label");
    destroy(s, keys[0]);
    session_close(owner);
    if (num_found(s, NOTHING) != before)
        complain("some are left");
    tap(1, "one of %lu objects by label, id and class", num);
    free(keys);
}

static void test_find_order(void)
{
    CK_OBJECT_HANDLE found[2];
    CK_ULONG num;
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_FindObjects(s, found, 2, &num));
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_FindObjectsFinal(s));
    EXPECT(CKR_OK, p11->C_FindObjectsInit(s, NULL, 0));
    EXPECT(CKR_OPERATION_ACTIVE, p11->C_FindObjectsInit(s, NULL, 0));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_FindObjects(s, NULL, 2, &num));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_FindObjects(s, found, 2, NULL));
    EXPECT(CKR_OK, p11->C_FindObjects(s, found, 0, &num));
    EXPECT(CKR_OK, p11->C_FindObjectsFinal(s));
    tap(1, "a search in the wrong order");
}

/* All places are used; none of the objects has a label, so that one list has all of them. */
static void test_full(CK_ULONG most)
{
    const CK_SESSION_HANDLE owner = session_open();
    CK_OBJECT_HANDLE object = 0, first = 0;
    CK_ULONG num = 0;
    CK_RV rv = CKR_OK;
    while (num < most && rv == CKR_OK && (rv = new_data(owner, NULL, &object)) == CKR_OK)
        if (!num++)
            first = object;
    if (most > 65536)
        EXPECT(CKR_DEVICE_MEMORY, rv);
    if (num < 60000 && num < most)
        complain("only %lu objects", num);
    if (num_found(s, NOTHING) < num)
        complain("not all are found");
    destroy(s, first);
    EXPECT(CKR_OK, new_data(owner, NULL, &object));
    session_close(owner);
    if (num_found(s, NOTHING))
        complain("some are left");
    EXPECT(CKR_OK, new_data(s, NULL, &object));
    destroy(s, object);
    tap(1, "%lu objects, and then no more", num);
}

/* Each session has used a key of its own, and one destroys all keys. */
static void test_held(int num)
{
    CK_SESSION_HANDLE *many = calloc((size_t)num, sizeof *many);
    CK_OBJECT_HANDLE *keys = calloc((size_t)num, sizeof *keys);
    CK_MECHANISM cmac = { CKM_AES_CMAC, NULL, 0 };
    CK_BYTE mac[16];
    for (int i = 0; i < num; i++) {
        many[i] = session_open();
        keys[i] = key_of(s, CKK_AES, value, 16, BOOLS(CKA_SIGN));
        CK_ULONG len = sizeof mac;
        REQUIRE(p11->C_SignInit(many[i], &cmac, keys[i]));
        if (i % 2)
            REQUIRE(p11->C_Sign(many[i], NULL, 0, mac, &len));
    }
    for (int i = 0; i < num; i++)
        destroy(s, keys[i]);
    for (int i = 0; i < num; i++)
        session_close(many[i]);
    if (num_found(s, NOTHING))
        complain("some are left");
    tap(1, "%d keys that other sessions have used are destroyed", num);
    free(many);
    free(keys);
}

int main(int argc, char **argv)
{
    const int is_quick = argc > 2 && !strcmp(argv[1], "--quick");
    module_begin(argc > 1 ? argv[argc - 1] : "");
    s = session_open();
    test_sessions(is_quick ? 1000 : 10000);
    if (!is_quick)
        test_all_sessions();
    test_handles();
    test_session_objects();
    test_destroyed_in_use(0);
    test_destroyed_in_use(1);
    test_find(1000);
    test_find_order();
    test_full(is_quick ? 5000 : 70000);
    test_held(is_quick ? 100 : 1000);
    session_close(s);
    module_end();
    return tap_done();
}
