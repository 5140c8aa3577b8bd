/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of a process: its mappings, their files however they were named or removed, its
 * memory and names; and COMMAND's start and status.
 */
#define _GNU_SOURCE
#include "process/process.h"
#include "test.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/headrace-test.XXXXXX";

static const struct mapping *mapping_at(struct maps *maps, const void *address)
{
    return maps_read(maps, getpid()) ? NULL : maps_find(maps, (uintptr_t)address);
}

/* ---- mappings ---- */

static void reads_its_own_maps(void)
{
    struct maps maps;
    const struct mapping *code = mapping_at(&maps, (const void *)(uintptr_t)reads_its_own_maps);
    tap(code && code->exec && !code->write && *code->path == '/' && code->inode,
        "the mapping of our code");
    bool sorted = maps.num > 5;
    for (size_t i = 1; i < maps.num; i++)
        sorted = sorted && maps.at[i - 1].end <= maps.at[i].start;
    tap(sorted, "mappings are sorted and do not overlap");
    tap(!maps_find(&maps, 0) && !maps_find(&maps, UINT64_MAX), "no mapping where none is");
    maps_free(&maps);
    tap(maps_read(&maps, INT32_MAX) == -1 && errno == ENOENT, "no process, no maps");
}

enum fate { STAYS, DELETED, REPLACED };

/* opens maps a new file of this name, deletes or replaces it if `fate` says so, and opens it by
 * what is known of the mapping. Only root can open one that is gone. */
static void opens(const char *what, const char *name, enum fate fate)
{
    char path[200], text[32] = "", read_back[32] = "";
    struct maps maps;
    const char *why = "";
    struct stat st, opened;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    snprintf(text, sizeof text, "content of %d", (int)fate);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, sizeof text) != sizeof text || fstat(fd, &st))
        abort();
    void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (fate != STAYS)
        unlink(path);
    if (fate == REPLACED)
        close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    const struct mapping *m = mapping_at(&maps, at);
    const bool by_map_files = geteuid() == 0;
    fd = m ? mapping_open(getpid(), m, &why) : -1;
    const bool right = fd >= 0 && !fstat(fd, &opened) && opened.st_ino == st.st_ino &&
                       read(fd, read_back, sizeof read_back) == sizeof read_back &&
                       !memcmp(text, read_back, sizeof text);
    if (fate == STAYS || by_map_files)
        tap(right, "opens a file: %s%s", what, right ? "" : why);
    else
        tap(fd < 0 && *why, "refuses a file: %s: %s", what, why);
    if (fd >= 0)
        close(fd);
    maps_free(&maps);
    munmap(at, 4096);
    unlink(path);
}

/* refuses checks mappings that cannot be opened: the path is a FIFO, has another inode, or is
 * empty, as that of anonymous memory. */
static void refuses(void)
{
    struct stat st;
    const char *why = "";
    char path[200];
    snprintf(path, sizeof path, "%s/fifo", directory);
    if (mkfifo(path, 0600) || stat(path, &st))
        abort();
    const struct mapping fifo = { .start = 4096,
                                  .end = 8192,
                                  .inode = st.st_ino,
                                  .major = major(st.st_dev),
                                  .minor = minor(st.st_dev),
                                  .path = path };
    bool refused = mapping_open(getpid(), &fifo, &why) == -1;
    tap(refused, "does not open a FIFO: %s", why);
    unlink(path);
    struct mapping other = fifo;
    close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    other.inode++;
    refused = mapping_open(getpid(), &other, &why) == -1;
    tap(refused, "another inode: %s", why);
    unlink(path);
    char nothing[] = "";
    struct mapping none = { .start = 4096, .end = 8192, .path = nothing };
    refused = mapping_open(getpid(), &none, &why) == -1;
    tap(refused, "anonymous memory: %s", why);
}

/* ---- another mount namespace ---- */

enum opened { THEIRS, REFUSED, OURS, NOBODY = 65534 };
static const char theirs[] = "the file that is mapped", ours[] = "of the same name for the tracer";

static bool put(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd);
}

/* map_elsewhere starts a process of nobody that maps a file which only it sees under this path. It
 * returns 0 where there can be no mount namespace. */
static pid_t map_elsewhere(const char *path, uint64_t *at)
{
    int ready[2];
    if (pipe(ready))
        abort();
    const pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
            mount("none", directory, "tmpfs", 0, "mode=755") || !put(path, theirs))
            _exit(1);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        *at = (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
        if (setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1) ||
            write(ready[1], at, sizeof *at) != sizeof *at)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    const bool started = read(ready[0], at, sizeof *at) == sizeof *at;
    close(ready[0]);
    if (started)
        return pid;
    waitpid(pid, NULL, 0);
    return 0;
}

