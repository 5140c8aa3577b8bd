/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the accelerator's service, as an administrator: ../accel/control.h. */
#ifndef TOOLS_ACCEL_CONTROL_H
#define TOOLS_ACCEL_CONTROL_H

#include "../accel/control.h"
#include "tool.h"

/* The option --socket, for each command that asks. */
extern const char *accel_socket;
#define ACCEL_SOCKET_OPTION                                                                     \
    {                                                                                           \
        "socket", 's', "PATH", "socket [HEADRACE_ACCEL, " CONTROL_PATH "]", NULL, &accel_socket \
    }

/* A connection; -1, and one line is printed. */
int accel_dial(void);
/* Asks, and gets the answer, with the bytes after it in `more`, up to more_len.  An exit code, one
 * line printed; what the service answered is in reply->result. */
int accel_ask(int fd, const struct control_request *request, struct control_reply *reply,
              void *more, size_t more_len);
/* Asks for one thing that has no other answer than a result.  An exit code, one line printed;
 * `refusal` says what HR_EHANDLE or HR_EINVAL mean. */
int accel_order(enum control_type type, uint64_t handle, const char *refusal);

#endif
