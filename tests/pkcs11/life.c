/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the PKCS#11 module: begun and ended twice and by other threads, in children of forks
 * at any moment, at exit() within operations, unloaded and loaded again; and where its secrets are.
 * Usage: life [--quick] MODULE */
#define _GNU_SOURCE
#include "p11.h"
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;
static CK_SESSION_HANDLE s;
#define NOTHING ((struct list){ 0 })

/* ---- C_Initialize and C_Finalize ---- */

static CK_RV make_mutex(void **mutex)
{
    return CKR_OK;
}

static CK_RV use_mutex(void *mutex)
{
    return CKR_OK;
}

static void test_arguments(void)
{
    int byte;
    CK_C_INITIALIZE_ARGS args = { 0 };
    EXPECT(CKR_CRYPTOKI_ALREADY_INITIALIZED, p11->C_Initialize(NULL));
    EXPECT(CKR_CRYPTOKI_ALREADY_INITIALIZED, p11->C_Initialize(&args));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_Finalize(&byte));
    EXPECT(CKR_OK, p11->C_Finalize(NULL));
    EXPECT(CKR_CRYPTOKI_NOT_INITIALIZED, p11->C_Finalize(NULL));
    args.pReserved = &byte;
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_Initialize(&args));
    args = (CK_C_INITIALIZE_ARGS){ .CreateMutex = make_mutex };
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_Initialize(&args));
    args = (CK_C_INITIALIZE_ARGS){ make_mutex, use_mutex, use_mutex, use_mutex, 0, NULL };
    EXPECT(CKR_OK, p11->C_Initialize(&args));
    EXPECT(CKR_OK, p11->C_Finalize(NULL));
    args =
        (CK_C_INITIALIZE_ARGS){ .flags = CKF_OS_LOCKING_OK | CKF_LIBRARY_CANT_CREATE_OS_THREADS };
    EXPECT(CKR_OK, p11->C_Initialize(&args));
    tap(1, "C_Initialize and C_Finalize with every argument, and twice");
}

static void *finalize(void *unused)
{
    return (void *)(uintptr_t)p11->C_Finalize(NULL);
}

static void test_other_thread(void)
{
    pthread_t thread;
    void *rv;
    s = session_open();
    CK_MECHANISM sha = { CKM_SHA256, NULL, 0 };
    REQUIRE(p11->C_DigestInit(s, &sha));
    pthread_create(&thread, NULL, finalize, NULL);
    pthread_join(thread, &rv);
    EXPECT(CKR_OK, (CK_RV)(uintptr_t)rv);
    EXPECT(CKR_CRYPTOKI_NOT_INITIALIZED, p11->C_CloseSession(s));
    REQUIRE(p11->C_Initialize(NULL));
    EXPECT(CKR_SESSION_HANDLE_INVALID, p11->C_CloseSession(s));
    tap(1, "another thread ends the module, within an operation");
}

/* ---- children ---- */

/* in_child runs a function in a child, and returns whether it returned 0. */
static int in_child(int (*function)(void))
{
    int status;
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        alarm(30);
        _exit(function());
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return complain("a child ended by signal %d", WTERMSIG(status)), 0;
    return WEXITSTATUS(status) ? complain("a child returned %d", WEXITSTATUS(status)), 0 : 1;
}

static CK_OBJECT_HANDLE parents_key;
static int random_pipe[2];

/* work uses everything once. */
static int work(void)
{
    CK_BYTE out[32], zero[32] = { 0 };
    CK_ULONG len = sizeof out;
    CK_OBJECT_HANDLE key;
    CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 };
    CK_SESSION_HANDLE session = session_open();
    if (generate(session, CKM_AES_KEY_GEN, 16, NOTHING, &key) != CKR_OK ||
        p11->C_EncryptInit(session, &ecb, key) != CKR_OK ||
        p11->C_Encrypt(session, zero, sizeof zero, out, &len) != CKR_OK)
        return 1;
    return p11->C_CloseSession(session) != CKR_OK;
}

