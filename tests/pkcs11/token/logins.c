/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that open sessions, log in and close them: a login lasts as long as one session is open,
 * and ends with the last; and while the officer is logged in, no session only reads. */
#include "token.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, LOOKS = 8 };
static const int rounds = 3000;
static _Atomic int wrong, logins, working;

static CK_RV enter(CK_SESSION_HANDLE session, CK_USER_TYPE who)
{
    CK_UTF8CHAR *pin = (CK_UTF8CHAR *)(who == CKU_SO ? SO_PIN : RIGHT_PIN);
    return p11->C_Login(session, who, pin, strlen((char *)pin));
}

/* is_state tells whether a session is in this state, as often as one looks. */
static int is_state(CK_SESSION_HANDLE session, CK_STATE state)
{
    CK_SESSION_INFO info;
    for (int i = 0; i < LOOKS; i++) {
        if (p11->C_GetSessionInfo(session, &info) != CKR_OK || info.state != state)
            return 0;
    }
    return 1;
}

/* ---- the user ---- */

static void *user(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        const CK_SESSION_HANDLE mine = session_open();
        const CK_RV rv = enter(mine, CKU_USER);
        CK_OBJECT_HANDLE key;
        struct list t = BOOLS(CKA_PRIVATE, CKA_SIGN);
        put_secret(&t, CKK_AES, value, 16);
        if (rv == CKR_OK)
            atomic_fetch_add(&logins, 1);
        if ((rv != CKR_OK && rv != CKR_USER_ALREADY_LOGGED_IN) ||
            !is_state(mine, CKS_RW_USER_FUNCTIONS) || create(mine, t, &key) != CKR_OK ||
            get_bool(mine, key, CKA_SIGN) != 1)
            atomic_fetch_add(&wrong, 1);
        session_close(mine);
    }
    return NULL;
}

/* closer closes a session while another logs in by it. */
static void *closer(void *of)
{
    return p11->C_CloseSession(*(CK_SESSION_HANDLE *)of) == CKR_OK ? NULL : of;
}

/* close_within has no other session: whatever C_Login says, nobody is logged in afterwards. */
static void close_within(void)
{
    for (int i = 0; i < rounds / 8; i++) {
        CK_SESSION_HANDLE one = session_open();
        pthread_t thread;
        void *failed;
        if (i % 2)
            REQUIRE(enter(one, CKU_USER));
        pthread_create(&thread, NULL, closer, &one);
        const CK_RV rv = enter(one, CKU_USER);
        pthread_join(thread, &failed);
        if (failed || (rv != CKR_OK && rv != CKR_SESSION_CLOSED &&
                       rv != CKR_SESSION_HANDLE_INVALID && rv != CKR_USER_ALREADY_LOGGED_IN))
            atomic_fetch_add(&wrong, 1);
        const CK_SESSION_HANDLE next = session_open();
        if (!is_state(next, CKS_RW_PUBLIC_SESSION))
            atomic_fetch_add(&wrong, 1);
        session_close(next);
    }
}

/* ---- the officer ---- */

static void *officer(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        const CK_SESSION_HANDLE mine = session_open();
        const CK_RV rv = enter(mine, CKU_SO);
        CK_TOKEN_INFO info;
        if (rv == CKR_OK) {
            atomic_fetch_add(&logins, 1);
            if (!is_state(mine, CKS_RW_SO_FUNCTIONS) || p11->C_GetTokenInfo(0, &info) != CKR_OK ||
                info.ulSessionCount != info.ulRwSessionCount)
                atomic_fetch_add(&wrong, 1);
        } else if (rv != CKR_SESSION_READ_ONLY_EXISTS) {
            atomic_fetch_add(&wrong, 1);
        }
        session_close(mine);
    }
    atomic_store(&working, 0);
    return NULL;
}

static void *reader(void *unused)
{
    while (atomic_load(&working)) {
        CK_SESSION_HANDLE mine = 0;
        const CK_RV rv = p11->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &mine);
        if (rv == CKR_OK)
            session_close(mine);
        else if (rv != CKR_SESSION_READ_WRITE_SO_EXISTS)
            atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

/* run needs a number of logins to have been made; the officer's wait for a moment without readers,
 * which may never come. */
static void run(void *(*first)(void *), void *(*others)(void *), int least, const char *what)
{
    pthread_t threads[THREADS];
    atomic_store(&wrong, 0);
    atomic_store(&logins, 0);
    atomic_store(&working, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i ? others : first, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("# %d logins\n", atomic_load(&logins));
    if (wrong || logins < least)
        complain("%d results are wrong", wrong);
    tap(1, "%s", what);
}

void test_logins(void)
{
    session_close(s);
    run(user, user, 1, "a login of any thread lasts until the last session is closed");
    atomic_store(&wrong, 0);
    close_within();
    if (wrong)
        complain("%d results are wrong", wrong);
    tap(1, "a session that is closed while somebody logs in by it leaves nobody logged in");
    run(officer, reader, 0,
        "while the officer is logged in, no thread has a session that only reads");
    s = session_open();
    become(CKU_USER);
}
