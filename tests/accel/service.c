/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "harness.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 16 };

static void give_up(const char *what)
{
    printf("Bail out! %s: %s\n", what, strerror(errno));
    exit(1);
}

pid_t service_spawn(struct service *s)
{
    char *arguments[MAX_ARGUMENTS] = { s->arguments[0], "--socket", s->socket, "--policy",
                                       s->policy };
    for (size_t i = 1, n = 5; s->arguments[i] && n < MAX_ARGUMENTS - 1; i++)
        arguments[n++] = s->arguments[i];
    const int is_main = gettid() == getpid();
    s->pid = fork();
    if (s->pid)
        return s->pid;
    if (is_main) /* then it ends with the test, also with one that crashes; else with a thread */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    execv(arguments[0], arguments);
    perror(arguments[0]);
    _exit(127);
}

/* connect_soon connects to a service that was started; it waits until the service listens or has
 * ended. */
static int connect_soon(const struct service *s)
{
    int fd;
    while ((fd = raw_connect(s)) < 0) {
        if (waitpid(s->pid, NULL, WNOHANG))
            give_up("headraced ended at once");
        usleep(1000);
    }
    return fd;
}

void service_listens(struct service *s)
{
    if (service_spawn(s) < 0)
        give_up("fork");
    close(connect_soon(s));
}

void service_again(struct service *s)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_CROSSOVER };
    struct control_reply reply;
    if (service_spawn(s) < 0)
        give_up("fork");
    const int fd = connect_soon(s);
    if (send(fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
        recv(fd, &reply, sizeof reply, 0) < (ssize_t)sizeof reply)
        give_up("headraced does not answer");
    close(fd);
}

void service_begin(struct service *s, char *const *arguments, const char *policy)
{
    s->arguments = arguments;
    strcpy(s->folder, "/tmp/headraced-XXXXXX");
    if (!mkdtemp(s->folder) || chmod(s->folder, 0755))
        give_up(s->folder);
    snprintf(s->socket, sizeof s->socket, "%s/sock", s->folder);
    snprintf(s->policy, sizeof s->policy, "%s/accel.conf", s->folder);
    FILE *file = fopen(s->policy, "w");
    if (!file || fputs(policy, file) < 0 || fclose(file) || chmod(s->policy, 0644))
        give_up(s->policy);
    service_again(s);
}

int service_alive(const struct service *s)
{
    int status;
    const pid_t ended = waitpid(s->pid, &status, WNOHANG);
    if (ended)
        complain("the service is gone: %s %d", WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return !ended;
}

void service_kill(struct service *s)
{
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
}

void service_end(struct service *s)
{
    int status = 0;
    kill(s->pid, SIGTERM);
    waitpid(s->pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        complain("the service ended by %s %d", WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    unlink(s->socket);
    unlink(s->policy);
    rmdir(s->folder);
}

long service_pages(const struct service *s)
{
    char path[64];
    long total, resident = -1;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)s->pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = -1;
    fclose(file);
    return resident;
}

long service_descriptors(const struct service *s)
{
    char path[64];
    long n = -2; /* . and .. */
    snprintf(path, sizeof path, "/proc/%d/fd", (int)s->pid);
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}