static int child_begins_anew(void)
{
    CK_SESSION_INFO info;
    CK_ULONG size;
    CK_BYTE random[16];
    if (p11->C_GetSessionInfo(s, &info) != CKR_CRYPTOKI_NOT_INITIALIZED ||
        p11->C_Finalize(NULL) != CKR_CRYPTOKI_NOT_INITIALIZED)
        return 1;
    if (p11->C_Initialize(NULL) != CKR_OK)
        return 2;
    if (p11->C_GetSessionInfo(s, &info) != CKR_SESSION_HANDLE_INVALID)
        return 3;
    const CK_SESSION_HANDLE mine = session_open();
    if (p11->C_GetObjectSize(mine, parents_key, &size) != CKR_OBJECT_HANDLE_INVALID)
        return 4;
    if (p11->C_GenerateRandom(mine, random, sizeof random) != CKR_OK ||
        write(random_pipe[1], random, sizeof random) != sizeof random)
        return 5;
    return work() || p11->C_Finalize(NULL) != CKR_OK ? 6 : 0;
}

static int grandchild(void)
{
    const int rv = child_begins_anew();
    if (rv || p11->C_Initialize(NULL) != CKR_OK)
        return 10 + rv;
    s = session_open();
    return in_child(child_begins_anew) ? 0 : 20;
}

static void test_children(void)
{
    CK_BYTE random[4][16];
    CK_SESSION_INFO info;
    s = session_open();
    parents_key = key_of(s, CKK_AES, "0123456789abcdef", 16, NOTHING);
    if (pipe(random_pipe))
        complain("no pipe");
    in_child(child_begins_anew);
    in_child(grandchild);
    EXPECT(CKR_OK, p11->C_GetSessionInfo(s, &info));
    EXPECT(CKR_OK, p11->C_GenerateRandom(s, random[3], 16));
    if (read(random_pipe[0], random, 48) != 48 || work())
        complain("the parent does not go on");
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            if (!memcmp(random[i], random[k], 16))
                complain("two processes have the same random numbers");
    close(random_pipe[0]);
    close(random_pipe[1]);
    tap(1, "a child begins anew, knows no handle of its parent, and has other random numbers");
}

/* ---- forks and exits while other threads work ---- */

/* IS_EMULATED is defined by the build. A thread that was joined is still within QEMU for a moment.
 * A child that is forked then finds a lock of QEMU locked for ever: it hangs in QEMU, where alarm()
 * does not end it (seen in 4 of 10 runs of six at a time). So nothing is forked there once threads
 * ran. */

static _Atomic int is_over, failures;

static void *work_on(void *unused)
{
    while (!atomic_load(&is_over))
        if (work())
            atomic_fetch_add(&failures, 1);
    return NULL;
}

static int begin_and_work(void)
{
    if (p11->C_Initialize(NULL) != CKR_OK)
        return 1;
    if (work())
        return 2;
    return p11->C_Finalize(NULL) != CKR_OK;
}

static void test_fork_at_any_moment(int num)
{
    pthread_t threads[3];
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_create(&threads[i], NULL, work_on, NULL);
    for (int i = 0; i < num && !complaints_suffice(); i++)
        in_child(begin_and_work);
    atomic_store(&is_over, 1);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    atomic_store(&is_over, 0);
    if (failures)
        complain("%d failures in the parent", failures);
    tap(1, "%d forks while three threads work", num);
}

/* initialise_on begins and ends the module without end, so that forks find that half done. */
static void *initialise_on(void *unused)
{
    while (!atomic_load(&is_over))
        if (p11->C_Initialize(NULL) == CKR_OK)
            (void)p11->C_Finalize(NULL);
    return NULL;
}

static int begin_somehow(void)
{
    const CK_RV rv = p11->C_Initialize(NULL);
    return rv != CKR_OK && rv != CKR_CRYPTOKI_ALREADY_INITIALIZED ? 1 : work();
}

static void test_fork_in_initialize(int num)
{
    pthread_t thread;
    REQUIRE(p11->C_Finalize(NULL));
    pthread_create(&thread, NULL, initialise_on, NULL);
    for (int i = 0; i < num && !complaints_suffice(); i++)
        in_child(begin_somehow);
    atomic_store(&is_over, 1);
    pthread_join(thread, NULL);
    atomic_store(&is_over, 0);
    REQUIRE(p11->C_Initialize(NULL));
    tap(1, "%d forks while a thread begins and ends the module", num);
}

