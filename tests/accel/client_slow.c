/* SPDX-License-Identifier: Apache-2.0 */
/* A service that is slower than the client's own computing: here, because its policy allows few
 * requests a second. */
#include "client.h"
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 120 };

/* ask_status returns what the service says of this client: its queues that stay away, and how often
 * one left; or zeros. */
static struct control_client_status ask_status(void)
{
    struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_STATUS };
    struct {
        struct control_reply reply;
        struct control_status status;
    } got;
    struct control_client_status found = { .number = 0 };
    const int socket = raw_connect(&service);
    do {
        if (send(socket, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
            recv(socket, &got, sizeof got, 0) != sizeof got || got.reply.result)
            break;
        if (got.status.kind == STATUS_CLIENT && got.status.u.client.pid == (uint32_t)getpid())
            found = got.status.u.client;
        request.handle = got.reply.handle;
    } while (request.handle);
    close(socket);
    return found;
}

/* run_until runs jobs until the number of queues that stay away is `away`. */
static struct control_client_status run_until(struct hr_queue *queue, uint32_t away)
{
    const time_t begin = time(NULL);
    struct control_client_status s;
    do {
        if (tasks_run(queue, 50, 1000))
            complain("wrong results");
        s = ask_status();
    } while (s.away != away && time(NULL) - begin < PATIENCE_S);
    return s;
}

static void set_policy(const char *more)
{
    FILE *file = fopen(service.policy, "w");
    if (!file || fprintf(file, "[client all]\nattach = yes\nadmin = yes\n%s", more) < 0)
        abort();
    fclose(file);
    kill(service.pid, SIGHUP);
}

void client_slow(void)
{
    struct hr_queue *queue, *other;
    if (hr_queue_connect(&queue, service.socket) || hr_queue_connect(&other, service.socket))
        abort();
    set_policy("rate = 300\n");
    struct control_client_status s = run_until(queue, 1);
    tap(s.away == 1 && s.left == 1, "a queue goes back to computing here: %d away, %d times",
        (int)s.away, (int)s.left);
    set_policy("");
    s = run_until(queue, 0);
    const uint64_t before = s.requests;
    const int failed = tasks_run(queue, 100, 1000);
    s = ask_status();
    tap(!failed && !s.away && s.left && s.requests > before,
        "and to the service when that is as fast again");
    set_policy("rate = 300\n");
    s = run_until(other, 1);
    hr_queue_close(other);
    s = ask_status();
    tap(!s.away && s.left > 1, "a queue that is closed is not away: %d away, %d times", (int)s.away,
        (int)s.left);
    hr_queue_close(queue);
}
