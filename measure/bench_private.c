/* SPDX-License-Identifier: Apache-2.0 */
/* A service that runs for one measurement only. */
#define _GNU_SOURCE
#include "../cli/file.h"
#include "../cli/module.h"
#include "../cli/temporary.h"
#include "bench.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static cpu_set_t all; /* CPUs that this program may use */

static int nth_cpu(int i)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, &all) && i-- == 0)
            return cpu;
    return -1;
}

void bench_run_on_cpu(const struct private_service *s, int i)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)nth_cpu(i % s->num_cpus), &one);
    sched_setaffinity(0, sizeof one, &one);
}

void bench_run_anywhere(void)
{
    sched_setaffinity(0, sizeof all, &all);
}

double bench_private_cpu(const struct private_service *s)
{
    struct timespec t = { 0 };
    clockid_t clock;
    if (s->pid > 0 && !clock_getcpuclockid(s->pid, &clock))
        clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void become_service(const struct private_service *s, const char *crossover)
{
    char path[PATH_MAX], cpus[32], socket[PATH_MAX + 16], policy[PATH_MAX + 16];
    char table[PATH_MAX + 32], keys[PATH_MAX + 16];
    const char *argv[] = { "headraced", socket, cpus, policy, table, keys, NULL };
    snprintf(socket, sizeof socket, "--socket=%s", s->socket);
    snprintf(policy, sizeof policy, "--policy=%s", s->policy);
    snprintf(cpus, sizeof cpus, "--cpus=%d", s->cpu);
    /* The system's folder of keys belongs to the system's service: this one would refuse it. */
    snprintf(keys, sizeof keys, "--keys=%s", s->keys);
    snprintf(table, sizeof table, "--crossover=%s", crossover ? crossover : s->rules);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (module_beside_program(path, "/../accel/headraced") ||
        module_beside_program(path, "/../sbin/headraced"))
        execv(path, (char **)argv);
    execvp(argv[0], (char **)argv);
    tool_error("accel: cannot start headraced: %s", strerror(errno));
    _exit(127);
}

/* Whether a server listens on this socket. */
static bool answers(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return false;
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const bool there = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address);
    if (fd >= 0)
        close(fd);
    return there;
}

static int wait_for(struct private_service *s)
{
    const struct timespec moment = { 0, 10000000 };
    for (int i = 0; i < 3000; i++) {
        if (answers(s->socket))
            return EXIT_SUCCESS;
        if (waitpid(s->pid, NULL, WNOHANG) == s->pid) {
            s->pid = 0;
            return tool_error("accel: headraced ended at once");
        }
        nanosleep(&moment, NULL);
    }
    return tool_error("accel: headraced does not answer at %s", s->socket);
}

/* ---- the folder ---- */

static struct private_service left; /* that of which a signal removes the folder */
static pid_t owner;                 /* the process that made it: children must not remove it */

static void remove_folder(const struct private_service *s)
{
    unlink(s->socket);
    unlink(s->policy);
    unlink(s->rules);
    rmdir(s->keys);
    rmdir(s->folder);
}

/* The kernel ends the service with this process. */
static void remove_and_die(int number)
{
    if (getpid() == owner)
        remove_folder(&left);
    signal(number, SIG_DFL);
    raise(number);
}

static void remove_by_signal(const struct private_service *s)
{
    left = *s;
    owner = getpid();
    temporary_catch(remove_and_die);
}

/* Makes the folder for the service's socket and an empty one for keys, and writes its policy: any
 * process that can reach the folder may attach, up to 1024 times. */
