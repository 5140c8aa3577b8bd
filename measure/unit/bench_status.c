/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the service what it has computed. */
#include "bench_status.h"
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct answer {
    struct control_reply reply;
    struct control_status status;
};

static bool ask(int fd, struct answer *out, uint64_t handle)
{
    const struct control_request request = { .magic = CONTROL_MAGIC,
                                             .type = CONTROL_STATUS,
                                             .handle = handle };
    return send(fd, &request, sizeof request, MSG_NOSIGNAL) == sizeof request &&
           recv(fd, out, sizeof *out, 0) == sizeof *out && !out->reply.result;
}

int bench_status(const struct private_service *service, bench_status_fn *each, void *arg)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct answer a = { .reply = { .result = 0 } };
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    strcpy(address.sun_path, service->socket);
    bool good = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address);
    do {
        good = good && ask(fd, &a, a.reply.handle);
        if (good)
            each(arg, &a.status);
    } while (good && a.reply.handle);
    if (fd >= 0)
        close(fd);
    return good ? EXIT_SUCCESS : tool_error("accel: the service does not tell its status");
}