/* opened_by tells which file is opened by a tracer of this user. */
static enum opened opened_by(uid_t uid, pid_t pid, const struct mapping *m)
{
    int status = -1;
    const pid_t tracer = fork();
    if (tracer == 0) {
        char text[64] = "";
        const char *why;
        if (setresuid(uid, uid, uid))
            _exit(9);
        const int fd = mapping_open(pid, m, &why);
        if (fd >= 0 && read(fd, text, sizeof text - 1) < 0)
            _exit(9);
        _exit(fd < 0 ? REFUSED : !strcmp(text, theirs) ? THEIRS : OURS);
    }
    waitpid(tracer, &status, 0);
    return WEXITSTATUS(status);
}

/* is_not_misled checks that a path of another mount namespace leads to the file that is mapped, or
 * to none. */
static void is_not_misled(void)
{
    static const char *const what[] = { "opens the file of another mount namespace",
                                        "and does so without privileges",
                                        "opens no file once the process has ended" };
    char path[200];
    uint64_t at;
    struct maps maps;
    snprintf(path, sizeof path, "%s/mapped", directory);
    if (chmod(directory, 0755) || !put(path, ours))
        abort();
    const pid_t pid = geteuid() ? 0 : map_elsewhere(path, &at);
    const struct mapping *m = pid && !maps_read(&maps, pid) ? maps_find(&maps, at) : NULL;
    for (size_t i = 0; i < COUNT_OF(what); i++) {
        if (!m) {
            tap_skip("needs root, and mounts", "%s", what[i]);
            continue;
        }
        if (i == 2) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
        const enum opened want = i == 2 ? REFUSED : THEIRS;
        tap(opened_by(i == 1 ? NOBODY : 0, pid, m) == want, "%s", what[i]);
    }
    if (m)
        maps_free(&maps);
    unlink(path);
}

/* ---- a process ---- */

static void reads_memory(void)
{
    static const char mine[] = "this is in memory";
    char copy[sizeof mine] = "";
    tap(process_read(getpid(), (uintptr_t)mine, copy, sizeof copy) == sizeof copy &&
            !memcmp(mine, copy, sizeof copy),
        "reads memory");
    tap(process_read(getpid(), 16, copy, sizeof copy) <= 0, "nothing at an address without memory");
    tap(process_read(getpid(), UINT64_MAX - 8, copy, sizeof copy) <= 0,
        "nothing at the end of all addresses");
}

static void knows_names(void)
{
    char name[32];
    pid_t *tids;
    process_name(name, sizeof name, getpid());
    tap(!strncmp(program_invocation_short_name, name, 15), "its name is %s", name);
    process_name(name, sizeof name, INT32_MAX);
    tap(!strcmp(name, "?"), "nobody's name is ?");
    tap(process_threads(&tids, getpid()) == 1 && tids[0] == getpid(), "has one thread");
    free(tids);
    tap(process_threads(&tids, INT32_MAX) == -1 && !tids, "nobody has no threads");
    tap(!process_is_setuid(getpid()), "we run as ourselves");
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void shortens_control_groups(void)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        { "/system.slice/docker-" ID ".scope", "docker:0123456789ab" },
        { "/system.slice/docker-" ID ".scope/system.slice/cron.service", "docker:0123456789ab" },
        { "/docker/" ID, "docker:0123456789ab" },
        { "/kubepods.slice/kubepods-besteffort.slice/kubepods-pod1_2.slice/cri-containerd-" ID
          ".scope",
          "containerd:0123456789ab" },
        { "/kubepods/burstable/pod12/" ID, "container:0123456789ab" },
        { "/machine.slice/libpod-" ID ".scope/container", "podman:0123456789ab" },
        { "/lxc.payload.web/init.scope", "lxc:web" },
        { "/lxc/web", "lxc:web" },
        { "/system.slice/nginx.service", "nginx.service" },
        { "/system.slice/nginx.service\n", "nginx.service" },
        { "/user.slice/user-1000.slice/session-2.scope", "" },
        { "/", "" },
        { "", "" },
        { "/system.slice", "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char name[64];
        process_cgroup_short(name, sizeof name, cases[i].path);
        if (strcmp(name, cases[i].name) != 0)
            complain("%s: %s", cases[i].path, name);
        tap(!strcmp(name, cases[i].name), "control group %s", cases[i].name);
    }
    char tiny[4];
    process_cgroup_short(tiny, sizeof tiny, cases[0].path);
    tap(!strcmp(tiny, "doc"), "cut to the room there is");
}

/* ---- COMMAND ---- */

static int status_of(const char *user, bool *failed, char *const argv[])
{
    struct launch launch;
    int status = -1;
    if (launch_start(&launch, argv, user) || launch_go(&launch) ||
        waitpid(launch.pid, &status, 0) != launch.pid)
        return -1;
    *failed = launch_failed(&launch);
    return launch_status(status);
}

