/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of functions that callers get: 3.2, 3.0, and 2.40 for those that know no other. */
#include "module.h"

#define P11_FUNCTION(name) .name = name,
static CK_FUNCTION_LIST list_2_40 = {
    .version = { 2, 40 },
#include "functions.def"
};

#define P11_FUNCTION(name) .name = name,
#define P11_FUNCTION_3_0(name) .name = name,
static CK_FUNCTION_LIST_3_0 list_3_0 = {
    .version = { 3, 0 },
#include "functions.def"
};

#define P11_FUNCTION(name) .name = name,
#define P11_FUNCTION_3_0(name) .name = name,
#define P11_FUNCTION_3_2(name) .name = name,
static CK_FUNCTION_LIST_3_2 list_3_2 = {
    .version = { 3, 2 },
#include "functions.def"
};

/* The newest first, since a caller without wishes gets the first. */
static CK_UTF8CHAR name[] = "PKCS 11";
static CK_INTERFACE interfaces[] = {
    { name, &list_3_2, CKF_INTERFACE_FORK_SAFE },
    { name, &list_3_0, CKF_INTERFACE_FORK_SAFE },
    { name, &list_2_40, CKF_INTERFACE_FORK_SAFE },
};

__attribute__((visibility("default"))) CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list)
{
    if (!list)
        return CKR_ARGUMENTS_BAD;
    *list = &list_2_40;
    return CKR_OK;
}

__attribute__((visibility("default"))) CK_RV C_GetInterfaceList(CK_INTERFACE *list, CK_ULONG *num)
{
    if (!num)
        return CKR_ARGUMENTS_BAD;
    const CK_ULONG room = *num;
    *num = COUNT(interfaces);
    if (!list)
        return CKR_OK;
    if (room < COUNT(interfaces))
        return CKR_BUFFER_TOO_SMALL;
    memcpy(list, interfaces, sizeof interfaces);
    return CKR_OK;
}

__attribute__((visibility("default"))) CK_RV
C_GetInterface(CK_UTF8CHAR *wanted, CK_VERSION *version, CK_INTERFACE **interface, CK_FLAGS flags)
{
    if (!interface)
        return CKR_ARGUMENTS_BAD;
    *interface = NULL;
    if (wanted && strcmp((const char *)wanted, (const char *)name))
        return CKR_FUNCTION_FAILED;
    for (size_t i = 0; i < COUNT(interfaces); i++) {
        const CK_VERSION *here = interfaces[i].pFunctionList;
        if ((!version || (here->major == version->major && here->minor == version->minor)) &&
            (interfaces[i].flags & flags) == flags) {
            *interface = &interfaces[i];
            return CKR_OK;
        }
    }
    return CKR_FUNCTION_FAILED;
}
