/* SPDX-License-Identifier: Apache-2.0 */
#include "p11.h"
#include <dlfcn.h>

const functions *p11;
static CK_SLOT_ID slot;

/* ---- the module ---- */

/* older returns the functions of a module that knows only 2.40. */
static const functions *older(void *library)
{
    static functions list;
    CK_C_GetFunctionList get = NULL;
    CK_FUNCTION_LIST *functions_2_40;
    *(void **)&get = dlsym(library, "C_GetFunctionList");
    if (!get || get(&functions_2_40) != CKR_OK)
        return NULL;
    memcpy(&list, functions_2_40, sizeof *functions_2_40);
    return &list;
}

const functions *module_load(const char *path, void **library)
{
    CK_C_GetInterface get = NULL;
    CK_INTERFACE *interface;
    CK_VERSION version = { 3, 2 };
    (void)setenv("HEADRACE_TOKEN", "/nonexistent", 0); /* not the token of who runs this */
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*library) {
        printf("# %s\n", dlerror());
        return NULL;
    }
    *(void **)&get = dlsym(*library, "C_GetInterface");
    if (get && get((CK_UTF8CHAR *)"PKCS 11", &version, &interface, 0) == CKR_OK)
        return interface->pFunctionList;
    return older(*library);
}

void module_begin(const char *path)
{
    void *library;
    CK_SLOT_ID slots[16];
    CK_ULONG num = COUNT_OF(slots);
    p11 = module_load(path, &library);
    if (!p11) {
        printf("Bail out! no module %s\n", path);
        exit(1);
    }
    REQUIRE(p11->C_Initialize(NULL));
    REQUIRE(p11->C_GetSlotList(CK_TRUE, slots, &num));
    slot = slots[0];
}

void module_end(void)
{
    REQUIRE(p11->C_Finalize(NULL));
}

CK_SESSION_HANDLE session_open(void)
{
    CK_SESSION_HANDLE session;
    REQUIRE(p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session));
    return session;
}

void session_close(CK_SESSION_HANDLE session)
{
    REQUIRE(p11->C_CloseSession(session));
}

int has_mechanism(CK_MECHANISM_TYPE type)
{
    CK_MECHANISM_INFO info;
    return p11->C_GetMechanismInfo(slot, type, &info) == CKR_OK;
}

/* ---- results ---- */

#define NAME(rv) \
    {            \
        rv, #rv  \
    }
static const struct {
    CK_RV rv;
    const char *name;
} names[] = {
    NAME(CKR_OK),
    NAME(CKR_HOST_MEMORY),
    NAME(CKR_SLOT_ID_INVALID),
    NAME(CKR_GENERAL_ERROR),
    NAME(CKR_FUNCTION_FAILED),
    NAME(CKR_ARGUMENTS_BAD),
    NAME(CKR_ATTRIBUTE_READ_ONLY),
    NAME(CKR_ATTRIBUTE_SENSITIVE),
    NAME(CKR_ATTRIBUTE_TYPE_INVALID),
    NAME(CKR_ATTRIBUTE_VALUE_INVALID),
    NAME(CKR_ACTION_PROHIBITED),
    NAME(CKR_DATA_INVALID),
    NAME(CKR_DATA_LEN_RANGE),
    NAME(CKR_DEVICE_ERROR),
    NAME(CKR_DEVICE_MEMORY),
    NAME(CKR_ENCRYPTED_DATA_INVALID),
    NAME(CKR_ENCRYPTED_DATA_LEN_RANGE),
    NAME(CKR_AEAD_DECRYPT_FAILED),
    NAME(CKR_FUNCTION_NOT_SUPPORTED),
    NAME(CKR_KEY_HANDLE_INVALID),
    NAME(CKR_KEY_SIZE_RANGE),
    NAME(CKR_KEY_TYPE_INCONSISTENT),
    NAME(CKR_KEY_INDIGESTIBLE),
    NAME(CKR_KEY_FUNCTION_NOT_PERMITTED),
    NAME(CKR_KEY_NOT_WRAPPABLE),
    NAME(CKR_KEY_UNEXTRACTABLE),
    NAME(CKR_MECHANISM_INVALID),
    NAME(CKR_MECHANISM_PARAM_INVALID),
    NAME(CKR_OBJECT_HANDLE_INVALID),
    NAME(CKR_OPERATION_ACTIVE),
    NAME(CKR_OPERATION_NOT_INITIALIZED),
    NAME(CKR_SESSION_HANDLE_INVALID),
    NAME(CKR_SESSION_COUNT),
    NAME(CKR_SIGNATURE_INVALID),
    NAME(CKR_SIGNATURE_LEN_RANGE),
    NAME(CKR_TEMPLATE_INCOMPLETE),
    NAME(CKR_TEMPLATE_INCONSISTENT),
    NAME(CKR_USER_NOT_LOGGED_IN),
    NAME(CKR_PIN_INCORRECT),
    NAME(CKR_PIN_LOCKED),
    NAME(CKR_WRAPPED_KEY_INVALID),
    NAME(CKR_WRAPPED_KEY_LEN_RANGE),
    NAME(CKR_WRAPPING_KEY_HANDLE_INVALID),
    NAME(CKR_UNWRAPPING_KEY_HANDLE_INVALID),
    NAME(CKR_BUFFER_TOO_SMALL),
    NAME(CKR_CRYPTOKI_NOT_INITIALIZED),
    NAME(CKR_CRYPTOKI_ALREADY_INITIALIZED),
};

