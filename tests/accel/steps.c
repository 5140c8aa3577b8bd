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
#include <headrace/algorithms.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CALLS = 400, SAMPLES = 40, STRIDE = 97, PATIENCE_MS = 30000 };

struct service service;
struct neighbour neighbour;
char **service_arguments;

static const char policy[] = "[client all]\nclients = 64\nattaches = 0\nrings = 8\nwindow = 64K\n";

/* ---- processes ---- */

/* life is a program's use of the library, from the first call to the last. */
static int life(int pause)
{
    struct hr_queue *queue;
    uint64_t handle;
    int wrong = hr_queue_connect(&queue, service.socket);
    if (wrong)
        return wrong;
    if (pause)
        raise(SIGSTOP);
    for (int i = 0; i < 3; i++)
        wrong += tasks_run(queue, 8, 600);
    if (!hr_accel_key_generate(&handle, HR_HMAC_SHA256, 32))
        hr_accel_key_close(handle);
    hr_queue_close(queue);
    return wrong;
}

static pid_t client_begin(int traced, int pause)
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid)
        return pid;
    if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(3);
    if (traced)
        raise(SIGSTOP);
    _exit(life(pause) ? 1 : 0);
}

static void put_down(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
}

/* go_on continues a stopped thread until it stops again and returns 0.  It returns 1 if the thread
 * ended, or -1 if it neither stops nor ends before `other` ends or the time is up. */
static int go_on(pid_t tid, int how, pid_t other)
{
    int status, signal = 0;
    for (;;) {
        if (ptrace((enum __ptrace_request)how, tid, NULL, (void *)(uintptr_t)signal))
            return 1;
        for (int ms = 0;; ms++) {
            const pid_t got = waitpid(tid, &status, __WALL | (other ? WNOHANG : 0));
            if (got < 0 || (got && !WIFSTOPPED(status)))
                return 1;
            if (got)
                break;
            siginfo_t info = { .si_pid = 0 };
            if (waitid(P_PID, (id_t)other, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid ||
                ms > PATIENCE_MS)
                return -1;
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
    const pid_t pid = client_begin(1, how == PTRACE_SINGLESTEP);
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

/* service_dies kills the service after `steps` steps of a thread.  It returns 0, 1 if the thread
 * ended before, or -1 if the service may not be traced or did not stop. */
static int service_dies(int how, int steps)
{
    const int control = how == PTRACE_SYSCALL;
    int status = 0, ended = 0;
    pid_t client = control ? 0 : client_begin(0, 0);
    const pid_t tid = control ? service.pid : accelerator_thread();
    if (seize(tid)) {
        if (client)
            put_down(client);
        return -1;
    }
    if (control)
        client = client_begin(0, 0);
    for (int i = 0; i < steps && !ended; i++)
        ended = go_on(tid, how, client);
    kill(service.pid, SIGKILL);
    if (tid != service.pid)
        waitpid(tid, NULL, __WALL);
    service_kill(&service);
    service_again(&service);
    if (waitpid(client, &status, 0) != client || status)
        complain("after %d steps: a client ends with %#x", steps, (unsigned)status);
    return ended;
}

static void services_die(void)
{
    const int all = getenv("HEADRACE_TEST_STEPS") != NULL,
              samples = all ? 10 * SAMPLES : SAMPLES / 3;
    int calls = 0, ended = 0;
    while (calls < MOST_CALLS && !(ended = service_dies(PTRACE_SYSCALL, calls)))
        calls += all ? 1 : 7;
    if (ended < 0 && !calls) {
        tap_skip("the service may not be traced by this user", "the service dies");
        return;
    }
    tap(1, "the service dies at %d steps in and out of the kernel, no client notices",
        all ? calls : calls / 7);
    int died = 0; /* without those whose thread could not be traced */
    for (int i = 0; i < samples; i++)
        died += service_dies(PTRACE_SINGLESTEP, 1 + i * STRIDE * SAMPLES / samples) >= 0;
    if (died < samples / 2)
        complain("of %d accelerators %d could be stepped", samples, died);
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
