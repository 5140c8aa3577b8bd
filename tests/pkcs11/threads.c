/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with sessions of their own, on one key that another thread destroys and makes again, on
 * objects of their own, and on sessions without end; and what is left of keys that were destroyed
 * while threads took others.  Usage: threads [--quick] MODULE */
#include "p11.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { KEEPS_STACKS = 1 };
#else
enum { KEEPS_STACKS = 0 };
#endif

static int rounds;
static const uint8_t value[16] = "one key for all";
static CK_BYTE wanted[16];
static _Atomic CK_OBJECT_HANDLE shared;
static _Atomic int working, wrong, used, gone;
#define NOTHING ((struct list){ 0 })

static void note_wrong(void)
{
    atomic_fetch_add(&wrong, 1);
}

/* ---- one key ---- */

static CK_RV sign(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE key, int pieces, CK_BYTE mac[16])
{
    CK_MECHANISM cmac = { CKM_AES_CMAC, NULL, 0 };
    CK_ULONG len = 16;
    const CK_RV rv = p11->C_SignInit(s, &cmac, key);
    if (rv != CKR_OK)
        return rv;
    if (!pieces)
        return p11->C_Sign(s, (CK_BYTE *)"text", 4, mac, &len);
    if (p11->C_SignUpdate(s, (CK_BYTE *)"te", 2) != CKR_OK ||
        p11->C_SignUpdate(s, (CK_BYTE *)"xt", 2) != CKR_OK)
        return CKR_FUNCTION_FAILED;
    return p11->C_SignFinal(s, mac, &len);
}

/* signer uses the key as long as others change it: each result is right, or there is no key. */
static void *signer(void *unused)
{
    const CK_SESSION_HANDLE s = session_open();
    for (int i = 0; i < rounds || atomic_load(&working); i++) {
        CK_BYTE mac[16] = { 0 };
        const CK_RV rv = sign(s, atomic_load(&shared), i % 3 == 0, mac);
        if (rv == CKR_OK && !memcmp(mac, wanted, sizeof mac))
            atomic_fetch_add(&used, 1);
        else if (rv == CKR_KEY_HANDLE_INVALID)
            atomic_fetch_add(&gone, 1);
        else
            note_wrong();
    }
    session_close(s);
    return NULL;
}

static void *changer(void *unused)
{
    const CK_SESSION_HANDLE s = session_open();
    for (int i = 0; i < rounds; i++) {
        const CK_OBJECT_HANDLE old = atomic_load(&shared);
        if (i % 2)
            atomic_store(&shared, key_of(s, CKK_AES, value, 16, BOOLS(CKA_SIGN)));
        if (p11->C_DestroyObject(s, old) != CKR_OK)
            note_wrong();
        if (i % 2 == 0)
            atomic_store(&shared, key_of(s, CKK_AES, value, 16, BOOLS(CKA_SIGN)));
    }
    atomic_fetch_sub(&working, 1);
    pthread_exit(NULL); /* the session, and the last key, stay */
}

/* ---- everything else ---- */

static void *opener(void *unused)
{
    CK_TOKEN_INFO info;
    CK_SESSION_HANDLE many[8];
    CK_BYTE mac[16];
    for (int i = 0; i < rounds / 8; i++) {
        for (size_t k = 0; k < COUNT_OF(many); k++)
            many[k] = session_open();
        (void)sign(many[i % 8], atomic_load(&shared), 0, mac);
        if (p11->C_GetTokenInfo(0, &info) != CKR_OK || info.ulSessionCount < COUNT_OF(many))
            note_wrong();
        for (size_t k = 0; k < COUNT_OF(many); k++)
            session_close(many[k]);
    }
    return NULL;
}

static void *finder(void *unused)
{
    static _Atomic int names;
    char name[16];
    snprintf(name, sizeof name, "name %d", atomic_fetch_add(&names, 1));
    const CK_SESSION_HANDLE s = session_open();
    for (int i = 0; i < rounds / 4; i++) {
        struct list label = NOTHING;
        put_bytes(&label, CKA_LABEL, name, strlen(name));
        /* another value, in memory that the shared key may have had */
        struct list all = BOOLS(CKA_SIGN);
        CK_BYTE mac[16];
        put_all(&all, &label);
        const CK_OBJECT_HANDLE key =
            key_of(s, CKK_AES, (const uint8_t *)"none of the others", 16, all);
        CK_OBJECT_HANDLE second = 0;
        if (sign(s, key, 0, mac) != CKR_OK || !memcmp(mac, wanted, sizeof mac))
            note_wrong();
        if (num_found(s, label) != 1 || set(s, key, BOOLS(CKA_SENSITIVE)) != CKR_OK ||
            copy(s, key, NOTHING, &second) != CKR_OK || num_found(s, label) != 2)
            note_wrong();
        (void)num_found(s, NOTHING);
        (void)get_bool(s, atomic_load(&shared), CKA_SIGN);
        destroy(s, key);
        destroy(s, second);
    }
    session_close(s);
    return NULL;
}