const char *rv_name(CK_RV rv)
{
    static _Thread_local char number[32];
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].rv == rv)
            return names[i].name;
    snprintf(number, sizeof number, "0x%lx", (unsigned long)rv);
    return number;
}

int expect_rv(CK_RV expected, CK_RV rv, const char *call, int line)
{
    if (rv == expected)
        return 1;
    char was[64];
    snprintf(was, sizeof was, "%s", rv_name(rv));
    complain("line %d: %.120s: %s instead of %s", line, call, was, rv_name(expected));
    return 0;
}

void require_rv(CK_RV rv, const char *call, int line)
{
    if (rv == CKR_OK)
        return;
    tap(0, "what came before");
    printf("Bail out! line %d: %s: %s\n", line, call, rv_name(rv));
    exit(1);
}

/* ---- templates ---- */

void put_bytes(struct list *t, CK_ATTRIBUTE_TYPE type, const void *bytes, size_t len)
{
    t->list[t->num] = (CK_ATTRIBUTE){ type, (void *)(uintptr_t)bytes, len };
    t->owns[t->num++] = 0;
}

void put_number(struct list *t, CK_ATTRIBUTE_TYPE type, CK_ULONG number)
{
    t->numbers[t->num] = number;
    put_bytes(t, type, NULL, sizeof number);
    t->owns[t->num - 1] = 1;
}

void put_bool(struct list *t, CK_ATTRIBUTE_TYPE type, int value)
{
    t->bools[t->num] = value ? CK_TRUE : CK_FALSE;
    put_bytes(t, type, NULL, sizeof(CK_BBOOL));
    t->owns[t->num - 1] = 1;
}

void put_secret(struct list *t, CK_KEY_TYPE type, const void *value, size_t len)
{
    put_number(t, CKA_CLASS, CKO_SECRET_KEY);
    put_number(t, CKA_KEY_TYPE, type);
    if (value)
        put_bytes(t, CKA_VALUE, value, len);
}

void put_all(struct list *t, const struct list *more)
{
    for (CK_ULONG i = 0; i < more->num; i++) {
        t->list[t->num] = more->list[i];
        t->numbers[t->num] = more->numbers[i];
        t->bools[t->num] = more->bools[i];
        t->owns[t->num++] = more->owns[i];
    }
}

CK_ATTRIBUTE *pointed(struct list *t)
{
    for (CK_ULONG i = 0; i < t->num; i++)
        if (t->owns[i])
            t->list[i].pValue =
                t->list[i].ulValueLen == sizeof(CK_BBOOL) ? (void *)&t->bools[i] : &t->numbers[i];
    return t->list;
}

struct list bools_of(const CK_ATTRIBUTE_TYPE *types, size_t num)
{
    struct list t = { .num = 0 };
    for (size_t i = 0; i < num; i++)
        put_bool(&t, types[i] & ~NOT(0), !(types[i] & NOT(0)));
    return t;
}

/* ---- objects ---- */

CK_RV create(CK_SESSION_HANDLE session, struct list t, CK_OBJECT_HANDLE *object)
{
    return p11->C_CreateObject(session, pointed(&t), t.num, object);
}

CK_OBJECT_HANDLE key_of(CK_SESSION_HANDLE session, CK_KEY_TYPE type, const void *value, size_t len,
                        struct list more)
{
    CK_OBJECT_HANDLE key;
    put_secret(&more, type, value, len);
    REQUIRE(create(session, more, &key));
    return key;
}

CK_RV generate(CK_SESSION_HANDLE session, CK_MECHANISM_TYPE type, size_t len, struct list more,
               CK_OBJECT_HANDLE *key)
{
    CK_MECHANISM mechanism = { type, NULL, 0 };
    if (len)
        put_number(&more, CKA_VALUE_LEN, len);
    return p11->C_GenerateKey(session, &mechanism, pointed(&more), more.num, key);
}

CK_RV copy(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, struct list t, CK_OBJECT_HANDLE *out)
{
    return p11->C_CopyObject(session, object, pointed(&t), t.num, out);
}

CK_RV set(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, struct list t)
{
    return p11->C_SetAttributeValue(session, object, pointed(&t), t.num);
}

int get_bool(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type)
{
    CK_BBOOL value = 2;
    CK_ATTRIBUTE a = { type, &value, sizeof value };
    return p11->C_GetAttributeValue(session, object, &a, 1) == CKR_OK ? value : -1;
}

CK_RV get_value(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, void *out, CK_ULONG *len)
{
    CK_ATTRIBUTE a = { CKA_VALUE, out, *len };
    const CK_RV rv = p11->C_GetAttributeValue(session, object, &a, 1);
    *len = a.ulValueLen;
    return rv;
}

CK_ULONG num_found(CK_SESSION_HANDLE session, struct list t)
{
    CK_OBJECT_HANDLE handles[64];
    CK_ULONG all = 0, num;
    REQUIRE(p11->C_FindObjectsInit(session, pointed(&t), t.num));
    do {
        REQUIRE(p11->C_FindObjects(session, handles, COUNT_OF(handles), &num));
        all += num;
    } while (num);
    REQUIRE(p11->C_FindObjectsFinal(session));
    return all;
}

void destroy(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object)
{
    REQUIRE(p11->C_DestroyObject(session, object));
}
