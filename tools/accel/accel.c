/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel COMMAND: the commands for the accelerator, whose service is headraced. */
#include "accel.h"
#include "../../cli/near.h"
#include <stdlib.h>
#include <string.h>

static const struct command *const rows[] = {
#define X(name) &accel_##name##_command,
    ACCEL_COMMANDS(X)
#undef X
};

/* The name of a command without "accel ". */
static const char *short_name(const struct command *cmd)
{
    return strchr(cmd->name, ' ') + 1;
}

static int overview(void)
{
    puts("usage: headrace accel COMMAND [OPTION]...\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        tool_print(stdout, "1", "  %-10s", short_name(rows[i]));
        tool_say(" %s\n", rows[i]->summary);
    }
    puts("\n"
         "headrace accel COMMAND --help prints its options.  See headrace-accel(1).");
    return tool_finish(EXIT_SUCCESS);
}

/* Prints the options of a command for shell completion; print_words prints the commands. */
static int print_options(const struct command *cmd)
{
    for (const struct tool_option *o = cmd->options; o && o->name; o++)
        tool_say("--%s%s\t%s\n", o->name, o->arg ? "=" : "", o->help);
    return tool_finish(EXIT_SUCCESS);
}

static int print_words(void)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        tool_say("%s\t%s\n", short_name(rows[i]), rows[i]->summary);
    return tool_finish(EXIT_SUCCESS);
}

static int unknown(const char *name)
{
    struct near near = near_begin(name);
    char names[128];
    for (size_t i = 0; i < COUNT(rows); i++)
        near_offer(&near, short_name(rows[i]), short_name(rows[i]), strlen(short_name(rows[i])));
    near_text(&near, names, sizeof names);
    return tool_usage("accel: unknown command %s%s (see headrace accel --help)", name, names);
}

static int accel_main(int argc, char **argv)
{
    int code;
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return overview();
    if (!strcmp(argv[1], "--words"))
        return print_words();
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!strcmp(argv[1], short_name(rows[i]))) {
            if (argc == 3 && !strcmp(argv[2], "--words"))
                return print_options(rows[i]);
            const int operands = tool_options(rows[i], argc - 1, argv + 1, &code);
            return operands < 0 ? tool_finish(code)
                                : rows[i]->main(argc - 1 - operands, argv + 1 + operands);
        }
    return unknown(argv[1]);
}

const struct command accel_command = {
    .name = "accel",
    .operands = "COMMAND [OPTION]...",
    .summary = "watch, control and measure the accelerator",
    .external = accel_main,
};
