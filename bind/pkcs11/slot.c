/* SPDX-License-Identifier: Apache-2.0 */
/* Slots, tokens, mechanisms, and who is logged in. */
#include "slot.h"
#include "accel/accel.h"
#include "async.h"
#include "mechanism.h"
#include "session.h"
#include "token.h"

#ifndef HR_VERSION
#define HR_VERSION "0.1.0"
#endif
enum { MIN_PIN = 4, MAX_PIN = STORE_MAX_PIN };

void pad_text(CK_BYTE *out, size_t size, const char *text)
{
    size_t len = strlen(text);
    if (len > size)
        len = size;
    memcpy(out, text, len);
    memset(out + len, ' ', size - len);
}

/* ---- their life ---- */

RV slots_begin(struct module *m)
{
    CK_RV rv = mechanisms_of(m, SLOT_TOKEN);
    if (rv == CKR_OK)
        rv = mechanisms_of(m, SLOT_ACCEL);
    if (rv == CKR_OK)
        rv = accel_begin(m);
    if (rv == CKR_OK)
        rv = async_begin();
    return rv == CKR_OK ? token_attach(m) : rv;
}

void slots_end(struct module *m)
{
    async_end();
    token_detach(m);
    accel_end(m);
}

static bool is_there(struct module *m, CK_SLOT_ID slot)
{
    return slot == SLOT_TOKEN || accel_is_there(m);
}

RV slot_check(struct module *m, CK_SLOT_ID slot)
{
    if (slot >= NUM_SLOTS)
        return CKR_SLOT_ID_INVALID;
    return is_there(m, slot) ? CKR_OK : CKR_TOKEN_NOT_PRESENT;
}

void slot_refresh(struct module *m, unsigned slot)
{
    if (slot == SLOT_TOKEN)
        token_refresh(m);
    else
        accel_refresh(m);
}

RV slot_store(struct module *m, struct object *object)
{
    return object->slot == SLOT_TOKEN ? token_put(m, object) : CKR_TOKEN_WRITE_PROTECTED;
}

RV slot_forget(struct module *m, const struct object *object)
{
    return object->slot == SLOT_TOKEN ? token_forget(m, object) : CKR_TOKEN_WRITE_PROTECTED;
}

/* ---- what there is ---- */

CK_RV C_GetInfo(CK_INFO *info)
{
    if (!module_get())
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    if (!info)
        return CKR_ARGUMENTS_BAD;
    *info = (CK_INFO){ .cryptokiVersion = { 3, 2 }, .libraryVersion = { 0, 1 } };
    pad_text(info->manufacturerID, sizeof info->manufacturerID, "Headrace");
    pad_text(info->libraryDescription, sizeof info->libraryDescription, "Headrace PKCS#11");
    return CKR_OK;
}

CK_RV C_GetSlotList(CK_BBOOL token_present, CK_SLOT_ID *list, CK_ULONG *num)
{
    struct module *m = module_get();
    if (!m)
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    if (!num)
        return CKR_ARGUMENTS_BAD;
    CK_SLOT_ID there[NUM_SLOTS];
    CK_ULONG len = 0;
    for (CK_SLOT_ID slot = 0; slot < NUM_SLOTS; slot++)
        if (is_there(m, slot))
            there[len++] = slot;
    const CK_ULONG room = *num;
    *num = len;
    if (!list)
        return CKR_OK;
    if (room < len)
        return CKR_BUFFER_TOO_SMALL;
    memcpy(list, there, len * sizeof *list);
    return CKR_OK;
}

/* asked checks the arguments of a call about a slot, whose answer goes to `where`. */
static RV asked(struct module **m, CK_SLOT_ID slot, const void *where)
{
    *m = module_get();
    if (!*m)
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    return where ? slot_check(*m, slot) : CKR_ARGUMENTS_BAD;
}

