/* SPDX-License-Identifier: Apache-2.0 */
#include "other.h"
#include "../../cli/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LEN = 16, LABEL = 16, WANTED = NUM_OBJECTS / 2 };

static void must(CK_RV rv)
{
    if (rv != CKR_OK)
        abort();
}

static void open_session(void *ctx, uint64_t n)
{
    const struct token *token = ctx;
    CK_SESSION_HANDLE session;
    while (n--) {
        must(token_session(token, &session));
        must(token->p11->C_CloseSession(session));
    }
}

static void find(const struct token *token, CK_ATTRIBUTE *template, uint64_t n)
{
    CK_OBJECT_HANDLE found[2];
    CK_ULONG num = 0;
    while (n--) {
        must(token->p11->C_FindObjectsInit(token->session, template, 1));
        must(token->p11->C_FindObjects(token->session, found, COUNT(found), &num));
        must(token->p11->C_FindObjectsFinal(token->session));
        must(num == 1 ? CKR_OK : CKR_FUNCTION_FAILED);
    }
}

static size_t name_of(char out[LABEL], unsigned i)
{
    return (size_t)snprintf(out, LABEL, "key %04u", i);
}

static void find_label(void *ctx, uint64_t n)
{
    char label[LABEL];
    CK_ATTRIBUTE template = { CKA_LABEL, label, name_of(label, WANTED) };
    find(ctx, &template, n);
}

static void find_id(void *ctx, uint64_t n)
{
    uint32_t id = WANTED;
    CK_ATTRIBUTE template = { CKA_ID, &id, sizeof id };
    find(ctx, &template, n);
}

const struct p11_other p11_others[NUM_OTHERS] = {
    { "open and close a session", "session", open_session, false },
    { "find one of 1,000 objects by label", "find-label", find_label, true },
    { "find one of 1,000 objects by id", "find-id", find_id, true },
};

int p11_objects_make(const struct token *token)
{
    CK_OBJECT_CLASS cls = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_AES;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_OBJECT_HANDLE key;
    CK_BYTE value[KEY_LEN] = { 0 };
    char label[LABEL];
    for (uint32_t i = 0; i < NUM_OBJECTS; i++) {
        memcpy(value, &i, sizeof i);
        CK_ATTRIBUTE template[] = {
            { CKA_CLASS, &cls, sizeof cls },   { CKA_KEY_TYPE, &type, sizeof type },
            { CKA_TOKEN, &no, sizeof no },     { CKA_PRIVATE, &no, sizeof no },
            { CKA_ENCRYPT, &yes, sizeof yes }, { CKA_VALUE, value, sizeof value },
            { CKA_ID, &i, sizeof i },          { CKA_LABEL, label, name_of(label, i) },
        };
        const CK_RV rv =
            token->p11->C_CreateObject(token->session, template, COUNT(template), &key);
        if (rv != CKR_OK)
            return token_failed(token, "C_CreateObject", rv);
    }
    return EXIT_SUCCESS;
}
