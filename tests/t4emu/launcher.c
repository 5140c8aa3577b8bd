/* SPDX-License-Identifier: Apache-2.0 */
/* headrace-t4emu [OPTION...] [--] PROGRAM [ARGUMENT...]; see headrace-t4emu(1). */
#define _GNU_SOURCE
#include "launcher.h"
#include "config.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* VIS2's bshuffle is wrong in QEMU (up to 10.2), so the CPU has no VIS2, and it is emulated. */
#define CPU_MODEL "TI-UltraSparc-II,+vis3,+fmaf,+ima,-vis2"

#define SYSROOT "/usr/sparc64-linux-gnu"

static const char *strict, *cfr, *stats, *qemu, *library, *sysroot;
static bool trace;

static const struct tool_option options[] = {
    { "strict", 's', "[=WORD,...]",
      "die of what the definitions leave open, spoil what they do not keep", NULL, &strict },
    { "cfr", 'c', "WORD,...", "capability bits: -aes turns one off, none all of them", NULL, &cfr },
    { "stats", 0, "FILE", "append counts of every emulated instruction; - is standard error", NULL,
      &stats },
    { "trace", 0, NULL, "print every emulated instruction", &trace, NULL },
    { "qemu", 0, "PATH", "the qemu-sparc64 to use, 10 or later", NULL, &qemu },
    { "library", 0, "PATH", "the libheadrace-t4emu.so to use", NULL, &library },
    { "sysroot", 0, "DIR", "the C library for sparc64 is below it", NULL, &sysroot },
    { .name = NULL },
};

static int main_t4emu(int argc, char **argv);
static const struct command t4emu_command = {
    "t4emu",    "PROGRAM [ARGUMENT]...", "Run a sparc64 program on an emulated SPARC T4.", options,
    main_t4emu, .joined = "cfr"
};
const struct command *const commands[] = { &t4emu_command, NULL };

/* The same words are read again in the program, where nobody wants to learn of a bad one. */
static int check_words(void)
{
    struct t4_model model = t4_config_default();
    char why[256];
    if (strict && !*strict)
        strict = "1";
    if ((strict && t4_config_strict(&model, strict, why, sizeof why)) ||
        (cfr && t4_config_cfr(&model, cfr, why, sizeof why)))
        return tool_usage("t4emu: %s", why);
    return 0;
}

/* FILE is the program's to open, wherever it has gone to by then. */
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

static int set_environment(void)
{
    char file[2 * PATH_MAX];
    if (stats && whole_path(stats, file, sizeof file))
        return EXIT_OURS;
    if ((strict && setenv("T4EMU_STRICT", strict, 1)) || (cfr && setenv("T4EMU_CFR", cfr, 1)) ||
        (stats && setenv("T4EMU_STATS", file, 1)) || (trace && setenv("T4EMU_TRACE", "1", 1))) {
        tool_error("%s", strerror(errno));
        return EXIT_OURS;
    }
    return 0;
}

/* A variable of the dynamic loader is the program's, and would break QEMU, which is another
 * machine's: -E gives it to the program alone. */
static int loader_variable(const char *name, char **assignment)
{
    const char *value = getenv(name);
    *assignment = NULL;
    if (!value)
        return 0;
    if (strchr(value, ',') || asprintf(assignment, "%s=%s", name, value) < 0) {
        tool_error("%s: a value with a comma cannot be handed to the program", name);
        return EXIT_OURS;
    }
    unsetenv(name);
    return 0;
}

/* What a program that the program runs is to be run with (exec.c). */
static int set_inherited(const char *qemu_path, const char *library_path)
{
    char self[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0)
        return 0; /* such programs do not run then */
    self[len] = '\0';
    if (setenv(T4EMU_LAUNCHER, self, 1) || setenv("HEADRACE_QEMU", qemu_path, 1) ||
        setenv("HEADRACE_T4EMU_LIBRARY", library_path, 1) ||
        setenv("HEADRACE_T4EMU_SYSROOT", sysroot, 1)) {
        tool_error("%s", strerror(errno));
        return EXIT_OURS;
    }
    return 0;
}

/* The emulator first, then what the program that runs this one had preloaded. */
static void preloaded(char *out, size_t out_len, const char *library_path)
{
    const char *others = getenv(T4EMU_PRELOAD);
    snprintf(out, out_len, "LD_PRELOAD=%s%s%s", library_path, others && *others ? ":" : "",
             others ? others : "");
    unsetenv(T4EMU_PRELOAD);
    unsetenv("LD_PRELOAD");
}

static int run(const char *qemu_path, const char *library_path, const char *program, int argc,
               char **argv)
{
    char preload[4 * PATH_MAX], *library_dirs;
    preloaded(preload, sizeof preload, library_path);
    if (loader_variable("LD_LIBRARY_PATH", &library_dirs))
        return EXIT_OURS;
    const char **command = calloc((size_t)argc + 16, sizeof *command);
    if (!command) {
        tool_error("%s", strerror(errno));
        return EXIT_OURS;
    }
    size_t n = 0;
    command[n++] = qemu_path;
    command[n++] = "-cpu";
    command[n++] = CPU_MODEL;
    command[n++] = "-L";
    command[n++] = sysroot;
    command[n++] = "-E";
    command[n++] = preload;
    if (library_dirs) {
        command[n++] = "-E";
        command[n++] = library_dirs;
    }
    command[n++] = "-0";
    command[n++] = argv[0];
    command[n++] = program;
    for (int i = 1; i < argc; i++)
        command[n++] = argv[i];
    execv(qemu_path, (char *const *)command);
    tool_error("cannot run %s: %s", qemu_path, strerror(errno));
    return EXIT_OURS;
}

static int main_t4emu(int argc, char **argv)
{
    char qemu_path[PATH_MAX], library_path[PATH_MAX], program[PATH_MAX];
    int status;
    if (!sysroot)
        sysroot = getenv("HEADRACE_T4EMU_SYSROOT");
    if (!sysroot)
        sysroot = SYSROOT;
    if (argc < 1)
        return tool_usage("t4emu: which program? (see headrace-t4emu --help)");
    if ((status = check_words()) || (status = find_program(argv[0], program, sizeof program)) ||
        (status = check_program(program, sysroot)) ||
        (status = find_qemu(qemu, qemu_path, sizeof qemu_path)) ||
        (status = check_qemu(qemu_path)) ||
        (status = find_library(library, library_path, sizeof library_path)) ||
        (status = set_environment()) || (status = set_inherited(qemu_path, library_path)))
        return status;
    return run(qemu_path, library_path, program, argc, argv);
}

int main(int argc, char **argv)
{
    int exit_code;
    if (argc < 1)
        return EXIT_USAGE;
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        printf("headrace-t4emu %s\n", HEADRACE_VERSION);
        return tool_finish(EXIT_SUCCESS);
    }
    const int operands = tool_options(&t4emu_command, argc, argv, &exit_code);
    if (operands < 0)
        return tool_finish(exit_code);
    return t4emu_command.main(argc - operands, argv + operands);
}
