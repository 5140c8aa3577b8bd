/* SPDX-License-Identifier: Apache-2.0 */
/* headraced is the accelerator's service.  headrace-accel(7) describes its model. */
#define _GNU_SOURCE
#include "headraced.h"
#include "cost.h"
#include "sandbox.h"
#include "selftest.h"
#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct options options;

static int failed(const char *what)
{
    log_error("%s: %s", what, strerror(errno));
    return -1;
}

/* 1. Enters a namespace without network, if root starts the service; for other users systemd does.
 */
static int leave_network(void)
{
    if (!geteuid() && unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS))
        log_verbose("cannot create a namespace: %s", strerror(errno));
    return 0;
}

/* limit sets a limit to `want`, or to as much as is allowed, and returns it. */
static rlim_t limit(int resource, rlim_t want)
{
    struct rlimit l = { want, want };
    if (!setrlimit(resource, &l))
        return want;
    if (getrlimit(resource, &l))
        return 0;
    l.rlim_cur = l.rlim_max < want ? l.rlim_max : want;
    return setrlimit(resource, &l) ? 0 : l.rlim_cur;
}

enum { MAX_CONNECTIONS = 1024, FDS_OF_CLIENT = 8, FDS_BESIDE = 64 };

/* 2. Forbids core dumps; allows descriptors for all clients, and as much locked memory as it
 * can. */
static int set_limits(void)
{
    const struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_CORE, &none))
        return failed("limits");
    const rlim_t fds = limit(RLIMIT_NOFILE, MAX_CONNECTIONS * FDS_OF_CLIENT + FDS_BESIDE);
    if (fds < FDS_BESIDE + FDS_OF_CLIENT) {
        log_error("too few descriptors are allowed (RLIMIT_NOFILE)");
        return -1;
    }
    service.max_sessions = (unsigned)((fds - FDS_BESIDE) / FDS_OF_CLIENT);
    (void)limit(RLIMIT_MEMLOCK, RLIM_INFINITY);
    return 0;
}

/* make_folder makes the folder of the standard socket, owned by the user. */
static int make_folder(const struct passwd *user)
{
    char folder[sizeof(CONTROL_PATH)] = CONTROL_PATH;
    *strrchr(folder, '/') = '\0';
    if (strcmp(options.socket, CONTROL_PATH) || getenv("LISTEN_FDS"))
        return 0;
    if (mkdir(folder, 0755) && errno != EEXIST)
        return failed(folder);
    return user && chown(folder, user->pw_uid, user->pw_gid) ? failed(folder) : 0;
}

/* 3. Becomes the user that --user names.  Root makes the folder of the standard socket before. */
static int drop_ids(void)
{
    const struct passwd *user = options.user ? getpwnam(options.user) : NULL;
    if (options.user && !user) {
        log_error("--user %s: there is no such user", options.user);
        return -1;
    }
    if (!geteuid() && make_folder(user))
        return -1;
    if (!user || user->pw_uid == geteuid())
        return 0;
    if (setgroups(0, NULL) || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) || !setuid(0))
        return failed(options.user);
    return 0;
}

/* forbid_looks keeps out the user's debuggers and forbids core dumps.  A change of ids would undo
 * it. */
static int forbid_looks(void)
{
    return prctl(PR_SET_DUMPABLE, 0) ? failed("limits") : 0;
}

/* The status after a failed self-test, with which systemd does not start the service again. */
enum { EXIT_SELFTEST = 3 };

static void test_kernels(void)
{
    char wrong[SELFTEST_TEXT];
    const int n = selftest_run(wrong);
    if (n < 0) {
        log_error("self-test: %s", wrong);
        exit(EXIT_SELFTEST);
    }
    service.kernels = (uint32_t)n;
    cost_measure(&cost_table);
    log_info("self-test: %d kernels computed the known answers", n);
}

static int start_accelerators(void)
{
    for (unsigned i = 0; i < options.num_accelerators; i++) {
        service.accelerators[i] = accelerator_start(options.cpus[i]);
        if (!service.accelerators[i] && options.cpus[i] >= 0)
            log_error("an accelerator on CPU %d: %s", options.cpus[i], strerror(errno));
        else if (!service.accelerators[i])
            failed("an accelerator");
        if (!service.accelerators[i])
            return -1;
    }
    return 0;
}

/* usual_threads returns a thread for each CPU that the service may use, and one.  Each takes 0.4
 * MiB of locked memory. */
static unsigned usual_threads(void)
{
    enum { MOST_CPUS = 16 };
    cpu_set_t set;
    const int cpus = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return (cpus < MOST_CPUS ? (unsigned)cpus : MOST_CPUS) + 1;
}

/* start_unit starts the unit for public keys. */
static int start_unit(void)
{
    struct policy_unit *settings = &service.policy.unit;
    if (!settings->threads_set)
        settings->threads = usual_threads();
    if (!settings->threads)
        return 0;
    service.unit = unit_start(settings);
    return service.unit ? 0 : failed("the unit for public keys");
}

/* 6. Restricts files while there is only one thread, and system calls when there are all. */
static int forbid_files(void)
{
    static char policy[PATH_MAX], crossover[PATH_MAX], sealing[PATH_MAX];
    snprintf(policy, sizeof policy, "%s", options.policy);
    snprintf(crossover, sizeof crossover, "%s", options.crossover);
    snprintf(sealing, sizeof sealing, "%s", policy_sealing_key(&service.policy));
    /* /etc for the names of users and groups */
    const char *folders[] = { "/etc",           dirname(policy), dirname(crossover),
                              dirname(sealing), options.keys,    options.credentials };
    if (options.no_sandbox)
        return 0;
    const size_t num = sizeof folders / sizeof *folders - !options.credentials;
    const int result = sandbox_files(folders, num);
    if (result > 0)
        log_warning("this kernel has no Landlock: files are protected by their owners only");
    return result < 0 ? failed("Landlock") : 0;
}

static int forbid_calls(void)
{
    if (!options.no_sandbox && sandbox_calls())
        return failed("seccomp");
    if (options.no_sandbox)
        log_warning("the sandbox is off, as --no-sandbox asks for");
    return 0;
}

int main(int argc, char **argv)
{
    options_parse(&options, argc, argv);
    log_begin(options.verbose);
    service.options = &options;
    quota_begin();
    peer_begin();
    sessions_hold_signals();
    if (leave_network() || set_limits() || drop_ids() || forbid_looks())
        return EXIT_FAILURE;
    /* 4. Opens the socket for clients.  5. Reads the files. */
    const int listener = listen_open(options.socket);
    if (listener < 0 || reload_files())
        return EXIT_FAILURE;
    if (sessions_begin(listener)) {
        failed("epoll");
        return EXIT_FAILURE;
    }
    listen_notify("STATUS=Testing itself");
    if (forbid_files())
        return EXIT_FAILURE;
    test_kernels();
    if (start_accelerators() || start_unit() || forbid_calls())
        return EXIT_FAILURE;
    listen_notify("READY=1\nSTATUS=Serving");
    sessions_serve();
    listen_notify("STOPPING=1");
    return EXIT_SUCCESS;
}
