/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes with one token, and processes that are killed. */
#define _GNU_SOURCE
#include "store_test.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEN = 600 };
#define NEW_PIN "new", 3

/* put_version writes an object whose every byte is `version`, as long as it says. */
static int put_version(struct store *s, const uint8_t id[STORE_ID], uint8_t version,
                       enum store_put how)
{
    uint8_t bytes[LEN];
    memset(bytes, version, sizeof bytes);
    const size_t len = LEN / 2 + version;
    return store_put(s, id, &(struct store_parts){ bytes, bytes, len, len }, how);
}

struct versions {
    int num, of_first; /* objects; the version of the one whose id begins with 1 */
};

/* check_version complains of an object that no put_version wrote as a whole. */
static int check_version(void *arg, const struct store_object *object)
{
    const struct store_parts *p = &object->parts;
    const uint8_t version = p->open[0];
    struct versions *v = arg;
    v->num++;
    v->of_first = object->id[0] == 1 ? version : v->of_first;
    if (p->open_len != LEN / 2 + (size_t)version || p->secret_len != p->open_len)
        return complain("an object of wrong length");
    for (size_t i = 0; i < p->open_len; i++)
        if (p->open[i] != version || (object->is_open && p->secret[i] != version))
            return complain("an object of two versions");
    return 0;
}

/* ---- kill ---- */

static const uint8_t ids[2][STORE_ID] = { { 1 }, { 2 } };

static int change_put(struct store *s)
{
    return put_version(s, ids[1], 7, STORE_NEW);
}

static int change_replace(struct store *s)
{
    return put_version(s, ids[0], 8, STORE_REPLACE);
}

static int change_delete(struct store *s)
{
    return store_delete(s, ids[0]);
}

static int change_pin(struct store *s)
{
    return store_set_pin(s, STORE_USER, NEW_PIN);
}

static int change_all(struct store *s)
{
    return store_init(s, s->label, NEW_PIN);
}

/* What a process is killed in, what the token then has, if it is the old one and if it is the new
 * one: its objects, and which PIN opens it. */
static const struct {
    const char *name;
    int (*change)(struct store *s);
    int old_num, num, old_version, version;
    bool is_new_pin, is_new_token;
} changes[] = {
    { "a new object", change_put, 1, 2, 3, 3, false, false },
    { "a new version", change_replace, 1, 1, 3, 8, false, false },
    { "a deletion", change_delete, 1, 0, 3, 0, false, false },
    { "a new PIN", change_pin, 1, 1, 3, 3, true, false },
    { "a new token", change_all, 1, 0, 3, 0, true, true },
};

/* killed_at runs a change and kills it before its n-th system call.  Returns false if the change
 * ended before. */
static bool killed_at(struct store *s, size_t i, int n)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(changes[i].change(s) != 0);
    }
    waitpid(pid, &status, 0);
    for (n = 2 * n + 1; n && WIFSTOPPED(status); n--) { /* stops before and after each */
        ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
        waitpid(pid, &status, 0);
    }
    if (WIFSTOPPED(status)) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return true;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        complain("%s failed: %x", changes[i].name, (unsigned)status);
    return false;
}

/* check_killed looks at a token as a new process would.  Returns whether it is as after the change,
 * or -1 if it is neither that nor as before. */
static int check_killed(size_t i)
{
    struct store s;
    struct versions v = { 0 };
    open_store(&s);
    const enum store_role role = changes[i].is_new_token ? STORE_SO : STORE_USER;
    const int old =
        changes[i].is_new_token ? store_login(&s, role, SO_PIN) : store_login(&s, role, USER_PIN);
    if (old && store_login(&s, role, NEW_PIN))
        return -1;
    if (store_load(&s, check_version, &v) || s.num_left_out > (unsigned)changes[i].is_new_token)
        return -1;
    const bool is_old = v.num == changes[i].old_num && v.of_first == changes[i].old_version;
    const bool is_new = v.num == changes[i].num && v.of_first == changes[i].version;
    if (old ? !changes[i].is_new_pin || !is_new : changes[i].is_new_pin && !is_old)
        return -1;
    return old || !is_old ? is_new ? 1 : -1 : 0;
}

