/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of functions whose calls are known.  The target is this program itself, executed anew:
 * its constructor calls something too, before main.
 */
#define _GNU_SOURCE
#include "probes_internal.h"
#include "test.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void function(void *block, const void *in, size_t num);
function aesni_cbc_encrypt, aesni_ecb_encrypt, leaf_0, leaf_1, leaf_2, leaf_3, leaf_4, leaf_5,
    leaf_6, leaf_7, dispatcher, fast_path, side_path, with_part, part_of_it, loop_at_entry;

enum { EARLY = 5, MESSAGES = 1000, LEN = 48, THREADS = 3 };

/* ---- the target ---- */

static void call(function *f, size_t num, size_t times)
{
    for (size_t i = 0; i < times; i++)
        f(NULL, NULL, num);
}

__attribute__((constructor)) static void before_main(void)
{
    call(aesni_cbc_encrypt, LEN, EARLY);
}

static int target_messages(void)
{
    call(aesni_cbc_encrypt, LEN, MESSAGES);
    return 0;
}

static int target_family(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (!child) {
            call(aesni_cbc_encrypt, LEN, MESSAGES);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}

static int target_shapes(void)
{
    call(dispatcher, 0, 10);
    call(dispatcher, 1, 20);
    call(dispatcher, 2, 40);
    call(fast_path, 0, 100);
    call(side_path, 0, 200);
    call(with_part, 0, 300);
    call(with_part, 1, 400);
    call(loop_at_entry, 7, 500);
    call(aesni_ecb_encrypt, LEN, 600);
    return 0;
}

static int target_hot(void)
{
    for (int i = 0; i < 200; i++) {
        call(leaf_1, 0, 100000);
        call(leaf_0, 0, 1);
    }
    return 0;
}

static volatile sig_atomic_t enough;

static void stop(int signal)
{
    (void)signal;
    enough = 1;
}

static void *steadily(void *calls)
{
    while (!enough) {
        call(leaf_0, 0, 100);
        *(uint64_t *)calls += 100;
    }
    return NULL;
}

/* Calls leaf_0 in all threads until it is told to stop; then says how often. */
static int target_steady(void)
{
    pthread_t threads[THREADS];
    uint64_t calls[THREADS] = { 0 }, sum = 0;
    signal(SIGTERM, stop);
    if (write(STDOUT_FILENO, "", 1) != 1)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, steadily, &calls[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += calls[i];
    }
    return write(STDOUT_FILENO, &sum, sizeof sum) != sizeof sum;
}

static const struct {
    const char *name;
    int (*main)(void);
} targets[] = {
    { "messages", target_messages }, { "family", target_family }, { "shapes", target_shapes },
    { "hot", target_hot },           { "steady", target_steady },
};

/* ---- the tracer ---- */

struct run {
    const char *backend;
    uint64_t budget;
    pid_t pid;
    int go, out; /* pipes */
    struct probes *probes;
    struct object *object;
    int file;
    int status;
    char why[256];
};

/* The target in front of its exec. */
static void start(struct run *r, const char *target)
{
    int go[2], out[2];
    if (pipe2(go, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
        abort();
    r->pid = fork();
    if (!r->pid) {
        char byte;
        dup2(out[1], STDOUT_FILENO);
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* it traces by ptrace, and so do we */
        if (read(go[0], &byte, 1) == 1)
            execl("/proc/self/exe", "probes_test", target, (char *)NULL);
        _exit(126);
    }
    close(go[0]);
    close(out[1]);
    r->go = go[1];
    r->out = out[0];
}

static bool opened(struct run *r)
{
    const struct object_options options = { .use_cache = false };
    const struct probes_target target = {
        .pid = r->pid, .launched = true, .hold = true, .budget = r->budget
    };
    const char *why = "";
    r->file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    r->object = object_open(r->file, "probes_test", &options, &why);
    r->probes = r->object ? probes_open(r->backend, &target, r->why, sizeof r->why) : NULL;
    if (r->probes)
        return true;
    complain("%s %s", why, r->why);
    kill(r->pid, SIGKILL);
    waitpid(r->pid, &r->status, 0);
    return false;
}

static void on_held(void *ctx, pid_t pid)
{
    struct run *r = ctx;
    (void)pid;
    if (probes_add(r->probes, r->object, r->file, false, r->why, sizeof r->why) < 0)
        complain("%s", r->why);
}

static bool ended(struct run *r)
{
    return waitpid(r->pid, &r->status, WNOHANG) == r->pid;
}

static void turn(struct run *r)
{
    probes_serve(r->probes, on_held, r);
    probes_tick(r->probes);
    usleep(1000);
}

static void finish(struct run *r)
{
    if (!WIFEXITED(r->status) || WEXITSTATUS(r->status))
        complain("the target's wait status is %#x", (unsigned)r->status);
    probes_close(r->probes);
    object_free(r->object);
    close(r->file);
    close(r->go);
    close(r->out);
}

/* From start to end. */
static bool traced(struct run *r, const char *target)
{
    start(r, target);
    if (!opened(r))
        return false;
    if (write(r->go, "", 1) != 1)
        return false;
    while (!ended(r))
        turn(r);
    return true;
}

static const struct probe *counted(struct run *r, const char *name)
{
    size_t num;
    const struct probe *all = probes_read(r->probes, &num);
    for (size_t i = 0; i < num; i++)
        if (all[i].function->name && !strcmp(all[i].function->name, name))
            return &all[i];
    return NULL;
}

/* Complains unless the function was called exactly so often. */
static void expect(struct run *r, const char *name, uint64_t calls)
{
    const struct probe *p = counted(r, name);
    if (!p || p->calls != calls || p->exactness != COUNT_EXACT)
        complain("%s: %lld calls of %llu, exactness %d", name, p ? (long long)p->calls : -1,
                 (unsigned long long)calls, p ? (int)p->exactness : -1);
}

static void expect_bytes(struct run *r, const char *name, bool known, uint64_t bytes)
{
    const struct probe *p = counted(r, name);
    if (!p || p->bytes_known != known || p->bytes != bytes)
        complain("%s: %lld bytes of %llu, known %d", name, p ? (long long)p->bytes : -1,
                 (unsigned long long)bytes, p && p->bytes_known);
}

/* ---- tests ---- */

static void test_messages(const char *backend)
{
    struct run r = { .backend = backend };
    if (traced(&r, "messages")) {
        call(aesni_cbc_encrypt, LEN, 77); /* not of the tree */
        expect(&r, "aesni_cbc_encrypt", EARLY + MESSAGES);
        expect_bytes(&r, "aesni_cbc_encrypt", true, (uint64_t)(EARLY + MESSAGES) * LEN);
        finish(&r);
    }
    tap(!complaints_so_far(), "%s: calls and bytes, from the constructor on, of no other process",
        backend);
}

static void test_family(const char *backend)
{
    struct run r = { .backend = backend };
    if (traced(&r, "family")) {
        expect(&r, "aesni_cbc_encrypt", EARLY + 3 * MESSAGES);
        finish(&r);
    }
    tap(!complaints_so_far(), "%s: children count", backend);
}

static void test_shapes(const char *backend)
{
    struct run r = { .backend = backend };
    if (traced(&r, "shapes")) {
        expect(&r, "dispatcher", 10);
        expect(&r, "fast_path", 20 + 100);
        expect(&r, "side_path", 40 + 200);
        expect(&r, "with_part", 300 + 400);
        expect(&r, "loop_at_entry", 500);
        expect(&r, "aesni_ecb_encrypt", 600);
        expect_bytes(&r, "aesni_ecb_encrypt", false, 0);
        finish(&r);
    }
    tap(!complaints_so_far(),
        "%s: dispatchers, side entries, parts and loops at the entry count once", backend);
}

static void test_budget(const char *backend)
{
    struct run r = { .backend = backend, .budget = 20000 };
    if (traced(&r, "hot")) {
        expect(&r, "leaf_0", 200);
        const struct probe *hot = counted(&r, "leaf_1");
        if (!hot || !hot->calls || hot->exactness != COUNT_ESTIMATED)
            complain("a hot leaf is not estimated");
        finish(&r);
    }
    tap(!complaints_so_far(), "%s: a hot leaf is taken out, one below the budget stays", backend);
}

/* While threads call leaf_0 the others are taken out, one after another. */
static void test_exchange(void)
{
    struct run r = { .backend = "multi" };
    uint64_t calls = 0;
    start(&r, "steady");
    if (opened(&r) && write(r.go, "", 1) == 1) {
        do
            turn(&r);
        while (!counted(&r, "leaf_0") || counted(&r, "leaf_0")->calls < 1000);
        for (size_t i = 0; i < r.probes->num; i++) {
            const char *name = r.probes->functions[r.probes->points[i].function].function->name;
            if (!name || strncmp(name, "leaf_", 5) || !strcmp(name, "leaf_0"))
                continue;
            r.probes->points[i].hot = true;
            if (r.probes->backend->take_out(r.probes))
                complain("exchange: %s", strerror(errno));
            r.probes->points[i].out = true;
        }
        kill(r.pid, SIGTERM);
        char byte;
        if (read(r.out, &byte, 1) != 1 || read(r.out, &calls, sizeof calls) != sizeof calls)
            complain("the target says nothing");
        waitpid(r.pid, &r.status, 0);
        expect(&r, "leaf_0", calls);
        finish(&r);
    }
    tap(!complaints_so_far(), "seven exchanges of links under load lose and double no hit");
}

/* The tracer is killed while the target is held, and while it runs. */
static void test_killed(bool held)
{
    struct run r = { .backend = "multi" };
    int status = 0;
    start(&r, "hot");
    pid_t tracer = fork();
    if (!tracer) {
        if (!opened(&r) || write(r.go, "", 1) != 1)
            _exit(1);
        if (held)
            while (probes_fd(r.probes) >= 0 && usleep(50000) == 0)
                kill(getpid(), SIGKILL);
        do
            turn(&r);
        while (!counted(&r, "leaf_1") || !counted(&r, "leaf_1")->calls);
        kill(getpid(), SIGKILL);
    }
    waitpid(tracer, &status, 0);
    close(r.go);
    waitpid(r.pid, &r.status, 0);
    tap(WIFSIGNALED(status) && WIFEXITED(r.status) && !WEXITSTATUS(r.status),
        "a tracer that is killed while the target %s leaves it to itself",
        held ? "is held" : "runs");
}

/* ---- another pid namespace ---- */

/* As the first process of a new pid namespace, with its own /proc. */
static void test_namespace(void)
{
    fflush(stdout);
    pid_t outer = fork();
    if (!outer) {
        if (unshare(CLONE_NEWPID | CLONE_NEWNS) ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
            _exit(77);
        pid_t inner = fork();
        if (!inner) {
            struct run r = { .backend = "multi" };
            if (mount("proc", "/proc", "proc", 0, NULL))
                _exit(77);
            if (traced(&r, "family"))
                expect(&r, "aesni_cbc_encrypt", EARLY + 3 * MESSAGES);
            _exit(complaints_so_far() ? 1 : 0);
        }
        int status;
        waitpid(inner, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    int status;
    waitpid(outer, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        tap_skip("no new namespace is allowed", "counts in another pid namespace");
    else
        tap(!status, "counts in another pid namespace");
}

/* Why a back end cannot be had here; NULL: it can. */
static const char *refused(const char *backend, char *why, size_t max)
{
    const struct probes_target target = { .pid = getpid() };
    struct probes *p = probes_open(backend, &target, why, max);
    if (!p)
        return why;
    probes_close(p);
    return NULL;
}

static void test_presence(void)
{
    struct run r = { .backend = "ptrace" };
    const struct probe *seen = NULL;
    start(&r, "steady");
    if (opened(&r) && write(r.go, "", 1) == 1) {
        char byte;
        if (read(r.out, &byte, 1) != 1) /* it is mapped now */
            complain("the target says nothing");
        on_held(&r, r.pid);
        for (int i = 0; i < 10000 && !(seen && seen->calls); i++) {
            turn(&r);
            seen = counted(&r, "leaf_0");
        }
        if (!seen || !seen->calls || seen->exactness != COUNT_AT_LEAST)
            complain("leaf_0 was not seen");
        kill(r.pid, SIGTERM);
        waitpid(r.pid, &r.status, 0);
        finish(&r);
    }
    tap(!complaints_so_far(), "ptrace: a function that is called is seen");
}

int main(int argc, char **argv)
{
    static const char *const backends[] = { "multi", "uprobe" };
    char why[256];
    for (size_t i = 0; argc == 2 && i < COUNT_OF(targets); i++)
        if (!strcmp(argv[1], targets[i].name))
            return targets[i].main();
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        if (refused(backends[i], why, sizeof why)) {
            tap_skip(why, "%s", backends[i]);
            continue;
        }
        test_messages(backends[i]);
        test_family(backends[i]);
        test_shapes(backends[i]);
        test_budget(backends[i]);
    }
    if (refused("multi", why, sizeof why)) {
        tap_skip(why, "exchange of links, a killed tracer, namespaces");
    } else {
        test_exchange();
        test_killed(true);
        test_killed(false);
        test_namespace();
    }
    if (refused("ptrace", why, sizeof why))
        tap_skip(why, "ptrace");
    else
        test_presence();
    return tap_done();
}
