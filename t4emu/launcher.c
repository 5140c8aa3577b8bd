/* SPDX-License-Identifier: Apache-2.0 */
/* headrace-t4emu [OPTION...] [--] PROGRAM [ARGUMENT...]; see headrace-t4emu(1). */
#define _GNU_SOURCE
#include "launcher.h"
#include "command.h"
#include "config.h"
#include "launcher_report.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *strict, *cfr, *stats, *qemu, *library, *sysroot;
static bool report, trace;

static const struct tool_option options[] = {
    { "strict", 's', "[=WORD,...]", "punish undefined use: forms, poison, fcc3=N", NULL, &strict },
    { "cfr", 'c', "WORD,...", "capabilities off (-aes, none = all) or on (+aes)", NULL, &cfr },
    { "stats", 0, "FILE", "append counts to FILE; - is standard error", NULL, &stats },
    { "report", 'r', NULL, "print at the end which functions executed them", &report, NULL },
    { "trace", 0, NULL, "print every emulated instruction", &trace, NULL },
    { "qemu", 0, "PATH", "use this qemu-sparc64, version 10 or later", NULL, &qemu },
    { "library", 0, "PATH", "use this libheadrace-t4emu.so", NULL, &library },
    { "sysroot", 0, "DIR", "the C library for sparc64 is below DIR", NULL, &sysroot },
    { .name = NULL },
};

static int main_t4emu(int argc, char **argv);
static const struct command t4emu_command = { "t4emu",
                                              "PROGRAM [ARGUMENT]...",
                                              "Run a sparc64 program on an emulated SPARC T4.",
                                              options,
                                              main_t4emu,
                                              .joined = "cfr",
                                              .own_options = true,
                                              .alone = true };

/* Checks the words of --strict and --cfr now, because the library in the program, which reads
 * them again, is not the place to report a wrong one. */
static int check_words(void)
{
    struct t4_model model = t4_config_default();
    char why[256];
    if (strict && !*strict)
        strict = "1";
    if ((strict && t4_config_strict(&model, strict, why, sizeof why)) ||
        (cfr && t4_config_cfr(&model, cfr, why, sizeof why)))
        return tool_usage("t4emu: %s", why);
    if (stats && !*stats)
        return tool_usage("t4emu: --stats needs the name of a file");
    return 0;
}

/* Makes the path of FILE absolute, because the program opens it from whatever folder it is in
 * then. */
static int whole_path(const char *file, char *path, size_t path_len)
{
    char here[PATH_MAX] = "";
    if (*file != '/' && strcmp(file, "-") && !getcwd(here, sizeof here)) {
        tool_error("current folder: %s", strerror(errno));
        return EXIT_OURS;
    }
    snprintf(path, path_len, "%s%s%s", here, *here ? "/" : "", file);
    return 0;
}

static int set_environment(const struct t4_run *how)
{
    char file[2 * PATH_MAX];
    if (stats && whole_path(stats, file, sizeof file))
        return EXIT_OURS;
    if ((strict && setenv("T4EMU_STRICT", strict, 1)) || (cfr && setenv("T4EMU_CFR", cfr, 1)) ||
        (stats && setenv("T4EMU_STATS", file, 1)) || (trace && setenv("T4EMU_TRACE", "1", 1)) ||
        setenv("T4EMU_QEMU", how->qemu, 1) || setenv("T4EMU_SYSROOT", how->sysroot, 1)) {
        tool_error("%s", strerror(errno));
        return EXIT_OURS;
    }
    return 0;
}

struct job {
    struct t4_run how;
    const char *program;
    char **argv;
};

/* Runs the program. LD_PRELOAD names libraries of this machine here, and is removed; the
 * loader's other variables are passed to the program. */
static int run(const void *argument)
{
    const struct job *job = argument;
    struct t4_command command;
    unsetenv("LD_PRELOAD");
    void *memory = malloc(t4_command_size(&job->how, job->argv, environ));
    if (memory) {
        t4_command_build(&command, memory, &job->how, job->program, job->argv, environ);
        execve(job->how.qemu, command.argv, command.envp);
    }
    tool_error("cannot run %s: %s", job->how.qemu, strerror(errno));
    return EXIT_OURS;
}

/* Runs the program with a statistics file of our own, which is then read, printed, and appended
 * to the user's file. */
static int run_with_report(const struct job *job)
{
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/headrace-t4emu.XXXXXX", folder && *folder ? folder : "/tmp");
    /* The descriptor may get the number of a standard output that was closed. */
    const int fd = mkostemp(name, O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    char whole[2 * PATH_MAX];
    if (!file || whole_path(name, whole, sizeof whole) || setenv("T4EMU_STATS", whole, 1)) {
        tool_error("%s: %s", name, strerror(errno));
        return EXIT_OURS;
    }
    int status = report_run_and_wait(run, job);
    report_print(stderr, file, sysroot);
    if (stats && report_append_statistics(file, stats))
        status = EXIT_OURS;
    fclose(file);
    unlink(name);
    return status;
}

/* Finds the program, QEMU and the library. Makes the paths of QEMU and the sysroot absolute,
 * because the program may execute others from another folder. */
static int find_all(struct job *job, const char *name)
{
    static char found[PATH_MAX], library_path[PATH_MAX], program[PATH_MAX];
    static char qemu_path[2 * PATH_MAX], root[2 * PATH_MAX];
    int status;
    if ((status = find_program(name, program, sizeof program)) ||
        (status = elf_check_program(program, sysroot)) ||
        (status = find_qemu(qemu, found, sizeof found)) || (status = version_check_qemu(found)) ||
        (status = find_library(library, library_path, sizeof library_path)) ||
        (status = whole_path(found, qemu_path, sizeof qemu_path)) ||
        (status = whole_path(sysroot, root, sizeof root)))
        return status;
    job->program = program;
    job->how = (struct t4_run){ .qemu = qemu_path,
                                .cpu = stats || report ? T4EMU_CPU_COUNTED : T4EMU_CPU_MODEL,
                                .sysroot = root,
                                .library = library_path };
    return 0;
}

static int main_t4emu(int argc, char **argv)
{
    struct job job = { .argv = argv };
    int status;
    if (!sysroot)
        sysroot = T4EMU_SYSROOT;
    if ((status = check_words()))
        return status;
    if (argc < 1)
        return tool_usage("t4emu: name a program (see headrace-t4emu --help)");
    if ((status = find_all(&job, argv[0])) || (status = set_environment(&job.how)))
        return status;
    return report ? run_with_report(&job) : run(&job);
}

/* Prints the words for shell completion. */
static int words(void)
{
    for (const struct tool_option *o = options; o->name; o++)
        tool_say("--%s%s\t%s\n", o->name, o->arg ? "=" : "", o->help);
    return tool_finish(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
    int exit_code;
    if (argc < 1)
        return EXIT_USAGE;
    if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
        tool_say("headrace-t4emu %s\n", HEADRACE_VERSION);
        return tool_finish(EXIT_SUCCESS);
    }
    if (argc > 1 && !strcmp(argv[1], "--words"))
        return words();
    const int operands = tool_options(&t4emu_command, argc, argv, &exit_code);
    if (operands < 0)
        return tool_finish(exit_code);
    return t4emu_command.main(argc - operands, argv + operands);
}
