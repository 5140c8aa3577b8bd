/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel COMMAND: the commands for the accelerator, whose service is headraced. */
#include "accel.h"
#include "../group.h"

static const struct command *const rows[] = {
#define X(name) &accel_##name##_command,
    ACCEL_COMMANDS(X) NULL
#undef X
};

static int accel_main(int argc, char **argv)
{
    static const struct group group = { "accel", rows, "headrace-accel(1)" };
    return group_main(&group, argc, argv);
}

const struct command accel_command = {
    .name = "accel",
    .operands = "COMMAND [OPTION]...",
    .summary = "watch, control and measure the accelerator",
    .external = accel_main,
};
