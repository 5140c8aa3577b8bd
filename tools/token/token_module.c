/* SPDX-License-Identifier: Apache-2.0 */
/* The module, which is loaded by its path; its slots and its errors. */
#define _GNU_SOURCE
#include "../../cli/module.h"
#include "token.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

CK_FUNCTION_LIST *token_module;
static bool is_begun;

/* ---- errors ---- */

static const struct {
    CK_RV rv;
    const char *text;
} errors[] = {
    { CKR_HOST_MEMORY, "not enough memory" },
    { CKR_GENERAL_ERROR, "the module failed" },
    { CKR_FUNCTION_FAILED, "the module failed" },
    { CKR_ARGUMENTS_BAD, "the module does not take these arguments" },
    { CKR_ATTRIBUTE_READ_ONLY, "the token sets an attribute of this object by itself" },
    { CKR_ATTRIBUTE_TYPE_INVALID, "the token does not know an attribute of this object" },
    { CKR_ATTRIBUTE_VALUE_INVALID, "the token does not take such a key or certificate" },
    { CKR_TEMPLATE_INCOMPLETE, "the token wants more attributes of such an object" },
    { CKR_TEMPLATE_INCONSISTENT, "the token does not allow this combination of attributes" },
    { CKR_KEY_SIZE_RANGE, "the token does not take keys of this length" },
    { CKR_CURVE_NOT_SUPPORTED, "the token does not know the curve" },
    { CKR_DEVICE_ERROR, "the token failed" },
    { CKR_DEVICE_MEMORY, "the token is full" },
    { CKR_DEVICE_REMOVED, "the token was taken away, or initialised by another program" },
    { CKR_FUNCTION_NOT_SUPPORTED, "the module cannot do that" },
    { CKR_ACTION_PROHIBITED, "the token forbids it" },
    { CKR_OBJECT_HANDLE_INVALID, "the object is gone" },
    { CKR_PIN_INCORRECT, "wrong PIN" },
    { CKR_PIN_INVALID, "the token does not take this PIN" },
    { CKR_PIN_LEN_RANGE, "the PIN is too short or too long" },
    { CKR_PIN_EXPIRED, "the PIN has expired" },
    { CKR_PIN_LOCKED, "the PIN is locked after too many wrong ones" },
    { CKR_PIN_TOO_WEAK, "the PIN is too weak" },
    { CKR_SESSION_EXISTS, "another program uses the token" },
    { CKR_SESSION_READ_ONLY, "the token can only be read" },
    { CKR_SLOT_ID_INVALID, "there is no such slot" },
    { CKR_TOKEN_NOT_PRESENT, "the slot has no token" },
    { CKR_TOKEN_NOT_RECOGNIZED, "the token's files are damaged" },
    { CKR_TOKEN_WRITE_PROTECTED, "the token can only be read" },
    { CKR_TOKEN_NOT_INITIALIZED, "the token is not initialised: headrace token init" },
    { CKR_USER_NOT_LOGGED_IN, "the token wants a PIN first" },
    { CKR_USER_PIN_NOT_INITIALIZED, "the user has no PIN yet: headrace token pin --reset" },
    { CKR_CRYPTOKI_ALREADY_INITIALIZED, "the module is in use in this process" },
};

int token_says(const char *what, CK_RV rv)
{
    for (size_t i = 0; i < COUNT(errors); i++)
        if (errors[i].rv == rv)
            return tool_error("%s: %s", what, errors[i].text);
    return tool_error("%s: the module's error 0x%lx", what, rv);
}

/* ---- the module ---- */

int token_begin(void)
{
    char path[PATH_MAX];
    const char *name = token_settings.module ? token_settings.module : path;
    CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };
    if (!token_settings.module)
        module_find_pkcs11(path);                     /* if there is none, dlopen says so */
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); /* a core dump would contain PINs and keys */
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return tool_error("%s", dlerror());
    const CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(handle, "C_GetFunctionList");
    if (!get || get(&token_module) != CKR_OK || !token_module)
        return tool_error("%s: not a module of PKCS#11", name);
    const CK_RV rv = token_module->C_Initialize(&args);
    is_begun = rv == CKR_OK;
    return is_begun ? EXIT_SUCCESS : token_says(name, rv);
}

