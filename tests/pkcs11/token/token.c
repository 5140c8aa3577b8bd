/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of SECURITY.md, "PKCS#11", where it needs somebody who is logged in: a security
 * officer who trusts keys, a user who is asked again, and templates that would weaken a key.  The
 * token's PINs cost next to nothing.  Usage: p11_token MODULE */
#define _GNU_SOURCE
#include "token.h"
#include "store.h"
#include <dirent.h>
#include <unistd.h>

CK_SESSION_HANDLE s;
const uint8_t value[64] = "Thirty-two bytes that make a key, and some for longer keys: ...";
CK_BYTE iv[16];
CK_MECHANISM cbc_pad = { CKM_AES_CBC_PAD, iv, sizeof iv };
static char folder[64];

/* make_token makes one in memory, where there is such a folder. */
static void make_token(void)
{
    static uint8_t scratch[STORE_SCRATCH];
    static const uint8_t label[STORE_LABEL] = "policy";
    struct store store;
    snprintf(folder, sizeof folder, "%s/headrace-token-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    int error = !mkdtemp(folder) || store_open(&store, folder, scratch);
    store.costs = (struct store_costs){ 1, 8, 1 };
    if (!error)
        error = store_init(&store, label, SO_PIN, strlen(SO_PIN));
    if (!error)
        error = store_login(&store, STORE_SO, SO_PIN, strlen(SO_PIN));
    if (!error)
        error = store_set_pin(&store, STORE_USER, RIGHT_PIN, strlen(RIGHT_PIN));
    if (error) {
        printf("Bail out! no token: %d\n", error);
        exit(1);
    }
    setenv("HEADRACE_TOKEN", folder, 1);
}

static void remove_token(void)
{
    char path[600];
    DIR *names = opendir(folder);
    for (struct dirent *e; names && (e = readdir(names));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (*e->d_name != '.')
            unlink(path);
    }
    if (names)
        closedir(names);
    rmdir(folder);
}

void become(CK_USER_TYPE who)
{
    CK_UTF8CHAR *pin = (CK_UTF8CHAR *)(who == CKU_SO ? SO_PIN : RIGHT_PIN);
    (void)p11->C_Logout(s);
    if (who != NOBODY)
        REQUIRE(p11->C_Login(s, who, pin, strlen((char *)pin)));
}

CK_RV login_again(CK_SESSION_HANDLE session, const char *pin)
{
    return p11->C_Login(session, CKU_CONTEXT_SPECIFIC, (CK_UTF8CHAR *)(uintptr_t)pin, strlen(pin));
}

void new_process(void)
{
    REQUIRE(p11->C_Finalize(NULL));
    REQUIRE(p11->C_Initialize(NULL));
    s = session_open();
}

CK_OBJECT_HANDLE trusted_key(CK_KEY_TYPE type, const void *bytes, size_t len, struct list more)
{
    become(CKU_SO);
    put_bool(&more, CKA_TRUSTED, 1);
    const CK_OBJECT_HANDLE key = key_of(s, type, bytes, len, more);
    become(CKU_USER);
    return key;
}

CK_RV unwrap_as(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by, const CK_BYTE *wrapped, CK_ULONG len,
                struct list t, CK_KEY_TYPE type, CK_OBJECT_HANDLE *key)
{
    put_secret(&t, type, NULL, 0);
    return p11->C_UnwrapKey(s, mechanism, by, (CK_BYTE *)(uintptr_t)wrapped, len, pointed(&t),
                            t.num, key);
}

int main(int argc, char **argv)
{
    make_token();
    atexit(remove_token);
    module_begin(argc > 1 ? argv[argc - 1] : "");
    s = session_open();
    become(CKU_USER);
    test_logins(); /* first, since a PIN that is changed costs what it costs everybody */
    test_trusted();
    test_asks();
    test_weaker();
    test_counted();
    session_close(s);
    module_end();
    return tap_done();
}
