/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures that are pending at the service: many at once, while it restarts, when their sessions
 * end, and in the child of a fork. */
#define _GNU_SOURCE
#include "accel.h"
#include <sys/wait.h>
#include <unistd.h>

enum { SESSIONS = 40 };
extern struct service service;
static CK_SESSION_HANDLE many[SESSIONS];
static CK_OBJECT_HANDLE private_key, public_key;
static uint8_t sigs[SESSIONS][ROOM];
static const CK_MECHANISM eddsa = { CKM_EDDSA, NULL, 0 };

static void begin_all(void)
{
    for (CK_BYTE i = 0; i < SESSIONS; i++) {
        CK_MECHANISM mechanism = eddsa;
        CK_ULONG len = ROOM;
        is(CKR_OK, p11->C_SignInit(many[i], &mechanism, private_key), "C_SignInit");
        is(CKR_PENDING, p11->C_Sign(many[i], &i, 1, sigs[i], &len), "C_Sign");
    }
}

/* end_all expects the results from a session on, the last one first. */
static void end_all(int first)
{
    for (int i = SESSIONS - 1; i >= first; i--) {
        const CK_BYTE message = (CK_BYTE)i;
        CK_ULONG len = 0;
        is(CKR_OK, completed(many[i], CKR_PENDING, "C_Sign", &len), "C_AsyncComplete");
        is(CKR_OK, verify(many[i], public_key, eddsa, &message, 1, sigs[i], len), "a signature");
    }
}

static void fork_with_pending(void)
{
    int status = 1;
    begin_all();
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        CK_ASYNC_DATA result = { .ulVersion = 0 };
        is(CKR_CRYPTOKI_NOT_INITIALIZED,
           p11->C_AsyncComplete(many[0], (CK_UTF8CHAR *)"C_Sign", &result), "in a child");
        is(CKR_OK, p11->C_Initialize(NULL), "C_Initialize in a child");
        const CK_SESSION_HANDLE own = open_with(CKF_ASYNC_SESSION);
        uint8_t sig[ROOM];
        CK_ULONG len;
        is(CKR_OK, sign(own, key_named(own, CKO_PRIVATE_KEY, "e"), eddsa, "x", 1, sig, &len),
           "there");
        is(CKR_OK, p11->C_Finalize(NULL), "C_Finalize in a child");
        _exit(complaints_so_far() != 0);
    }
    waitpid(pid, &status, 0);
    if (status)
        complain("a child ended with %x", status);
    end_all(0);
}

void check_pending(void)
{
    for (int i = 0; i < SESSIONS; i++)
        many[i] = open_with(CKF_ASYNC_SESSION);
    private_key = key_named(many[0], CKO_PRIVATE_KEY, "e");
    public_key = key_named(many[0], CKO_PUBLIC_KEY, "e");
    begin_all();
    end_all(0);
    tap(1, "many signatures are pending at the service");
    begin_all();
    service_kill(&service);
    service_again(&service);
    end_all(0);
    begin_all();
    end_all(0);
    tap(1, "none of them fails while it restarts");
    begin_all();
    for (int i = 0; i < 5; i++)
        is(CKR_OK, p11->C_CloseSession(many[i]), "a session's end");
    is(CKR_OK, p11->C_SessionCancel(many[5], CKF_SIGN), "C_SessionCancel");
    end_all(6);
    for (int i = 0; i < 5; i++)
        many[i] = open_with(CKF_ASYNC_SESSION);
    tap(1, "they end with their sessions");
    fork_with_pending();
    tap(1, "a child has none of them, and its parent all");
    begin_all();
    is(CKR_OK, p11->C_CloseAllSessions(SLOT), "all sessions' end");
}
