/* SPDX-License-Identifier: Apache-2.0
 *
 * The `headrace` program. Each command has a row here and a file of its own.
 */
#include "../cli/emulated.h"
#include "../cli/tool.h"
#include "sums/sums.h"
#include <errno.h>
#include <headrace/headrace.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define COMMANDS(X) \
    X(info)         \
    X(run)          \
    X(trace)        \
    X(scan)         \
    X(enable)       \
    X(disable)      \
    X(doctor)       \
    X(speed)        \
    X(calibrate)    \
    X(accel)        \
    X(token)        \
    X(digest)       \
    X(mac)          \
    X(encrypt)      \
    X(decrypt)      \
    X(help)
/* clang-format on */

#define DECLARE(name) extern const struct command name##_command;
COMMANDS(DECLARE)

static const struct command *const commands[] = {
/* in the order of `headrace help` */
#define ROW(name) &name##_command,
    COMMANDS(ROW) NULL,
};

static int overview(void)
{
    puts("Headrace leads a program's crypto to the hardware that the machine has.\n"
         "\n"
         "usage: headrace COMMAND [OPTION]...\n");
    for (const struct command *const *cmd = commands; *cmd; cmd++) {
        tool_print(stdout, "1", "  %-10s", (*cmd)->name);
        tool_say(" %s\n", (*cmd)->summary);
    }
    puts("\n"
         "md5sum, sha1sum, sha224sum ... sha512sum are commands too: digests of files.\n"
         "headrace help COMMAND prints its options, headrace --version the version.");
    return EXIT_SUCCESS;
}

/* Runs a command that is a program of its own, installed beside this one or found in PATH. */
static int external_main(int argc, char **argv)
{
    (void)argc;
    if (!strcmp(argv[0], "trace") && emulated_by())
        return tool_error("trace: this CPU is emulated (%s), and an emulator's processes cannot be "
                          "observed; headrace scan reads files of any CPU",
                          emulated_by());
    char path[PATH_MAX], name[40];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path - sizeof name);
    snprintf(name, sizeof name, "headrace-%s", argv[0]);
    argv[0] = name;
    if (len > 0) {
        path[len] = '\0';
        strcpy(strrchr(path, '/') + 1, name);
        execv(path, argv);
    }
    execvp(name, argv);
    return tool_error("%s: %s; it is in the package headrace-trace", name, strerror(errno));
}

const struct command trace_command = {
    .name = "trace",
    .operands = "[-- COMMAND...]",
    .summary = "is hardware crypto really running in a program?",
    .external = external_main,
};
const struct command scan_command = {
    .name = "scan",
    .operands = "FILE|DIR...",
    .summary = "find crypto code in files, without running them",
    .external = external_main,
};

static bool words;

/* Prints the words for shell completion: the commands, or the options of one command, one on
 * each line. */
static void print_words(const struct command *cmd)
{
    if (!cmd)
        for (const struct command *const *c = commands; *c; c++)
            tool_say("%s\t%s\n", (*c)->name, (*c)->summary);
    else if (cmd->options)
        for (const struct tool_option *o = cmd->options; o->name; o++)
            tool_say("--%s%s\t%s\n", o->name, o->arg ? "=" : "", o->help);
}

static int help_main(int argc, char **argv)
{
    if (argc > 1)
        return tool_usage("help: one command at a time");
    if (argc && !words && sums_named(argv[0]))
        return sums_main(sums_named(argv[0]), 2, (char *[]){ argv[0], "--help", NULL });
    const struct command *cmd = argc ? tool_command(commands, argv[0]) : NULL;
    if (argc && !cmd)
        return EXIT_USAGE;
    if (cmd && cmd->external)
        return cmd->external(2, (char *[]){ argv[0], words ? "--words" : "--help", NULL });
    if (words)
        print_words(cmd);
    else if (cmd)
        tool_help(cmd);
    else
        overview();
    return tool_finish(EXIT_SUCCESS);
}

static const struct tool_option help_options[] = {
    { "words", 0, NULL, "print only names, one per line, for completion", &words, NULL },
    { .name = NULL },
};

const struct command help_command = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "list the commands, or print the options of one",
    .options = help_options,
    .main = help_main,
};

static int version(void)
{
    tool_say("headrace %s\n", hr_version());
    return tool_finish(EXIT_SUCCESS);
}

/* The command that is meant if a link to this program has this path. */
static const struct command *linked(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (const struct command *const *cmd = commands; *cmd; cmd++)
        if ((*cmd)->is_program && !strcmp((*cmd)->name, slash ? slash + 1 : path))
            return *cmd;
    return NULL;
}

/* Runs a command; argv[0] is its name. */
static int do_command(const struct command *cmd, int argc, char **argv)
{
    int exit_code;
    if (cmd->external)
        return cmd->external(argc, argv);
    const int operands = tool_options(cmd, argc, argv, &exit_code);
    if (operands < 0)
        return tool_finish(exit_code);
    return cmd->main(argc - operands, argv + operands);
}

int main(int argc, char **argv)
{
    /* md5sum etc. may be the program's name or a command: not every system has links to it */
    for (int i = 0; i < 2 && i < argc; i++)
        if (sums_named(argv[i]))
            return sums_main(sums_named(argv[i]), argc - i, argv + i);
    if (argc && linked(argv[0]))
        return do_command(linked(argv[0]), argc, argv);
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return tool_finish(overview());
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "version"))
        return version();
    const struct command *cmd = tool_command(commands, argv[1]);
    return cmd ? do_command(cmd, argc - 1, argv + 1) : EXIT_USAGE;
}
