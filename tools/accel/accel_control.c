/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel revoke and reload; and the functions of all commands that send requests to the
 * service. */
#define _GNU_SOURCE
#include "accel_control.h"
#include "accel.h"
#include <errno.h>
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

const char *accel_socket;

/* The socket that clients in this environment use. */
static const char *default_socket(void)
{
    const char *env = secure_getenv("HEADRACE_ACCEL");
    return env && *env && strcmp(env, "off") != 0 ? env : CONTROL_PATH;
}

int accel_dial(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (!accel_socket)
        accel_socket = default_socket();
    if (strlen(accel_socket) >= sizeof address.sun_path) {
        tool_error("%s: %s", accel_socket, strerror(ENAMETOOLONG));
        return -1;
    }
    strcpy(address.sun_path, accel_socket);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address))
        return fd;
    const bool nobody = errno == ENOENT || errno == ECONNREFUSED;
    tool_error(
        "%s: %s%s%s", accel_socket, strerror(errno), nobody ? "; headraced is not running" : "",
        nobody && !strcmp(accel_socket, CONTROL_PATH) ? ": systemctl start headraced.socket" : "");
    if (fd >= 0)
        close(fd);
    return -1;
}

int accel_ask(int fd, const struct control_request *request, struct control_reply *reply,
              void *more, size_t more_len)
{
    struct iovec parts[] = { { reply, sizeof *reply }, { more, more_len } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    if (send(fd, request, sizeof *request, MSG_NOSIGNAL) != sizeof *request)
        return tool_error("%s: %s", accel_socket, strerror(errno));
    const ssize_t n = recvmsg(fd, &message, 0);
    if (n < (ssize_t)sizeof *reply || reply->magic != CONTROL_MAGIC ||
        reply->type != request->type || (size_t)n != sizeof *reply + reply->more)
        return tool_error("%s: %s", accel_socket,
                          n > 0 ? "an answer of another version"
                                : "the service closed the connection");
    if (reply->result == HR_EACCESS)
        return tool_error("%s: only root, the service's own user, and users with admin = yes in "
                          "accel.conf may do that",
                          accel_socket);
    return EXIT_SUCCESS;
}

int accel_order(enum control_type type, uint64_t handle, const char *refusal)
{
    const struct control_request request = { .magic = CONTROL_MAGIC,
                                             .type = type,
                                             .handle = handle };
    struct control_reply reply;
    const int fd = accel_dial();
    if (fd < 0)
        return EXIT_FAILURE;
    int code = accel_ask(fd, &request, &reply, NULL, 0);
    if (!code && reply.result)
        code = tool_error("%s", refusal);
    close(fd);
    return code;
}

/* ---- revoke ---- */

static int revoke_main(int argc, char **argv)
{
    char *end = NULL;
    if (argc != 1)
        return tool_usage(
            "accel revoke: name a client by its number in headrace accel status, or all");
    const unsigned long long number = strcmp(argv[0], "all") ? strtoull(argv[0], &end, 10) : 0;
    if (end && (*end || end == argv[0] || !number || number > UINT32_MAX))
        return tool_usage("accel revoke: %s is neither a client's number nor all", argv[0]);
    return accel_order(CONTROL_REVOKE, number, "no client has this number");
}

static const struct tool_option options[] = {
    ACCEL_SOCKET_OPTION,
    { .name = NULL },
};

const struct command accel_revoke_command = {
    .name = "accel revoke",
    .operands = "CLIENT|all",
    .summary = "disconnect a client, which then computes by itself",
    .options = options,
    .main = revoke_main,
};

/* ---- reload ---- */

static int reload_main(int argc, char **argv)
{
    return accel_order(
        CONTROL_RELOAD, 0,
        "a configuration file has an error, see the service's log; nothing was changed");
}

const struct command accel_reload_command = {
    .name = "accel reload",
    .summary = "read policy and keys again; revoke clients no longer allowed",
    .options = options,
    .main = reload_main,
    .no_operands = true,
};
