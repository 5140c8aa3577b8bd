/* SPDX-License-Identifier: Apache-2.0 */
#include "token.h"
#include "../../cli/tool.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SLOTS = 64 };

int token_failed(const struct token *token, const char *call, CK_RV rv)
{
    return tool_error("%s: %s returned 0x%lx", token->path, call, rv);
}

/* is_service tells of a slot of our module whether it is the accelerator's, which makes no keys. */
static bool is_service(const CK_TOKEN_INFO *info)
{
    static const char model[] = "service";
    return !memcmp(info->model, model, sizeof model - 1);
}

/* Finds the first slot whose token has been initialised, or else the first one with a token: ours
 * needs no PIN for keys of a session. */
static int find_slot(struct token *token)
{
    CK_SLOT_ID slots[MAX_SLOTS];
    CK_TOKEN_INFO info;
    CK_ULONG num = MAX_SLOTS;
    const CK_RV rv = token->p11->C_GetSlotList(CK_TRUE, slots, &num);
    if (rv != CKR_OK)
        return token_failed(token, "C_GetSlotList", rv);
    if (!num)
        return tool_error("%s: it has no token", token->path);
    token->slot = slots[0];
    for (CK_ULONG i = num; i-- > 0;)
        if (token->p11->C_GetTokenInfo(slots[i], &info) == CKR_OK &&
            info.flags & CKF_TOKEN_INITIALIZED && !is_service(&info))
            token->slot = slots[i];
    return EXIT_SUCCESS;
}

static void read_name(struct token *token)
{
    CK_INFO info;
    if (token->p11->C_GetInfo(&info) != CKR_OK)
        return;
    size_t len = sizeof info.manufacturerID;
    memcpy(token->name, info.manufacturerID, len);
    while (len && token->name[len - 1] == ' ')
        token->name[--len] = '\0';
}

static CK_FUNCTION_LIST *load(struct token *token)
{
    CK_FUNCTION_LIST *list = NULL;
    token->handle = dlopen(token->path, RTLD_NOW | RTLD_LOCAL);
    const CK_C_GetFunctionList get =
        token->handle ? (CK_C_GetFunctionList)dlsym(token->handle, "C_GetFunctionList") : NULL;
    return get && get(&list) == CKR_OK ? list : NULL;
}

int token_open(struct token *token, const char *path)
{
    CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };
    *token = (struct token){ .path = path };
    CK_FUNCTION_LIST *list = load(token);
    if (!list) {
        const char *reason = dlerror();
        return tool_error("%s: it cannot be loaded: %s", path, reason ? reason : "no functions");
    }
    CK_RV rv = list->C_Initialize(&args);
    if (rv != CKR_OK)
        return token_failed(token, "C_Initialize", rv);
    token->p11 = list;
    read_name(token);
    const int code = find_slot(token);
    if (code)
        return code;
    rv = token_session(token, &token->session);
    if (rv == CKR_TOKEN_NOT_RECOGNIZED || rv == CKR_TOKEN_NOT_INITIALIZED)
        return tool_error("%s: its token is not initialised: make one by headrace token init "
                          "--module, or by the module's own program",
                          path);
    return rv == CKR_OK ? EXIT_SUCCESS : token_failed(token, "C_OpenSession", rv);
}

void token_open_service(struct token *token, const struct token *ours)
{
    CK_SLOT_ID slots[MAX_SLOTS];
    CK_TOKEN_INFO info;
    CK_ULONG num = MAX_SLOTS;
    if (ours->p11->C_GetSlotList(CK_TRUE, slots, &num) != CKR_OK)
        return;
    for (CK_ULONG i = 0; i < num && !token->p11; i++) {
        if (slots[i] == ours->slot || ours->p11->C_GetTokenInfo(slots[i], &info) != CKR_OK ||
            !is_service(&info))
            continue;
        *token = *ours;
        token->slot = slots[i];
        token->has_its_keys = true;
        snprintf(token->name, sizeof token->name, "service");
        if (token_session(token, &token->session) != CKR_OK)
            token->p11 = NULL;
    }
}

CK_RV token_session(const struct token *token, CK_SESSION_HANDLE *session)
{
    return token->p11->C_OpenSession(token->slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL,
                                     session);
}

bool token_has(const struct token *token, CK_MECHANISM_TYPE type, CK_FLAGS flags)
{
    CK_MECHANISM_INFO info;
    return token->p11->C_GetMechanismInfo(token->slot, type, &info) == CKR_OK &&
           (info.flags & flags) == flags;
}

/* The module stays loaded, since many do not survive dlclose(3). */
void token_close(struct token *token)
{
    if (token->p11 && !token->has_its_keys)
        token->p11->C_Finalize(NULL);
    token->p11 = NULL;
}