CK_RV C_GetSlotInfo(CK_SLOT_ID slot, CK_SLOT_INFO *info)
{
    struct module *m;
    const CK_RV rv = asked(&m, slot, info);
    if (rv != CKR_OK)
        return rv;
    *info = (CK_SLOT_INFO){ .flags = CKF_TOKEN_PRESENT };
    pad_text(info->slotDescription, sizeof info->slotDescription,
             slot == SLOT_TOKEN ? "Headrace in this process" : "Headrace accelerator");
    pad_text(info->manufacturerID, sizeof info->manufacturerID, "Headrace");
    return CKR_OK;
}

CK_RV C_GetTokenInfo(CK_SLOT_ID slot, CK_TOKEN_INFO *info)
{
    struct module *m;
    const CK_RV rv = asked(&m, slot, info);
    if (rv != CKR_OK)
        return rv;
    pthread_mutex_lock(&m->sessions_lock);
    const CK_ULONG num = m->slots[slot].num_sessions, num_rw = m->slots[slot].num_rw_sessions;
    pthread_mutex_unlock(&m->sessions_lock);
    *info = (CK_TOKEN_INFO){ .flags = CKF_RNG | CKF_ASYNC_SESSION_SUPPORTED,
                             .ulMaxSessionCount = MAX_SESSIONS,
                             .ulMaxRwSessionCount = MAX_SESSIONS,
                             .ulSessionCount = num,
                             .ulRwSessionCount = num_rw,
                             .ulMaxPinLen = MAX_PIN,
                             .ulMinPinLen = MIN_PIN,
                             .ulTotalPublicMemory = CK_UNAVAILABLE_INFORMATION,
                             .ulFreePublicMemory = CK_UNAVAILABLE_INFORMATION,
                             .ulTotalPrivateMemory = CK_UNAVAILABLE_INFORMATION,
                             .ulFreePrivateMemory = CK_UNAVAILABLE_INFORMATION };
    pad_text(info->label, sizeof info->label,
             slot == SLOT_TOKEN ? "Headrace" : "Headrace accelerator");
    pad_text(info->manufacturerID, sizeof info->manufacturerID, "Headrace");
    pad_text(info->model, sizeof info->model, slot == SLOT_TOKEN ? "software" : "service");
    pad_text(info->serialNumber, sizeof info->serialNumber, slot == SLOT_TOKEN ? "0" : "1");
    pad_text(info->utcTime, sizeof info->utcTime, "");
    if (slot == SLOT_TOKEN)
        token_info(m, info);
    else
        info->flags |= CKF_TOKEN_INITIALIZED | CKF_WRITE_PROTECTED;
    return CKR_OK;
}

CK_RV C_GetMechanismList(CK_SLOT_ID slot, CK_MECHANISM_TYPE *list, CK_ULONG *num)
{
    struct module *m;
    const CK_RV rv = asked(&m, slot, num);
    if (rv != CKR_OK)
        return rv;
    const CK_ULONG room = *num;
    *num = m->slots[slot].num_mechanisms;
    if (!list)
        return CKR_OK;
    if (room < *num)
        return CKR_BUFFER_TOO_SMALL;
    for (CK_ULONG i = 0; i < *num; i++)
        list[i] = m->slots[slot].mechanisms[i].type;
    return CKR_OK;
}

CK_RV C_GetMechanismInfo(CK_SLOT_ID slot, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO *info)
{
    struct module *m;
    const CK_RV rv = asked(&m, slot, info);
    if (rv != CKR_OK)
        return rv;
    const struct mechanism *mech = mechanism_find(m, (unsigned)slot, type);
    if (!mech)
        return CKR_MECHANISM_INVALID;
    *info = (CK_MECHANISM_INFO){ mech->min, mech->max, mech->flags };
    return CKR_OK;
}

CK_RV C_WaitForSlotEvent(CK_FLAGS flags, CK_SLOT_ID *slot, void *reserved)
{
    if (!module_get())
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    return flags & CKF_DONT_BLOCK ? CKR_NO_EVENT : CKR_FUNCTION_NOT_SUPPORTED;
}