int token_end(int code)
{
    if (is_begun)
        token_module->C_Finalize(NULL);
    is_begun = false;
    token_wipe_pins();
    return tool_finish(code);
}

/* ---- slots ---- */

char *token_text(char out[65], const CK_UTF8CHAR *field, size_t len)
{
    while (len && (field[len - 1] == ' ' || !field[len - 1]))
        len--;
    memcpy(out, field, len);
    out[len] = '\0';
    return out;
}

int token_slots(CK_SLOT_ID **out, CK_ULONG *num)
{
    enum { MOST = 4096 };
    *out = NULL;
    CK_RV rv = token_module->C_GetSlotList(CK_TRUE, NULL, num);
    if (rv == CKR_OK && *num > MOST)
        return tool_error("the module says that it has %lu slots", *num);
    *out = calloc(*num + 1, sizeof **out);
    if (rv == CKR_OK && *out)
        rv = token_module->C_GetSlotList(CK_TRUE, *out, num);
    if (rv == CKR_OK && *out)
        return EXIT_SUCCESS;
    free(*out);
    *out = NULL;
    return token_says("slots", rv);
}

/* A token is meant if all that the options say of it is so. */
static bool is_meant(CK_SLOT_ID slot, const CK_TOKEN_INFO *info, bool is_new)
{
    char label[65], *end;
    const bool is_initialized = info->flags & CKF_TOKEN_INITIALIZED;
    if (token_settings.slot)
        return strtoul(token_settings.slot, &end, 0) == slot && !*end && end != token_settings.slot;
    if (token_settings.token)
        return is_initialized && !strcmp(TOKEN_TEXT(label, info->label), token_settings.token);
    return !(info->flags & CKF_WRITE_PROTECTED) && (is_new || is_initialized);
}

/* Of several tokens, only one of which is not initialised, a new one is made there. */
static CK_ULONG choose(CK_SLOT_ID *slot, CK_TOKEN_INFO *info, const CK_SLOT_ID *slots, CK_ULONG num,
                       bool is_new)
{
    CK_ULONG found = 0, empty = 0;
    for (CK_ULONG i = 0; i < num; i++) {
        CK_TOKEN_INFO one;
        if (token_module->C_GetTokenInfo(slots[i], &one) != CKR_OK ||
            !is_meant(slots[i], &one, is_new))
            continue;
        const bool is_empty = !(one.flags & CKF_TOKEN_INITIALIZED);
        if (!found++ || (is_empty && !empty)) {
            *slot = slots[i];
            *info = one;
        }
        empty += is_empty;
    }
    return is_new && empty ? empty : found;
}

int token_select(CK_SLOT_ID *slot, CK_TOKEN_INFO *info, bool is_new)
{
    CK_SLOT_ID *slots;
    CK_ULONG num;
    const int code = token_slots(&slots, &num);
    if (code)
        return code;
    const CK_ULONG found = choose(slot, info, slots, num, is_new);
    free(slots);
    if (found == 1)
        return EXIT_SUCCESS;
    if (found)
        return tool_error("%lu tokens; say which by --token or --slot: headrace token list", found);
    return token_settings.slot || token_settings.token
               ? tool_error("there is no such token: headrace token list")
           : is_new ? tool_error("the module has no token that can be initialised")
                    : tool_error("no token is initialised: headrace token init");
}

int token_begin_session(CK_SESSION_HANDLE *session, CK_SLOT_ID slot, bool writes)
{
    const CK_FLAGS flags = CKF_SERIAL_SESSION | (writes ? CKF_RW_SESSION : 0);
    const CK_RV rv = token_module->C_OpenSession(slot, flags, NULL, NULL, session);
    return rv == CKR_OK ? EXIT_SUCCESS : token_says("session", rv);
}