static void check_kills(size_t i)
{
    bool more = true;
    int seen[2] = { 0 }, n = 0;
    for (; more; n++) {
        struct store s, other;
        fresh(&s);
        if (put_version(&s, ids[0], 3, STORE_NEW))
            complain("no object");
        if (changes[i].is_new_token && store_login(&s, STORE_SO, SO_PIN))
            complain("no login");
        open_store(&other);
        if (load(&other) || store_changed(&other))
            complain("the token changes by itself");
        more = killed_at(&s, i, n);
        const bool news = store_changed(&other);
        const int result = check_killed(i);
        if (result < 0)
            complain("%s, killed at %d: the token is neither old nor new", changes[i].name, n);
        else if (result && !news)
            complain("%s, killed at %d: it is not noticed", changes[i].name, n);
        else
            seen[result]++;
        if (load(&other) != (result == 1 && changes[i].is_new_token ? STORE_REPLACED : 0) ||
            (other.is_there && store_changed(&other)))
            complain("%s, killed at %d: others cannot load it", changes[i].name, n);
    }
    tap(seen[0] && seen[1], "%s that is killed at any system call is made or not made",
        changes[i].name);
    printf("# of %d times %d made\n", n, seen[1]);
}

static void test_kill(void)
{
    for (size_t i = 0; i < COUNT_OF(changes); i++)
        check_kills(i);
}

/* is_locked tells whether another process holds the lock of the tries. */
static bool is_locked(void)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    const int fd = open(name_of("tries"), O_RDWR);
    if (fcntl(fd, F_OFD_GETLK, &lock))
        complain("%s", strerror(errno));
    close(fd);
    return lock.l_type == F_WRLCK;
}

/* The try is on disk before Argon2id ends: to kill the process does not give it back. */
static void test_kill_try(void)
{
    uint8_t token[400];
    struct store s;
    int status;
    fresh(&s);
    const size_t len = read_bytes(token, sizeof token, name_of("token"));
    memcpy(token + 184, (const uint8_t[]){ 0, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0, 16 }, 12); /* seconds */
    write_bytes(name_of("token"), token, len);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(store_login(&s, STORE_USER, WRONG_PIN) == 0);
    while (!waitpid(pid, &status, WNOHANG) && (store_look(&s) || !s.tries[STORE_USER]))
        usleep(1000);
    const bool locked = is_locked();
    const bool killed =
        !kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
    if (store_look(&s) || s.tries[STORE_USER] != 1 || !killed)
        complain("%u tries, %s", s.tries[STORE_USER], killed ? "killed" : "not killed");
    if (!locked || is_locked())
        complain("tries are not made one after another");
    tap(1, "the try of a process that is killed counts, and ends its lock");
}

/* ---- together ---- */

enum { PROCESSES = 12, ROUNDS = 5, EACH = 20 };

static int work_once(struct store *s, uint8_t which, enum store_put how)
{
    int error = store_login(s, STORE_USER, USER_PIN);
    for (uint8_t i = 0; i < EACH && !error; i++) {
        struct versions v = { 0 };
        error = put_version(s, (const uint8_t[STORE_ID]){ 2, which, i }, which, how);
        if (!error && i % 5 == 0)
            error = store_load(s, check_version, &v);
    }
    store_logout(s);
    return error;
}

static void work(uint8_t which)
{
    struct store s;
    int error = 0;
    open_store(&s);
    for (int i = 0; i < ROUNDS && !error; i++)
        error = work_once(&s, which, i ? STORE_REPLACE : STORE_NEW);
    _exit(error || complaints_so_far());
}

/* More processes than tries log in at once. */
static void test_together(void)
{
    struct store s;
    struct versions v = { 0 };
    fresh(&s);
    for (uint8_t i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            work(i);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
            complain("a process failed: %x", (unsigned)status);
    }
    if (store_load(&s, check_version, &v) || v.num != PROCESSES * EACH || s.num_left_out)
        complain("%d objects", v.num);
    tap(1, "%d processes log in and write at once, and none is taken for a wrong PIN", PROCESSES);
}

static void test_seen(void)
{
    struct store s, other;
    uint8_t id[STORE_ID];
    unsigned missed = 0;
    fresh(&s);
    open_store(&other);
    if (load(&s) || load(&other) || store_changed(&s) || store_changed(&other))
        complain("nothing has changed");
    for (int i = 0; i < 300; i++) { /* many in each tick of the clock */
        if (put_random(&s, id, 10, 10) || store_changed(&s))
            complain("a change of ours is no news");
        missed += !store_changed(&other);
        if (store_delete(&s, id))
            complain("no deletion");
        missed += !store_changed(&other);
        if (load(&other) || store_changed(&other))
            complain("what was loaded is no news");
    }
    tap(!missed, "each change by another process is seen, and none of ours");
}

void test_processes(void)
{
    test_seen();
    test_together();
    test_kill();
    test_kill_try();
}
