/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "accel.h"
#include <dlfcn.h>
#include <sys/stat.h>

static void *library;

void slot_begin(const char *module)
{
    p11 = module_load(module, &library);
    if (p11)
        return;
    printf("Bail out! no module\n");
    exit(1);
}

void slot_end(void)
{
    if (dlclose(library))
        complain("%s", dlerror());
}

void is(CK_RV want, CK_RV got, const char *what)
{
    if (got != want)
        complain("%s: %s instead of %s", what, rv_name(got), rv_name(want));
}

CK_SESSION_HANDLE open_with(CK_FLAGS flags)
{
    CK_SESSION_HANDLE session = 0;
    is(CKR_OK, p11->C_OpenSession(SLOT, CKF_SERIAL_SESSION | flags, NULL, NULL, &session),
       "a session");
    return session;
}

CK_SESSION_HANDLE open_session(void)
{
    return open_with(0);
}

/* find returns the first object of a class and label, and sets *num. */
CK_OBJECT_HANDLE find(CK_SESSION_HANDLE session, CK_OBJECT_CLASS cls, const char *label,
                      CK_ULONG *num)
{
    CK_ATTRIBUTE template[] = { { CKA_CLASS, &cls, sizeof cls },
                                { CKA_LABEL, (void *)label, label ? strlen(label) : 0 } };
    CK_OBJECT_HANDLE found[300] = { 0 };
    is(CKR_OK, p11->C_FindObjectsInit(session, template, label ? 2 : 1), "a search");
    is(CKR_OK, p11->C_FindObjects(session, found, COUNT_OF(found), num), "what was found");
    is(CKR_OK, p11->C_FindObjectsFinal(session), "the end of a search");
    return found[0];
}

CK_OBJECT_HANDLE key_named(CK_SESSION_HANDLE session, CK_OBJECT_CLASS cls, const char *label)
{
    CK_ULONG num = 0;
    const CK_OBJECT_HANDLE key = find(session, cls, label, &num);
    if (num != 1)
        complain("%lu keys %s", num, label);
    return key;
}

/* ---- keys ---- */

void write_text(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    if (!f || fchmod(fileno(f), 0600) || fputs(text, f) < 0 || fclose(f))
        complain("%s", path_of(name));
}

/* ---- operations ---- */

CK_RV completed(CK_SESSION_HANDLE session, CK_RV rv, const char *function, CK_ULONG *len)
{
    CK_ASYNC_DATA result = { .ulVersion = 0 };
    if (rv != CKR_PENDING)
        return rv;
    while ((rv = p11->C_AsyncComplete(session, (CK_UTF8CHAR *)function, &result)) == CKR_PENDING)
        continue;
    *len = result.ulValue;
    return rv;
}

CK_RV sign(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM mechanism, const void *in,
           size_t len, uint8_t sig[ROOM], CK_ULONG *sig_len)
{
    *sig_len = ROOM;
    CK_RV rv = p11->C_SignInit(session, &mechanism, key);
    if (rv == CKR_OK)
        rv = p11->C_Sign(session, (CK_BYTE *)in, len, sig, sig_len);
    return completed(session, rv, "C_Sign", sig_len);
}

CK_RV verify(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM mechanism,
             const void *in, size_t len, uint8_t *sig, CK_ULONG sig_len)
{
    const CK_RV rv = p11->C_VerifyInit(session, &mechanism, key);
    return rv != CKR_OK ? rv : p11->C_Verify(session, (CK_BYTE *)in, len, sig, sig_len);
}

/* ---- what there is ---- */

void slots(CK_ULONG want)
{
    CK_ULONG num = 0;
    is(CKR_OK, p11->C_GetSlotList(CK_TRUE, NULL, &num), "the slots");
    if (num != want)
        complain("%lu slots instead of %lu", num, want);
}
