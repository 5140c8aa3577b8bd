/* SPDX-License-Identifier: Apache-2.0 */
/* steps HEADRACED [OPTION...]: kills processes at every step.  A client's process is stopped at
 * each of its system calls in turn, and at instructions between its first request and the last
 * completion, and killed there.  Then the service is killed, at each system call of its control
 * thread while a client attaches, and at instructions of its accelerator at work.  The service must
 * outlive its clients; clients must not notice that a service died, and no result may be wrong.
 * HEADRACE_TEST_STEPS: the service is killed at each of its calls, not at every seventh. */
#define _GNU_SOURCE
#include "client.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_CALLS = 400,
    SAMPLES = 40,
    STRIDE = 97,
    PATIENCE_MS = 30000,
    ASLEEP_MS = 2000,
    STEP_LOOKS = 200
};

struct service service;
struct neighbour neighbour;
char **service_arguments;

static const char policy[] = "[client all]\nclients = 64\nattaches = 0\nrings = 8\nwindow = 64K\n";

/* ---- processes ---- */

/* life is a program's use of the library, from the first call to the last.  It works until nobody
 * holds the other end of the pipe `until`, where that is not -1, and then a little more. */
static int life(int pause, int until)
{
    struct hr_queue *queue;
    uint64_t handle;
    int wrong = hr_queue_connect(&queue, service.socket);
    if (wrong)
        return wrong;
    if (pause)
        raise(SIGSTOP);
    struct pollfd end = { .fd = until, .events = POLLIN };
    while (until >= 0 && !poll(&end, 1, 0))
        wrong += tasks_run(queue, 8, 600);
    for (int i = 0; i < 3; i++)
        wrong += tasks_run(queue, 8, 600);
    if (!hr_accel_key_generate(&handle, HR_HMAC_SHA256, 32))
        hr_accel_key_close(handle);
    hr_queue_close(queue);
    return wrong;
}

/* client_begin starts a client, which works until the second end of the pipe `until` is closed. */
static pid_t client_begin(int traced, int pause, const int *until)
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid)
        return pid;
    if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(3);
    if (traced)
        raise(SIGSTOP);
    if (until)
        close(until[1]);
    _exit(life(pause, until ? until[0] : -1) ? 1 : 0);
}

static void put_down(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
}

/* go_on continues a stopped thread until it stops again and returns 0.  It returns 1 if the thread
 * ended, or -1 if it neither stops nor ends before `other` ends, or while a thread may sleep. */
static int go_on(pid_t tid, int how, pid_t other)
{
    int status, signal = 0;
    for (;;) {
        if (ptrace((enum __ptrace_request)how, tid, NULL, (void *)(uintptr_t)signal))
            return 1;
        for (int ms = -STEP_LOOKS;; ms++) {
            const pid_t got = waitpid(tid, &status, __WALL | (other ? WNOHANG : 0));
            if (got < 0 || (got && !WIFSTOPPED(status)))
                return 1;
            if (got)
                break;
            siginfo_t info = { .si_pid = 0 };
            if (waitid(P_PID, (id_t)other, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid ||
                ms > ASLEEP_MS)
                return -1;
            if (ms < 0)
                sched_yield(); /* a step takes microseconds */
            else
                usleep(1000);
        }
        if (WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == (SIGTRAP | 0x80))
            return 0;
        signal = WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
    }
}

/* ---- clients die ---- */

static int client_dies(int how, int steps)
{
    const pid_t pid = client_begin(1, how == PTRACE_SINGLESTEP, NULL);
    int status, ended = 0;
    if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
        return -1;
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
    if (how == PTRACE_SINGLESTEP) { /* to the second stop */
        if (ptrace(PTRACE_CONT, pid, NULL, NULL) || waitpid(pid, &status, __WALL) != pid ||
            !WIFSTOPPED(status))
            return -1;
    }
    for (int i = 0; i < steps && !ended; i++)
        ended = go_on(pid, how, 0);
    if (!ended)
        put_down(pid);
    return ended;
}

static void clients_die(void)
{
    int calls = 0, ended = 0;
    neighbour_goes_on(&neighbour, 2);
    const long before = service_descriptors(&service);
    while (calls < MOST_CALLS && !(ended = client_dies(PTRACE_SYSCALL, calls)))
        calls++;
    if (ended < 0) {
        tap_skip("no process may trace another here", "clients die");
        return;
    }
    neighbour_goes_on(&neighbour, 4);
    tap(service_alive(&service), "clients die at %d steps in and out of the kernel", calls);
    for (int i = 0; i < SAMPLES; i++)
        if (client_dies(PTRACE_SINGLESTEP, 1 + i * STRIDE) < 0)
            complain("a client cannot be stepped");
    neighbour_goes_on(&neighbour, 4);
    for (int ms = 0; service_descriptors(&service) > before + 4; ms++) {
        if (ms == PATIENCE_MS) {
            complain("the service has %ld descriptors, %ld before", service_descriptors(&service),
                     before);
            break;
        }
        usleep(1000);
    }
    tap(service_alive(&service), "clients die at %d instructions of their requests", SAMPLES);
}

/* ---- the service dies ---- */

/* accelerator_thread returns the thread that the service started first. */
static pid_t accelerator_thread(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)service.pid);
    DIR *folder = opendir(path);
    pid_t tid = 0;
    for (struct dirent *each; folder && (each = readdir(folder));)
        if (atoi(each->d_name) > service.pid && (!tid || atoi(each->d_name) < tid))
            tid = atoi(each->d_name);
    if (folder)
        closedir(folder);
    return tid;
}