static int make_folder(struct private_service *s)
{
    static const char text[] = "[client bench]\nattach = yes\nadmin = yes\nclients = 1024\n";
    const char *tmp = getenv("TMPDIR");
    char folder[64];
    if ((size_t)snprintf(folder, sizeof folder, "%s/headrace-bench-XXXXXX", tmp ? tmp : "/tmp") >=
        sizeof folder)
        return tool_error("accel: TMPDIR is too long for a socket");
    if (!mkdtemp(folder))
        return tool_error("accel: cannot make %s: %s", folder, strerror(errno));
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    snprintf(s->socket, sizeof s->socket, "%s/sock", folder);
    snprintf(s->policy, sizeof s->policy, "%s/accel.conf", folder);
    snprintf(s->keys, sizeof s->keys, "%s/keys", folder);
    snprintf(s->rules, sizeof s->rules, "%s/table", folder);
    remove_by_signal(s);
    if (mkdir(s->keys, 0700))
        return tool_error("accel: cannot make %s: %s", s->keys, strerror(errno));
    return file_replace(s->policy, text, sizeof text - 1, NULL);
}

/* Starts a service with the crossover table of a file, of this text, or none. */
static int start(struct private_service *s, const char *crossover, const char *rules)
{
    int code = make_folder(s);
    if (!code && rules)
        code = file_replace(s->rules, rules, strlen(rules), NULL);
    if (code)
        return code;
    s->pid = fork();
    if (s->pid == 0)
        become_service(s, crossover);
    if (s->pid < 0)
        return tool_error("accel: cannot fork: %s", strerror(errno));
    return wait_for(s);
}

/* Moves this process off the accelerator's CPU. */
static void leave_cpu(const struct private_service *s)
{
    cpu_set_t others = all;
    if (s->num_cpus == 1)
        return;
    CPU_CLR((unsigned)s->cpu, &others);
    sched_setaffinity(0, sizeof others, &others);
}

static void find_cpus(struct private_service *s)
{
    memset(s, 0, sizeof *s);
    sched_getaffinity(0, sizeof all, &all);
    s->num_cpus = CPU_COUNT(&all);
    s->cpu = nth_cpu(s->num_cpus - 1);
}

int bench_private_rules(struct private_service *s, const char *text)
{
    find_cpus(s);
    const int code = start(s, NULL, text);
    leave_cpu(s);
    return code;
}

int bench_private_start(struct private_service *s, const char *socket, const char *crossover)
{
    find_cpus(s);
    if (socket && strlen(socket) >= sizeof s->socket)
        return tool_usage("accel: %s is too long for a socket", socket);
    if (socket)
        strcpy(s->socket, socket);
    const int code = !socket           ? start(s, crossover, NULL)
                     : answers(socket) ? EXIT_SUCCESS
                                       : tool_error("accel: no service at %s", socket);
    leave_cpu(s);
    return code;
}

/* Opens the schedstat of the accelerator's thread. The first thread of the service is the
 * control thread. */
static int open_schedstat(const struct private_service *s)
{
    char path[64];
    int fd = -1;
    snprintf(path, sizeof path, "/proc/%d/task", (int)s->pid);
    DIR *tasks = opendir(path);
    for (const struct dirent *task; fd < 0 && tasks && (task = readdir(tasks));) {
        const int id = atoi(task->d_name);
        snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)s->pid, id);
        if (id && id != s->pid)
            fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (tasks)
        closedir(tasks);
    return fd;
}

double bench_private_delay(void *service)
{
    struct private_service *s = service;
    char text[96];
    double ns = 0;
    if (!s->schedstat)
        s->schedstat = open_schedstat(s);
    const ssize_t n = s->schedstat < 0 ? -1 : pread(s->schedstat, text, sizeof text - 1, 0);
    if (n > 0) {
        text[n] = '\0';
        (void)sscanf(text, "%*u %lf", &ns); /* time of running, time of waiting */
    }
    return ns;
}

void bench_private_stop(struct private_service *s)
{
    if (s->pid > 0 && !kill(s->pid, SIGTERM))
        waitpid(s->pid, NULL, 0);
    if (s->schedstat > 0)
        close(s->schedstat);
    if (*s->folder)
        remove_folder(s);
    owner = 0;
    memset(s, 0, sizeof *s);
}
