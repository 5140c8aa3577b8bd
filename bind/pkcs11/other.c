/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, and functions that exist so that they can be refused. */
#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

RV random_bytes(void *out, size_t len)
{
    uint8_t *at = out;
    while (len) {
        const ssize_t got = getrandom(at, len, 0);
        if (got < 0 && errno != EINTR)
            return CKR_DEVICE_ERROR;
        at += got < 0 ? 0 : got;
        len -= got < 0 ? 0 : (size_t)got;
    }
    return CKR_OK;
}

CK_RV C_GenerateRandom(CK_SESSION_HANDLE session, CK_BYTE *out, CK_ULONG len)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    return out || !len ? random_bytes(out, len) : CKR_ARGUMENTS_BAD;
}

/* The system's random numbers need no seed, and take any. */
CK_RV C_SeedRandom(CK_SESSION_HANDLE session, CK_BYTE *seed, CK_ULONG len)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!seed)
        return CKR_ARGUMENTS_BAD;
    const int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
    const bool is_taken = fd >= 0 && write(fd, seed, len < 4096 ? len : 4096) >= 0;
    if (fd >= 0)
        close(fd);
    return is_taken ? CKR_OK : CKR_RANDOM_SEED_NOT_SUPPORTED;
}

/* refuse returns an error for a session, or that there is none. */
static CK_RV refuse(CK_SESSION_HANDLE session, CK_RV error)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    return rv == CKR_OK ? error : rv;
}

CK_RV C_GetFunctionStatus(CK_SESSION_HANDLE session)
{
    return refuse(session, CKR_FUNCTION_NOT_PARALLEL);
}

CK_RV C_CancelFunction(CK_SESSION_HANDLE session)
{
    return refuse(session, CKR_FUNCTION_NOT_PARALLEL);
}

CK_RV C_GetSessionValidationFlags(CK_SESSION_HANDLE session, CK_SESSION_VALIDATION_FLAGS_TYPE type,
                                  CK_FLAGS *flags)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!flags)
        return CKR_ARGUMENTS_BAD;
    *flags = 0; /* nobody has validated this module */
    return CKR_OK;
}

/* ---- messages of signatures: no mechanism here has them ---- */

CK_RV C_MessageSignInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return refuse(session, CKR_MECHANISM_INVALID);
}

CK_RV C_SignMessage(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len, CK_BYTE *in,
                    CK_ULONG len, CK_BYTE *sig, CK_ULONG *sig_len)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}

CK_RV C_SignMessageBegin(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}

CK_RV C_SignMessageNext(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                        CK_BYTE *in, CK_ULONG len, CK_BYTE *sig, CK_ULONG *sig_len)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}

CK_RV C_MessageSignFinal(CK_SESSION_HANDLE session)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}

CK_RV C_MessageVerifyInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return refuse(session, CKR_MECHANISM_INVALID);
}

CK_RV C_VerifyMessage(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                      CK_BYTE *in, CK_ULONG len, CK_BYTE *sig, CK_ULONG sig_len)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}

CK_RV C_VerifyMessageBegin(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}

CK_RV C_VerifyMessageNext(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                          CK_BYTE *in, CK_ULONG len, CK_BYTE *sig, CK_ULONG sig_len)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}

CK_RV C_MessageVerifyFinal(CK_SESSION_HANDLE session)
{
    return refuse(session, CKR_OPERATION_NOT_INITIALIZED);
}