/* exit_at_work ends the process as main() does, while threads are within operations. */
static int exit_at_work(void)
{
    pthread_t threads[2];
    if (p11->C_Initialize(NULL) != CKR_OK)
        return 1;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_create(&threads[i], NULL, work_on, NULL);
    usleep(300);
    exit(0);
}

static void test_exit(int num)
{
    for (int i = 0; i < num && !complaints_suffice(); i++)
        in_child(exit_at_work);
    tap(1, "%d times exit() while two threads work", num);
}

/* ---- unloading ---- */

static int load_and_unload(void)
{
    void *library;
    for (int i = 0; i < 20; i++) {
        const functions *list = module_load(path, &library);
        if (!list || list->C_Initialize(NULL) != CKR_OK)
            return 1;
        p11 = list;
        s = session_open();
        if (work() || (i % 2 && list->C_Finalize(NULL) != CKR_OK))
            return 2;
        dlclose(library);
        if (i % 2 == 0 && dlopen(path, RTLD_NOW | RTLD_NOLOAD))
            return 3;
    }
    exit(0);
}

/* ---- where secrets are ---- */

enum { SECRET_LEN = 32 };
/* The secret is the XOR of these, so that the test's own memory does not have it. */
static uint8_t half[SECRET_LEN], other_half[SECRET_LEN];

/* holds_secret tells whether a part of memory has the first or the last half of the secret. */
static int holds_secret(const uint8_t *p, size_t len)
{
    for (size_t at = 0; at + 16 <= len; at++)
        for (int from = 0; from < SECRET_LEN; from += 16) {
            int i = 0;
            while (i < 16 && p[at + (size_t)i] == (half[from + i] ^ other_half[from + i]))
                i++;
            if (i == 16)
                return 1;
        }
    return 0;
}

/* search returns how many mappings have the secret, and complains of those that could be dumped. */
static int search(int wants_flags)
{
    static uint8_t part[1 << 16];
    char line[512];
    FILE *maps = fopen("/proc/self/smaps", "r");
    const int memory = maps ? fileno(fopen("/proc/self/mem", "r")) : -1;
    int found = 0, is_here = 0;
    while (memory >= 0 && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, access) == 3) {
            is_here = 0;
            if (end - start > 1ul << 30) /* a sanitizer's own */
                continue;
            for (; access[0] == 'r' && start < end; start += sizeof part) {
                const size_t len = end - start < sizeof part ? end - start : sizeof part;
                if ((const uint8_t *)start <= part &&
                    part < (const uint8_t *)start + len + sizeof part)
                    continue; /* this buffer */
                const ssize_t got = pread(memory, part, len, (off_t)start);
                is_here |= got > 0 && holds_secret(part, (size_t)got);
            }
            found += is_here;
        } else if (is_here && wants_flags && !strncmp(line, "VmFlags:", 8)) {
            if (!strstr(line, " dd") || !strstr(line, " wf"))
                complain("a secret is in memory that is dumped, or that a child sees: %s", line);
        }
    }
    memset(part, 0, sizeof part);
    if (maps)
        fclose(maps);
    return found;
}

/* shows_flags tells whether the flags of memory are shown: QEMU makes up some of its own. */
static int shows_flags(void)
{
    void *const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char line[512];
    FILE *maps = fopen("/proc/self/smaps", "r");
    int is_here = 0, shown = 0;
    if (madvise(page, 4096, MADV_DONTDUMP) || madvise(page, 4096, MADV_WIPEONFORK))
        is_here = -1;
    while (maps && is_here >= 0 && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            is_here = start <= (unsigned long)page && (unsigned long)page < end;
        else if (is_here && !strncmp(line, "VmFlags:", 8))
            shown = strstr(line, " dd") && strstr(line, " wf");
    }
    if (maps)
        fclose(maps);
    munmap(page, 4096);
    return shown;
}

static CK_OBJECT_HANDLE hidden;

/* make_secret makes a key and operations of it, and wipes its own copy. */
static void make_secret(void)
{
    uint8_t bytes[SECRET_LEN];
    CK_BYTE out[64], iv[16] = { 0 };
    CK_ULONG len = sizeof out;
    CK_MECHANISM cbc = { CKM_AES_CBC, iv, sizeof iv };
    random_bytes(half, sizeof half);
    random_bytes(other_half, sizeof other_half);
    for (int i = 0; i < SECRET_LEN; i++)
        bytes[i] = half[i] ^ other_half[i];
    hidden = key_of(s, CKK_AES, bytes, sizeof bytes, BOOLS(CKA_SENSITIVE));
    memset(bytes, 0, sizeof bytes);
    __asm__ volatile("" : : "r"(bytes) : "memory");
    REQUIRE(p11->C_EncryptInit(s, &cbc, hidden));
    REQUIRE(p11->C_EncryptUpdate(s, iv, 16, out, &len));
}

