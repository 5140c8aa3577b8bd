/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the accelerator's service by an administrator; the messages are in
 * accel/control.h. */
#ifndef TOOLS_ACCEL_CONTROL_H
#define TOOLS_ACCEL_CONTROL_H

#include "../../accel/control.h"
#include "../../cli/tool.h"

/* The option --socket of every command that sends requests. */
extern const char *accel_socket;
#define ACCEL_SOCKET_OPTION                                                                     \
    {                                                                                           \
        "socket", 's', "PATH", "socket [HEADRACE_ACCEL, " CONTROL_PATH "]", NULL, &accel_socket \
    }

/* Connects to the service. Returns the socket; on failure prints one line and returns -1. */
int accel_dial(void);
/* Sends a request and receives the reply, and the bytes after it into `more`, up to more_len.
 * Returns an exit code, with one line printed on failure; the service's result is in
 * reply->result. */
int accel_ask(int fd, const struct control_request *request, struct control_reply *reply,
              void *more, size_t more_len);
/* Sends a request whose reply is only a result. Returns an exit code, with one line printed on
 * failure; `refusal` is the text for any result but 0 and HR_EACCESS. */
int accel_order(enum control_type type, uint64_t handle, const char *refusal);

#endif
