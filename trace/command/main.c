/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace-trace, headrace-scan and headrace-fingerprints are one program, and the name under which
 * it is called selects the command. `headrace trace` runs headrace-trace.
 */
#include "tool.h"
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define COMMANDS(X) \
    X(trace)        \
    X(scan)         \
    X(fingerprints)
/* clang-format on */

#define DECLARE(name) extern const struct command name##_command;
COMMANDS(DECLARE)

static const struct command *const commands[] = {
#define ROW(name) &name##_command,
    COMMANDS(ROW) NULL,
};

/* The command of a program name: "headrace-scan" and "scan" are scan; any other name is trace. */
static const struct command *by_program(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *prefix = "headrace-";
    if (!strncmp(name, prefix, strlen(prefix)))
        name += strlen(prefix);
    for (const struct command *const *cmd = commands; *cmd; cmd++)
        if (!strcmp((*cmd)->name, name))
            return *cmd;
    return commands[0];
}

/* Prints the words that shell completion offers. */
static int words(const struct command *cmd)
{
    for (const struct tool_option *o = cmd->options; o && o->name; o++)
        tool_say("--%s%s\t%s\n", o->name, o->arg ? "=" : "", o->help);
    return tool_finish(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
    int exit_code;
    if (argc < 1)
        return EXIT_USAGE;
    const struct command *cmd = by_program(argv[0]);
    if (argc > 1 && !strcmp(argv[1], "--words"))
        return words(cmd);
    if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
        tool_say("headrace-%s %s\n", cmd->name, HEADRACE_VERSION);
        return tool_finish(EXIT_SUCCESS);
    }
    const int operands = tool_options(cmd, argc, argv, &exit_code);
    if (operands < 0)
        return tool_finish(exit_code);
    return cmd->main(argc - operands, argv + operands);
}
