/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of functions whose calls are known.  The target is a program of few functions, named on
 * the command line: to remove a uprobe takes the kernel some 50 ms, however idle the machine is.
 */
#define _GNU_SOURCE
#include "count/probes_internal.h"
#include "probes_target.h"
#include "test.h"
#include "tracefs_state.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the tracer ---- */

static const char *target_path;

struct run {
    const char *backend;
    uint64_t budget;
    bool attached; /* the target ran already, else the tracer launches it */
    pid_t pid;
    int go, out; /* pipes */
    struct probes *probes;
    struct object *object;
    int file;
    int status;
    char why[256];
};

/* start forks the target, which waits for a byte before its exec. */
static void start(struct run *r, const char *target)
{
    int go[2], out[2];
    if (pipe2(go, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
        abort();
    r->pid = fork();
    if (!r->pid) {
        char byte;
        dup2(out[1], STDOUT_FILENO);
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* the leak checker uses ptrace, which this
                                                      * test needs too */
        if (read(go[0], &byte, 1) == 1)
            execl(target_path, "probes_target", target, (char *)NULL);
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
        .pid = r->pid, .launched = !r->attached, .hold = !r->attached, .budget = r->budget
    };
    const char *why = "";
    r->file = open(target_path, O_RDONLY | O_CLOEXEC);
    r->object = object_open(r->file, "probes_target", &options, &why);
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

/* traced runs a target under probes to its end; it returns false if probes cannot be set. */
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

/* expect complains unless the function was called exactly `calls` times, and that is reported as
 * exact. */
static void expect(struct run *r, const char *name, uint64_t calls)
{
    const struct probe *p = counted(r, name);
    if (!p || p->calls != calls || p->exactness != COUNT_EXACT)
        complain("%s: %lld calls of %llu, exactness %d", name, p ? (long long)p->calls : -1,
                 (unsigned long long)calls, p ? (int)p->exactness : -1);
}

static void expect_bound(struct run *r, const char *name, uint64_t least, uint64_t most)
{
    const struct probe *p = counted(r, name);
    if (!p || p->calls < least || p->calls > most || p->exactness != COUNT_AT_LEAST)
        complain("%s: %lld calls, exactness %d", name, p ? (long long)p->calls : -1,
                 p ? (int)p->exactness : -1);
}

static void expect_bytes(struct run *r, const char *name, bool known, uint64_t bytes)
{
    const struct probe *p = counted(r, name);
    if (!p || p->bytes_known != known || p->bytes != bytes)
        complain("%s: %lld bytes of %llu, known %d", name, p ? (long long)p->bytes : -1,
                 (unsigned long long)bytes, p && p->bytes_known);
}

/* ---- tests ---- */

/* run_outside runs a target that the tracer did not start. */
static void run_outside(const char *target)
{
    int status = -1;
    const pid_t pid = fork();
    if (!pid) {
        execl(target_path, "probes_target", target, (char *)NULL);
        _exit(126);
    }
    if (waitpid(pid, &status, 0) != pid || status)
        complain("the target outside of the tree: wait status %#x", (unsigned)status);
}

static void test_messages(const char *backend)
{
    struct run r = { .backend = backend };
    if (traced(&r, "messages")) {
        run_outside("messages");
        expect(&r, "aesni_cbc_encrypt", EARLY + MESSAGES);
        expect_bytes(&r, "aesni_cbc_encrypt", true, (uint64_t)(EARLY + MESSAGES) * LEN);
        finish(&r);
    }
    tap(!complaints_so_far(), "%s: calls and bytes, from the constructor on, of no other process",
        backend);
}

static void test_family(const char *backend, enum tracefs_state state)
{
    struct run r = { .backend = backend };
    if (traced(&r, "family")) {
        expect(&r, "aesni_cbc_encrypt", EARLY + 3 * MESSAGES);
        if (probes_miss_children(r.probes, r.why, sizeof r.why))
            complain("%s", r.why);
        finish(&r);
    }
    tap(!complaints_so_far(), "%s, tracefs %s: children count", backend, tracefs_states[state]);
}

/* test_late_family: the tracer cannot hold children of a target that it did not launch, and so must
 * say where it may miss calls. */
static void test_late_family(const char *backend, enum tracefs_state state)
{
    struct run r = { .backend = backend, .attached = true };
    char byte;
    start(&r, "late family");
    if (write(r.go, "", 1) != 1 || read(r.out, &byte, 1) != 1)
        complain("the target says nothing");
    if (opened(&r)) {
        on_held(&r, r.pid);
        kill(r.pid, SIGTERM);
        while (!ended(&r))
            turn(&r);
        if (state != TRACEFS_REFUSED && !strcmp(backend, "uprobe"))
            expect(&r, "aesni_cbc_encrypt", 4 * MESSAGES);
        else
            expect_bound(&r, "aesni_cbc_encrypt", MESSAGES, 4 * MESSAGES);
        const bool missed = probes_miss_children(r.probes, r.why, sizeof r.why);
        if (missed != (state == TRACEFS_REFUSED))
            complain("children of a process: %s", missed ? r.why : "nothing is said");
        finish(&r);
    }
    tap(!complaints_so_far(),
        "%s, tracefs %s: no call of the children of a running process is missed silently", backend,
        tracefs_states[state]);
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
        if (!hot || !hot->calls || hot->exactness != COUNT_AT_LEAST)
            complain("the count of a hot leaf is no lower bound");
        finish(&r);
    }
    tap(!complaints_so_far(), "%s: a hot leaf is taken out, one below the budget stays", backend);
}

/* test_exchange takes out the probes of all leaves but leaf_0, one after another, while threads
 * call leaf_0: no call may be lost or counted twice. */
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

/* test_killed kills the tracer while the target is held, or while it runs: the target must run to
 * its end. */
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

/* test_namespace counts in a new pid namespace, as its first process, with a /proc of its own. */
static void test_namespace(enum tracefs_state state)
{
    fflush(stdout);
    pid_t outer = fork();
    if (!outer) {
        if (unshare(CLONE_NEWPID) || mounts_apart())
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
        tap(!status, "tracefs %s: counts in another pid namespace", tracefs_states[state]);
}

/* refused returns the reason why a back end cannot be had here, or NULL if it can. */
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
        if (read(r.out, &byte, 1) != 1) /* the target is mapped when it has written */
            complain("the target says nothing");
        on_held(&r, r.pid);
        while (!(seen && seen->calls)) {
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

static const char *const backends[] = { "multi", "uprobe" };

static void test_children(enum tracefs_state state)
{
    char why[256];
    if (tracefs_enter(state)) {
        tap_skip(strerror(errno), "children where tracefs is %s", tracefs_states[state]);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        if (refused(backends[i], why, sizeof why)) {
            tap_skip(why, "%s, tracefs %s", backends[i], tracefs_states[state]);
            continue;
        }
        test_family(backends[i], state);
        test_late_family(backends[i], state);
    }
    if (!refused("multi", why, sizeof why))
        test_namespace(state);
}

int main(int argc, char **argv)
{
    char why[256];
    if (argc != 2)
        return 2;
    target_path = argv[1];
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        if (refused(backends[i], why, sizeof why)) {
            tap_skip(why, "%s", backends[i]);
            continue;
        }
        test_messages(backends[i]);
        test_shapes(backends[i]);
        test_budget(backends[i]);
    }
    if (refused("multi", why, sizeof why)) {
        tap_skip(why, "exchange of links, a killed tracer, namespaces");
    } else {
        test_exchange();
        test_killed(true);
        test_killed(false);
    }
    if (refused("ptrace", why, sizeof why))
        tap_skip(why, "ptrace");
    else
        test_presence();
    for (int state = 0; state < NUM_TRACEFS_STATES; state++)
        test_children((enum tracefs_state)state);
    return tap_done();
}