static int child_has_no_secret(void)
{
    return search(0);
}

/* AddressSanitizer keeps what was on the stack, to find accesses to it. */
#if defined(__SANITIZE_ADDRESS__)
enum { KEEPS_STACKS = 1 };
#else
enum { KEEPS_STACKS = 0 };
#endif

static int has_barriers(void)
{
    const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0);
    return commands > 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED;
}

/* A key that another session has used, or uses. */
static void destroyed_by_another(void)
{
    const CK_SESSION_HANDLE other = session_open();
    CK_BYTE out[64], in[16] = { 0 };
    CK_ULONG len;
    for (int is_at_work = 0; is_at_work < 2; is_at_work++) {
        make_secret();
        if (!is_at_work)
            REQUIRE(p11->C_EncryptInit(s, NULL, 0));
        REQUIRE(p11->C_DestroyObject(other, hidden));
        if (is_at_work) {
            len = sizeof out;
            EXPECT(CKR_OK, p11->C_EncryptUpdate(s, in, 16, out, &len));
            EXPECT(CKR_OK, p11->C_EncryptInit(s, NULL, 0));
        }
        if (search(0) && has_barriers())
            complain("it is still there");
        if (has_barriers() || is_at_work)
            tap(1, "a key that another session destroyed is nowhere in memory %s",
                is_at_work ? "when an operation has ended" : "at once, if no operation used it");
        else
            tap_skip("no membarrier(2)", "a key that another session destroyed");
        CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 };
        EXPECT(CKR_KEY_HANDLE_INVALID, p11->C_EncryptInit(s, &ecb, hidden));
    }
    session_close(other);
}

static void test_secrets(void)
{
    if (KEEPS_STACKS) {
        tap_skip("a sanitizer keeps copies of them", "where secrets are");
        return;
    }
    s = session_open();
    make_secret();
    const int has_flags = shows_flags();
    if (!search(has_flags)) {
        tap_skip("/proc/self/smaps or mem do not show memory", "where secrets are");
        return;
    }
    if (has_flags)
        tap(1, "secrets lie in memory that is in no core dump, and that children do not see");
    else
        tap_skip("this system does not show flags of memory", "secrets are in no core dump");
    in_child(child_has_no_secret);
    tap(1, "the memory of a child has no secret of its parent");
    REQUIRE(p11->C_DestroyObject(s, hidden));
    REQUIRE(p11->C_EncryptInit(s, NULL, 0));
    if (search(0))
        complain("it is still there");
    tap(1, "a key that was destroyed is nowhere in memory");
    destroyed_by_another();
    make_secret();
    REQUIRE(p11->C_Finalize(NULL));
    if (search(0))
        complain("it is still there");
    tap(1, "after C_Finalize no key is in memory");
    REQUIRE(p11->C_Initialize(NULL));
}

static int without_locked_memory(void)
{
    const struct rlimit none = { 0, 0 };
    (void)setrlimit(RLIMIT_MEMLOCK, &none);
    return begin_and_work();
}

int main(int argc, char **argv)
{
    const int is_quick = argc > 2 && !strcmp(argv[1], "--quick");
    path = argc > 1 ? argv[argc - 1] : "";
    tap(in_child(load_and_unload), "the module is loaded and unloaded twenty times");
    module_begin(path);
    test_arguments();
    test_children();
    in_child(without_locked_memory);
    tap(1, "a child that may lock no memory works");
    test_secrets();
    test_other_thread();
    if (IS_EMULATED) {
        tap_skip("QEMU leaves its own locks locked in a child", "forks and exits beside threads");
    } else {
        test_fork_at_any_moment(is_quick ? 10 : 100);
        test_fork_in_initialize(is_quick ? 10 : 100);
        test_exit(is_quick ? 5 : 30);
    }
    module_end();
    return tap_done();
}