static int seize(pid_t tid)
{
    int status;
    return tid <= 0 || ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) ||
           ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid;
}

static void let_end(const int *until)
{
    for (int i = 0; i < 2; i++)
        if (until[i] >= 0)
            close(until[i]);
}

/* service_dies kills the service after `steps` steps of a thread: of the control thread while a
 * client attaches, or of the accelerator while a client works until then.  It returns 0, 1 if the
 * thread ended before, or -1 if the service may not be traced or did not stop; *made is the number
 * of steps. */
static int service_dies(int how, int steps, int *made)
{
    const int control = how == PTRACE_SYSCALL;
    int status = 0, ended = 0, until[2] = { -1, -1 };
    if (!control && pipe2(until, O_CLOEXEC))
        return -1;
    pid_t client = control ? 0 : client_begin(0, 0, until);
    const pid_t tid = control ? service.pid : accelerator_thread();
    if (seize(tid)) {
        if (client)
            put_down(client);
        let_end(until);
        return -1;
    }
    if (control)
        client = client_begin(0, 0, NULL);
    for (*made = 0; *made < steps && !ended; *made += !ended)
        ended = go_on(tid, how, client);
    kill(service.pid, SIGKILL);
    if (tid != service.pid)
        waitpid(tid, NULL, __WALL);
    service_kill(&service);
    service_again(&service);
    let_end(until);
    if (waitpid(client, &status, 0) != client || status)
        complain("after %d steps: a client ends with %#x", *made, (unsigned)status);
    return ended;
}

static void services_die(void)
{
    const int all = getenv("HEADRACE_TEST_STEPS") != NULL,
              samples = all ? 10 * SAMPLES : SAMPLES / 3;
    int calls = 0, ended = 0, made = 0;
    while (calls < MOST_CALLS && !(ended = service_dies(PTRACE_SYSCALL, calls, &made)))
        calls += all ? 1 : 7;
    if (ended < 0 && !calls) {
        tap_skip("the service may not be traced by this user", "the service dies");
        return;
    }
    tap(1, "the service dies at %d steps in and out of the kernel, no client notices",
        all ? calls : calls / 7);
    int died = 0; /* without those whose thread made no step */
    for (int i = 0; i < samples; i++) {
        service_dies(PTRACE_SINGLESTEP, 1 + i * STRIDE * SAMPLES / samples, &made);
        died += made > 0;
    }
    if (died < samples / 2)
        complain("of %d accelerators %d made a step", samples, died);
    tap(1, "the service dies at %d instructions of its accelerator, no client notices", died);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    service_arguments = argv + 1;
    service_begin(&service, service_arguments, policy);
    neighbour_begin(&neighbour, &service);
    clients_die();
    neighbour_end(&neighbour);
    services_die();
    service_end(&service);
    tap(1, "the service ends well");
    return tap_done();
}
