/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of `headrace accel`: each has a row in accel.c and a file of its own.
 */
#ifndef TOOLS_ACCEL_H
#define TOOLS_ACCEL_H

#include "../../cli/tool.h"

/* clang-format off */
#define ACCEL_COMMANDS(X) \
    X(status)             \
    X(move)               \
    X(revoke)             \
    X(reload)             \
    X(key)                \
    X(bench)              \
    X(calibrate)
/* clang-format on */

#define X(name) extern const struct command accel_##name##_command;
ACCEL_COMMANDS(X)
#undef X

#endif