static void test_threads(void)
{
    void *(*const works[])(void *) = { signer, signer, signer, changer, opener, finder, finder };
    pthread_t threads[COUNT_OF(works)];
    const CK_SESSION_HANDLE s = session_open();
    atomic_store(&shared, key_of(s, CKK_AES, value, 16, BOOLS(CKA_SIGN)));
    REQUIRE(sign(s, shared, 0, wanted));
    atomic_store(&working, 1);
    for (size_t i = 0; i < COUNT_OF(works); i++)
        pthread_create(&threads[i], NULL, works[i], NULL);
    for (size_t i = 0; i < COUNT_OF(works); i++)
        pthread_join(threads[i], NULL);
    printf("# %d signatures, %d times no key\n", used, gone);
    if (wrong || !used)
        complain("%d results are wrong", wrong);
    if (num_found(s, NOTHING) != 1)
        complain("objects are left");
    tap(1, "threads use a key that another destroys, and objects and sessions of their own");
    session_close(s);
}

/* ---- what is left of keys ---- */

enum { MARK = 16 };
/* The keys begin with the complement of this, so that the test's own memory does not have it. */
static const uint8_t mark[MARK] = "of many secrets";

static CK_RV mac(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE key)
{
    CK_MECHANISM hmac = { CKM_SHA256_HMAC, NULL, 0 };
    CK_BYTE out[32];
    CK_ULONG len = sizeof out;
    const CK_RV rv = p11->C_SignInit(s, &hmac, key);
    return rv == CKR_OK ? p11->C_Sign(s, (CK_BYTE *)"text", 4, out, &len) : rv;
}

/* clear_stack overwrites what calls have left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
    volatile uint8_t below[1 << 16];
    for (size_t i = 0; i < sizeof below; i++)
        below[i] = 0;
}

/* switcher takes two keys in turn, of which one is destroyed all the time. */
static void *switcher(void *unused)
{
    const CK_SESSION_HANDLE s = session_open();
    const CK_OBJECT_HANDLE own =
        key_of(s, CKK_GENERIC_SECRET, "a key that stays", 16, BOOLS(CKA_SIGN));
    while (atomic_load(&working)) {
        if (mac(s, atomic_load(&shared)) == CKR_OK)
            atomic_fetch_add(&used, 1);
        if (mac(s, own) != CKR_OK)
            note_wrong();
    }
    session_close(s);
    clear_stack();
    return NULL;
}

static void make_and_destroy(void)
{
    const CK_SESSION_HANDLE s = session_open();
    uint8_t secret[2 * MARK] = { 0 };
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < MARK; k++)
            secret[k] = (uint8_t)~mark[k];
        memcpy(secret + MARK, &i, sizeof i);
        atomic_store(&shared,
                     key_of(s, CKK_GENERIC_SECRET, secret, sizeof secret, BOOLS(CKA_SIGN)));
        const int before = atomic_load(&used);
        while (i % 8 == 0 && atomic_load(&used) == before)
            sched_yield();
        for (volatile int k = i * 37 % 3000; k > 0; k--)
            continue;
        destroy(s, shared);
    }
    memset(secret, 0, sizeof secret);
    __asm__ volatile("" : : "r"(secret) : "memory");
    session_close(s);
}

static int num_marks(const uint8_t *p, size_t len)
{
    int num = 0;
    for (size_t at = 0; at + MARK <= len; at++) {
        size_t k = 0;
        while (k < MARK && (p[at + k] ^ mark[k]) == 0xff)
            k++;
        num += k == MARK;
    }
    return num;
}

/* num_left returns how many keys are in memory. */
static int num_left(void)
{
    static uint8_t part[1 << 20];
    char line[512], access[8];
    unsigned long at, end;
    int num = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    const int memory = open("/proc/self/mem", O_RDONLY);
    while (maps && fgets(line, sizeof line, maps)) {
        ssize_t got = 1;
        if (sscanf(line, "%lx-%lx %7s", &at, &end, access) != 3 || strncmp(access, "rw", 2) != 0)
            continue;
        for (; at < end && got > 0; at += (unsigned long)got) {
            const size_t len = end - at < sizeof part ? end - at : sizeof part;
            got = pread(memory, part, len, (off_t)at);
            num += got > 0 ? num_marks(part, (size_t)got) : 0;
        }
    }
    if (maps)
        fclose(maps);
    close(memory);
    return num;
}

static void test_left(void)
{
    pthread_t threads[3];
    if (KEEPS_STACKS) {
        tap_skip("a sanitizer keeps copies of them", "keys that were destroyed");
        return;
    }
    used = wrong = 0;
    atomic_store(&working, 1);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_create(&threads[i], NULL, switcher, NULL);
    make_and_destroy();
    atomic_store(&working, 0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    clear_stack();
    const int left = num_left();
    printf("# %d signatures\n", used);
    if (left || wrong)
        complain("%d keys are in memory, %d results are wrong", left, wrong);
    tap(1, "of keys that are destroyed while threads take another one nothing is left");
}

int main(int argc, char **argv)
{
    rounds = argc > 2 && !strcmp(argv[1], "--quick") ? 500 : 5000;
    module_begin(argc > 1 ? argv[argc - 1] : "");
    test_threads();
    test_left();
    module_end();
    return tap_done();
}
