/* SPDX-License-Identifier: Apache-2.0 */
/* move NUM HEADRACED [OPTION]...: a client under load is moved NUM times between the accelerators
 * of a service of its own, by the administrator, by itself and by the policy.  No request fails. */
#include "client.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, TASKS = 12 };

struct service service;
static _Atomic int stop, wrong;
static _Atomic uint64_t rounds;
static int admin; /* a socket */

static const char any[] = "[client all]\nattach = yes\nadmin = no\n";
static const char only_0[] = "[client all]\nattach = yes\nadmin = no\naccelerators = 0\n";

/* ---- messages ---- */

static int order(int socket, enum control_type type, uint64_t client, uint32_t number)
{
    const struct control_request q = {
        .magic = CONTROL_MAGIC, .type = type, .handle = client, .number = number
    };
    struct control_reply reply;
    return raw_ask(socket, &q, sizeof q, &reply, NULL, 0) ? HR_EGONE : reply.result;
}

/* find_status finds an entry of the status: the client of this process, or an accelerator. */
static int find_status(struct control_status *out, uint32_t kind, uint32_t number)
{
    struct control_request q = { .magic = CONTROL_MAGIC, .type = CONTROL_STATUS };
    struct {
        struct control_reply reply;
        struct control_status status;
    } got;
    do {
        if (send(admin, &q, sizeof q, MSG_NOSIGNAL) != sizeof q ||
            recv(admin, &got, sizeof got, 0) != sizeof got || got.reply.result)
            abort();
        const struct control_status *s = &got.status;
        if (s->kind == kind && (kind == STATUS_CLIENT ? s->u.client.pid == (uint32_t)getpid()
                                                      : s->u.accelerator.number == number)) {
            *out = got.status;
            return 1;
        }
        q.handle = got.reply.handle;
    } while (q.handle);
    return 0;
}

static struct control_status status_of(uint32_t kind, uint32_t number)
{
    struct control_status status = { .kind = kind };
    if (!find_status(&status, kind, number))
        complain("no such entry");
    return status;
}

static struct control_client_status me(void)
{
    return status_of(STATUS_CLIENT, 0).u.client;
}

/* ---- load ---- */

static void *work(void *arg)
{
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, service.socket))
        abort();
    while (!stop) {
        wrong += tasks_run(queue, TASKS, TASK_MOST);
        rounds++;
    }
    if (!hr_queue_connected(queue))
        complain("a queue has lost the service");
    hr_queue_close(queue);
    return arg;
}

/* wait_for_work waits until the threads have gone on, so that each move meets requests. */
static void wait_for_work(uint64_t since)
{
    while (rounds == since)
        usleep(100);
}

/* move_once gives an accelerator that is busy time to finish. */
static int move_once(uint32_t client, uint32_t to)
{
    int error = 0;
    for (int i = 0; i < 100 && (error = order(admin, CONTROL_MOVE, client, to)) == HR_EBUFFER; i++)
        usleep(1000);
    return error;
}

static void check_load(int num)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            abort();
    wait_for_work(0);
    const struct control_client_status before = me();
    for (int i = 0; i < num; i++) {
        const uint32_t to = !me().accelerator;
        const int error = move_once(before.number, to);
        if (error || me().accelerator != to)
            complain("move %d: %s", i, hr_strerror(error));
        if (i % 10 == 0)
            wait_for_work(rounds);
    }
    wait_for_work(rounds);
    const struct control_client_status after = me();
    stop = 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (wrong || after.rejected || after.number != before.number ||
        after.moves - before.moves != (uint64_t)num)
        complain("%d wrong, %d rejected, %d moves", (int)wrong, (int)after.rejected,
                 (int)(after.moves - before.moves));
    if (status_of(STATUS_ACCELERATOR, 0).u.accelerator.requests == 0 ||
        status_of(STATUS_ACCELERATOR, 1).u.accelerator.requests == 0)
        complain("an accelerator has served nothing");
    tap(1, "%d moves of a client with %d threads at work, and no request failed", num, THREADS);
}

/* ---- who may ---- */

static void check_refusals(void)
{
    const uint32_t mine = me().number;
    if (order(admin, CONTROL_MOVE, mine, 2) != HR_EINVAL)
        complain("an accelerator that does not exist");
    if (order(admin, CONTROL_MOVE, mine, UINT32_MAX) != HR_EINVAL)
        complain("the last number");
    if (order(admin, CONTROL_MOVE, mine + 1000, 1) != HR_EHANDLE)
        complain("a client that does not exist");
    if (order(admin, CONTROL_MOVE, 0, 1) != HR_EHANDLE)
        complain("a session that is no client");
    if (hr_accel_bind(2) != HR_EINVAL || hr_accel_bind(64) != HR_EINVAL ||
        hr_accel_bind(-2) != HR_EINVAL)
        complain("bound to an accelerator that does not exist");
    tap(1, "accelerators and clients that do not exist");
}

/* check_others: another user may move neither this client nor, against its policy, itself. */
static void check_others(uint32_t number)
{
    const pid_t child = geteuid() ? -1 : fork();
    int status = -1;
    if (child < 0) {
        tap(1, "another user is refused # SKIP not root");
        return;
    }
    if (child == 0) {
        struct raw raw;
        if (chmod(service.folder, 0755) || setgid(65534) || setuid(65534) ||
            raw_attach(&raw, &service))
            _exit(2);
        if (order(raw.socket, CONTROL_MOVE, number, 1) != HR_EACCESS)
            _exit(3);
        if (order(raw.socket, CONTROL_MOVE, 0, 1) != HR_EACCESS)
            _exit(4);
        _exit(order(raw.socket, CONTROL_MOVE, 0, 0) ? 5 : 0);
    }
    if (waitpid(child, &status, 0) != child || status)
        complain("the other user: %d", status);
    tap(1, "another user is refused");
}

static void write_policy(const char *text)
{
    const int fd = open(service.policy, O_WRONLY | O_TRUNC);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd))
        abort();
}

static void check_policy(void)
{
    if (hr_accel_bind(1) || me().accelerator != 1)
        complain("not bound");
    write_policy(only_0);
    if (order(admin, CONTROL_RELOAD, 0, 0) || me().accelerator != 0)
        complain("the policy's accelerator is %u", me().accelerator);
    tap(1, "a reload moves a client to the accelerator of its policy");
    check_others(me().number);
}

/* check_restart: the next service is asked for the accelerator too. */
static void check_restart(struct hr_queue *queue)
{
    close(admin);
    service_kill(&service);
    write_policy(any);
    service_again(&service);
    admin = raw_connect(&service);
    struct control_status status;
    for (int i = 0;
         i < 2000 && !(find_status(&status, STATUS_CLIENT, 0) && status.u.client.accelerator == 1);
         i++) {
        wrong += tasks_run(queue, 1, 100);
        usleep(5000);
    }
    if (wrong || me().accelerator != 1)
        complain("%d wrong, accelerator %u", (int)wrong, me().accelerator);
    if (hr_accel_bind(-1) || me().accelerator != 1)
        complain("not free");
    tap(1, "the next service's accelerator is the one that the process wants");
}

int main(int argc, char **argv)
{
    struct hr_queue *queue;
    signal(SIGPIPE, SIG_IGN);
    if (argc < 3)
        return 2;
    service_begin(&service, argv + 2, any);
    admin = raw_connect(&service);
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        abort();
    check_load(atoi(argv[1]));
    check_refusals();
    check_policy();
    check_restart(queue);
    hr_queue_close(queue);
    close(admin);
    service_end(&service);
    tap(1, "the service ends well");
    return tap_done();
}
