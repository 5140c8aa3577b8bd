/* SPDX-License-Identifier: Apache-2.0 */
/* move NUM|spread HEADRACED [OPTION]...: a client under load is moved NUM times between the
 * accelerators of a service of its own, by the administrator, by itself and by the policy.  No
 * request fails. */
#include "client.h"
#include <fcntl.h>
#include <headrace/algorithms.h>
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
static const char spread[] = "[client all]\nattach = yes\nadmin = no\nspread = 2\n";
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
        after.moves - before.moves < (uint64_t)num)
        complain("%d wrong, %d rejected, %d moves", (int)wrong, (int)after.rejected,
                 (int)(after.moves - before.moves));
    if (status_of(STATUS_ACCELERATOR, 0).u.accelerator.requests == 0 ||
        status_of(STATUS_ACCELERATOR, 1).u.accelerator.requests == 0)
        complain("an accelerator has served nothing");
    tap(1, "%d moves of a client with %d threads at work, and no request failed", num, THREADS);
}

/* ---- a client on several accelerators ---- */

static uint64_t served(uint32_t accelerator)
{
    return status_of(STATUS_ACCELERATOR, accelerator).u.accelerator.requests;
}

/* in_turn runs jobs under a key of the service in a queue, and returns its accelerator. */
static uint32_t in_turn(struct hr_queue *queue, uint64_t handle)
{
    const uint64_t before = served(0);
    uint8_t tag[32];
    struct hr_job mac = { .alg = HR_HMAC_SHA256,
                          .key_form = HR_KEY_HANDLE,
                          .handle = handle,
                          .tag = tag,
                          .in = "text",
                          .len = 4 },
                  *jobs = &mac, *done;
    for (int i = 0; i < 20; i++)
        if (hr_queue_submit(queue, &jobs, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
            mac.result)
            complain("a job under a key: %s", hr_strerror(mac.result));
    wrong += tasks_run(queue, TASKS, TASK_MOST);
    return served(0) == before;
}

static void check_spread(void)
{
    struct hr_queue *queues[6];
    uint64_t handle = 0;
    uint32_t of[2] = { 0, 0 };
    wrong = 0;
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        if (hr_queue_connect(&queues[i], service.socket))
            abort();
    const struct control_client_status client = me();
    if (client.spread != 2 || hr_accel_key_generate(&handle, HR_HMAC_SHA256, 32))
        complain("a spread of %d", (int)client.spread);
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        of[in_turn(queues[i], handle)]++;
    if (of[0] != 3 || of[1] != 3)
        complain("%u queues at one accelerator, %u at the other", of[0], of[1]);
    for (uint32_t to = 0; to < 2; to++) { /* all at one accelerator, and still apart */
        if (move_once(client.number, to))
            complain("not moved");
        for (size_t i = 0; i < COUNT_OF(queues); i++)
            if (in_turn(queues[i], handle) != to)
                complain("queue %zu is not at accelerator %u", i, to);
    }
    hr_accel_key_close(handle);
    if (wrong || me().requests < client.requests + 6 * 3 * 20)
        complain("%d wrong", (int)wrong);
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        hr_queue_close(queues[i]);
    tap(1, "queues of one client at two accelerators, with a key of the service, and moved to one");
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

/* as_other_user runs a check in a client of another user; it returns 0, or which part failed.  The
 * point is skipped where this program may not change its user. */
static void as_other_user(const char *name, int (*check)(int socket, uint32_t number),
                          uint32_t number)
{
    const pid_t child = geteuid() ? -1 : fork();
    int status = -1;
    if (child < 0) {
        tap(1, "%s # SKIP not root", name);
        return;
    }
    if (child == 0) {
        struct raw raw;
        const int other = !chmod(service.folder, 0755) && !setgid(65534) && !setuid(65534) &&
                          !raw_attach(&raw, &service);
        _exit(other ? check(raw.socket, number) : 9);
    }
    if (waitpid(child, &status, 0) != child || status)
        complain("the other user: %d", status);
    tap(1, "%s", name);
}

/* moves_what_is_not_its_own: another user may move neither this client nor, against its policy,
 * itself. */
static int moves_what_is_not_its_own(int socket, uint32_t number)
{
    if (order(socket, CONTROL_MOVE, number, 1) != HR_EACCESS)
        return 1;
    if (order(socket, CONTROL_MOVE, 0, 1) != HR_EACCESS)
        return 2;
    return order(socket, CONTROL_MOVE, 0, 0) ? 3 : 0;
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
    as_other_user("another user is refused", moves_what_is_not_its_own, me().number);
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

/* use_keys runs jobs under a key that the main thread closes, at this thread's accelerator. */
static _Atomic uint64_t present_key;

static void *use_keys(void *arg)
{
    struct hr_queue *queue;
    uint8_t tag[32];
    struct hr_job mac = { .alg = HR_HMAC_SHA256, .key_form = HR_KEY_HANDLE, .tag = tag },
                  *jobs = &mac, *done;
    if (hr_queue_connect(&queue, service.socket))
        abort();
    while (!stop) {
        mac.handle = present_key;
        if (hr_queue_submit(queue, &jobs, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
            (mac.result && mac.result != HR_EHANDLE))
            wrong++;
        rounds += !mac.result;
    }
    hr_queue_close(queue);
    return arg;
}

static void check_closed_keys(void)
{
    pthread_t threads[THREADS];
    stop = wrong = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t key = 0;
        if (hr_accel_key_generate(&key, HR_HMAC_SHA256, 32))
            complain("no key %d", i);
        present_key = key;
        for (size_t k = 0; i == 0 && k < THREADS; k++)
            if (pthread_create(&threads[k], NULL, use_keys, NULL))
                abort();
        wait_for_work(rounds);
        hr_accel_key_close(key);
    }
    stop = 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tap(!wrong, "keys that are closed while two accelerators use them");
}

/* moves_often: another user's client, of two parts, may not move itself twice at once, for the
 * service answers nobody else meanwhile. */
static int moves_often(int socket, uint32_t number)
{
    (void)number;
    if (order(socket, CONTROL_MOVE, 0, 0))
        return 1;
    return order(socket, CONTROL_MOVE, 0, 1) ? 0 : 2;
}

static void check_often(void)
{
    as_other_user("a client that moves itself often is refused", moves_often, 0);
    for (uint32_t i = 0; i < 2; i++)
        while (status_of(STATUS_ACCELERATOR, i).u.accelerator.clients)
            usleep(1000);
}

/* ---- the doorbell ---- */

/* flood keeps an accelerator from sleeping, also while this process has no CPU. */
static void *flood(void *arg)
{
    enum { FLOODED = 8 };
    const struct ring_request hash = far_request(HR_SHA512, 0, 0, 60 << 10, 61 << 10, 0, 0);
    struct raw *c = arg;
    struct ring_completion done;
    for (uint32_t ring = 0; !stop; ring = (ring + 1) % FLOODED) {
        while (c->next[ring] - c->completed[ring] < RING_DEPTH)
            raw_put(c, ring, &hash);
        if (c->next[FLOODED - 1])
            wrong += raw_take(c, ring, &done) || done.result;
    }
    return NULL;
}

/* check_asleep checks that a client which comes from an accelerator that sleeps to one that does
 * not is told to write to the doorbell no more. */
static void check_asleep(void)
{
    struct raw quiet, busy;
    pthread_t thread;
    stop = wrong = 0;
    if (raw_attach(&busy, &service) || raw_attach(&quiet, &service))
        abort();
    const struct ring_service_words *words = (const void *)quiet.completions;
    if (order(busy.socket, CONTROL_MOVE, 0, 1) || order(quiet.socket, CONTROL_MOVE, 0, 0))
        complain("not moved");
    while (!words->asleep)
        usleep(1000);
    if (pthread_create(&thread, NULL, flood, &busy))
        abort();
    for (const uint64_t before = served(1); served(1) < before + RING_DEPTH;)
        usleep(1000);
    int error = order(quiet.socket, CONTROL_MOVE, 0, 1);
    for (int i = 0; words->asleep && i < 300; i++)
        usleep(1000);
    if (error || words->asleep)
        complain("%d, and its accelerator sleeps", error);
    stop = 1;
    pthread_join(thread, NULL);
    raw_detach(&quiet);
    raw_detach(&busy);
    tap(!wrong, "a client that comes to a busy accelerator need not wake it");
}

/* run_spread runs the checks of a client that two accelerators serve. */
static int run_spread(char *const *arguments, int num)
{
    service_begin(&service, arguments, spread);
    admin = raw_connect(&service);
    check_often();
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, service.socket))
        abort();
    check_spread();
    check_load(num);
    check_closed_keys();
    hr_queue_close(queue);
    close(admin);
    service_end(&service);
    return tap_done();
}

int main(int argc, char **argv)
{
    struct hr_queue *queue;
    signal(SIGPIPE, SIG_IGN);
    if (argc < 3)
        return 2;
    if (!strcmp(argv[1], "spread"))
        return run_spread(argv + 2, 60);
    service_begin(&service, argv + 2, any);
    admin = raw_connect(&service);
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        abort();
    check_load(atoi(argv[1]));
    check_refusals();
    check_asleep();
    check_policy();
    check_restart(queue);
    hr_queue_close(queue);
    close(admin);
    service_end(&service);
    tap(1, "the service ends well");
    return tap_done();
}
