/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel move: gives clients to another accelerator while they work. */
#include "accel.h"
#include "accel_status.h"
#include <headrace/headrace.h>
#include <stdlib.h>
#include <unistd.h>

static bool by_pid;

/* Reads a whole number from `least` to `most`; -1: it is none. */
static long long number_of(const char *text, long long least, long long most)
{
    char *end = NULL;
    const long long n = strtoll(text, &end, 10);
    return end == text || *end || n < least || n > most ? -1 : n;
}

static int move(int fd, uint32_t client, uint32_t accelerator)
{
    const struct control_request request = {
        .magic = CONTROL_MAGIC, .type = CONTROL_MOVE, .handle = client, .number = accelerator
    };
    struct control_reply reply;
    const int code = accel_ask(fd, &request, &reply, NULL, 0);
    if (code || !reply.result)
        return code;
    if (reply.result == HR_EHANDLE)
        return tool_error("no client has the number %u", client);
    if (reply.result == HR_EINVAL)
        return tool_error("there is no accelerator %u", accelerator);
    if (reply.result == HR_EBUFFER)
        return tool_error("client %u was not moved: accelerator %u has no room, or the client's "
                          "requests take too long; try again",
                          client, accelerator);
    return tool_error("client %u was not moved: %s", client, hr_strerror(reply.result));
}

static int move_process(int fd, uint32_t pid, uint32_t accelerator)
{
    struct accel_status s = { .accelerators = NULL };
    size_t moved = 0;
    int code = accel_status_gather(&s, fd);
    for (size_t i = 0; !code && i < s.num_clients; i++)
        if (s.clients[i].pid == pid) {
            code = move(fd, s.clients[i].number, accelerator);
            moved++;
        }
    if (!code && !moved)
        code = tool_error("process %u is no client", pid);
    accel_status_free(&s);
    return code;
}

static int move_main(int argc, char **argv)
{
    if (argc != 2)
        return tool_usage("accel move: name a client by its number in headrace accel status, and "
                          "an accelerator");
    const long long client = number_of(argv[0], 1, UINT32_MAX);
    const long long accelerator = number_of(argv[1], 0, UINT32_MAX);
    if (client < 0)
        return tool_usage("accel move: %s is no number of a %s", argv[0],
                          by_pid ? "process" : "client");
    if (accelerator < 0)
        return tool_usage("accel move: %s is no number of an accelerator", argv[1]);
    const int fd = accel_dial();
    if (fd < 0)
        return EXIT_FAILURE;
    const int code = (by_pid ? move_process : move)(fd, (uint32_t)client, (uint32_t)accelerator);
    close(fd);
    return code;
}

static const struct tool_option options[] = {
    { "pid", 'p', NULL, "CLIENT is the number of a process", &by_pid, NULL },
    ACCEL_SOCKET_OPTION,
    { .name = NULL },
};

const struct command accel_move_command = {
    .name = "accel move",
    .operands = "CLIENT ACCELERATOR",
    .summary = "let another accelerator serve a client",
    .options = options,
    .main = move_main,
};