static void launches(void)
{
    static const struct {
        char *argv[4];
        int status;
        bool failed;
    } cases[] = {
        { { "true" }, 0, false },
        { { "sh", "-c", "exit 7" }, 7, false },
        { { "sh", "-c", "exit 127" }, 127, false },
        { { "sh", "-c", "kill -TERM $$" }, 128 + SIGTERM, false },
        { { "no-such-command-at-all" }, 127, true },
        { { "/etc/passwd" }, 126, true },
        { { "/" }, 126, true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool failed = false;
        const int status = status_of(NULL, &failed, cases[i].argv);
        tap(status == cases[i].status && failed == cases[i].failed, "%s %s: status %d",
            cases[i].argv[0], cases[i].argv[2] ? cases[i].argv[2] : "", status);
    }
}

static void launches_as_a_user(void)
{
    bool failed;
    struct launch launch;
    char *const is_nobody[] = { "sh", "-c", "test $(id -un) = nobody && test $(id -u) = 65534",
                                NULL };
    tap(launch_start(&launch, is_nobody, "no-such-user-at-all") == -1 && errno == EINVAL,
        "an unknown user");
    if (geteuid())
        tap_skip("only root can", "runs COMMAND as another user");
    else
        tap(status_of("nobody", &failed, is_nobody) == 0 && !failed,
            "runs COMMAND as another user");
}

/* gives_up checks that COMMAND ends and is not run if the tool is gone before it lets COMMAND
 * run. */
static void gives_up(void)
{
    struct launch launch;
    int status = 0;
    char *const argv[] = { "true", NULL };
    if (launch_start(&launch, argv, NULL))
        abort();
    close(launch.go);
    launch.go = -1;
    tap(waitpid(launch.pid, &status, 0) == launch.pid && launch_status(status) == 126 &&
            !launch_failed(&launch),
        "COMMAND gives up with the tool");
}

static void hands_signals_on(void)
{
    char *const argv[] = { "sleep", "100", NULL };
    struct launch launch;
    int status = 0;
    if (launch_start(&launch, argv, NULL) || launch_go(&launch))
        abort();
    signals_take(launch.pid);
    raise(SIGTERM);
    tap(waitpid(launch.pid, &status, 0) == launch.pid && launch_status(status) == 128 + SIGTERM &&
            !signals_stop(),
        "SIGTERM to us alone is handed on, and does not end us");
    launch_failed(&launch);
    signals_take(0);
    raise(SIGINT);
    tap(signals_stop(), "without COMMAND a signal ends the trace");
}

/* ---- privileges ---- */

/* after_the_drop runs in a child: after privileges_drop it must not be able to chroot, but still to
 * read another user's process. It returns 0, or the number of the step that failed. */
static int after_the_drop(pid_t other)
{
    struct maps maps;
    const char *why;
    char byte;
    privileges_drop(false, false);
    if (geteuid() == 0 && !chroot("/"))
        return 1;
    if (maps_read(&maps, other) || !maps.num)
        return 2;
    const int fd = mapping_open(other, &maps.at[0], &why);
    if (fd < 0)
        return 3;
    return process_read(other, maps.at[0].start, &byte, 1) == 1 ? 0 : 4;
}

static void drops_privileges(void)
{
    char *const argv[] = { "sleep", "100", NULL };
    struct launch launch;
    int status = 0;
    if (launch_start(&launch, argv, geteuid() ? NULL : "nobody") || launch_go(&launch))
        abort();
    launch_failed(&launch); /* waits until the child's exec has succeeded or failed */
    const pid_t child = fork();
    if (child == 0)
        _exit(after_the_drop(launch.pid));
    waitpid(child, &status, 0);
    if (geteuid())
        tap_skip("only root has any", "privileges are dropped");
    else
        tap(launch_status(status) == 0, "what is kept is enough, and no more (%d)",
            launch_status(status));
    kill(launch.pid, SIGKILL);
    waitpid(launch.pid, &status, 0);
}

int main(void)
{
    if (!mkdtemp(directory))
        abort();
    reads_its_own_maps();
    opens("plain", "plain", STAYS);
    opens("a space in its name", "with space", STAYS);
    opens("a newline in its name", "with\nnewline", STAYS);
    opens("called as if it were deleted", "ends in (deleted)", STAYS);
    opens("deleted", "x", DELETED);
    opens("deleted, another has its name", "y", REPLACED);
    refuses();
    is_not_misled();
    reads_memory();
    knows_names();
    shortens_control_groups();
    launches();
    launches_as_a_user();
    gives_up();
    drops_privileges();
    hands_signals_on();
    rmdir(directory);
    return tap_done();
}
