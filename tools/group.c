/* SPDX-License-Identifier: Apache-2.0 */
#include "group.h"
#include "../cli/near.h"
#include <stdlib.h>
#include <string.h>

/* The name of a command without that of its group. */
static const char *short_name(const struct command *cmd)
{
    return strchr(cmd->name, ' ') + 1;
}

static int overview(const struct group *group)
{
    tool_say("usage: headrace %s COMMAND [OPTION]...\n\n", group->name);
    for (const struct command *const *c = group->commands; *c; c++) {
        tool_print(stdout, "1", "  %-10s", short_name(*c));
        tool_say(" %s\n", (*c)->summary);
    }
    tool_say("\nheadrace %s COMMAND --help prints its options.  See %s.\n", group->name,
             group->page);
    return tool_finish(EXIT_SUCCESS);
}

/* Prints the options of a command for shell completion; print_words prints the commands. */
static int print_options(const struct command *cmd)
{
    for (const struct tool_option *o = cmd->options; o && o->name; o++)
        tool_say("--%s%s\t%s\n", o->name, o->arg ? "=" : "", o->help);
    return tool_finish(EXIT_SUCCESS);
}

static int print_words(const struct group *group)
{
    for (const struct command *const *c = group->commands; *c; c++)
        tool_say("%s\t%s\n", short_name(*c), (*c)->summary);
    return tool_finish(EXIT_SUCCESS);
}

static int unknown(const struct group *group, const char *name)
{
    struct near near = near_begin(name);
    char names[128];
    for (const struct command *const *c = group->commands; *c; c++)
        near_offer(&near, short_name(*c), short_name(*c), strlen(short_name(*c)));
    near_text(&near, names, sizeof names);
    return tool_usage("%s: unknown command %s%s (see headrace %s --help)", group->name, name, names,
                      group->name);
}

int group_main(const struct group *group, int argc, char **argv)
{
    int code;
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return overview(group);
    if (!strcmp(argv[1], "--words"))
        return print_words(group);
    for (const struct command *const *c = group->commands; *c; c++)
        if (!strcmp(argv[1], short_name(*c))) {
            if (argc == 3 && !strcmp(argv[2], "--words"))
                return print_options(*c);
            const int operands = tool_options(*c, argc - 1, argv + 1, &code);
            return operands < 0 ? tool_finish(code)
                                : (*c)->main(argc - 1 - operands, argv + 1 + operands);
        }
    return unknown(group, argv[1]);
}
