/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "command.h"
#include <string.h>

#define OURS "T4EMU_"
#define LOADERS "LD_"
#define PRELOAD "LD_PRELOAD="

enum { MORE_ARGS = 16 };

static int begins(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static size_t count(char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

/* Returns an assignment to LD_* or T4EMU_LD_* under the name LD_* that the guest's loader knows;
 * NULL for other variables, and if there is a comma, which QEMU takes for the end of an
 * assignment. */
static const char *for_loader(const char *assignment)
{
    if (begins(assignment, OURS LOADERS))
        assignment += strlen(OURS);
    return begins(assignment, LOADERS) && !strchr(assignment, ',') ? assignment : NULL;
}

size_t t4_command_size(const struct t4_run *run, char *const argv[], char *const envp[])
{
    size_t bytes = strlen(PRELOAD) + strlen(run->library) + 2, settings = 0;
    while (run->settings && run->settings[settings])
        settings++;
    for (size_t i = 0; envp && envp[i]; i++)
        bytes += strlen(envp[i]) + strlen(OURS) + 1;
    /* each variable may become an argument or stay in the environment */
    return bytes + (count(argv) + 3 * count(envp) + settings + MORE_ARGS) * sizeof(char *);
}

/* Adds the libraries that are preloaded in addition to the emulator. */
static char *add_preloaded(char *end, const char *names)
{
    while (*names) {
        const size_t len = strcspn(names, ": ");
        const char *ours = memmem(names, len, T4EMU_NAME, sizeof T4EMU_NAME - 1);
        if (len && !ours) {
            *end++ = ':';
            end = mempcpy(end, names, len);
        }
        names += len + (names[len] != '\0');
    }
    *end = '\0';
    return end;
}

static int is_set(char *const *envp, const char *assignment)
{
    const size_t len = strcspn(assignment, "=") + 1;
    for (size_t i = 0; envp && envp[i]; i++)
        if (!strncmp(envp[i], assignment, len))
            return 1;
    return 0;
}

void t4_command_build(struct t4_command *out, void *memory, const struct t4_run *run,
                      const char *program, char *const argv[], char *const envp[])
{
    const size_t num_env = count(envp);
    const char **to = memory;
    const char **environment = to + count(argv) + 2 * num_env + MORE_ARGS;
    size_t settings = 0;
    while (run->settings && run->settings[settings])
        settings++;
    char *preload = (char *)(environment + num_env + settings + 1);
    char *end = stpcpy(stpcpy(preload, PRELOAD), run->library);
    const char *const begin[] = { run->qemu, "-cpu", run->cpu, "-L", run->sysroot, "-E", preload };
    out->argv = (char **)to;
    out->envp = (char **)environment;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        *to++ = begin[i];
    for (size_t i = 0; i < num_env; i++) {
        const char *loaders = for_loader(envp[i]);
        if (!loaders)
            *environment++ = envp[i];
        else if (begins(loaders, PRELOAD))
            end = add_preloaded(end, loaders + strlen(PRELOAD));
        else {
            *to++ = "-E";
            *to++ = loaders;
        }
    }
    for (size_t i = 0; i < settings; i++)
        if (!is_set(envp, run->settings[i]))
            *environment++ = run->settings[i];
    *environment = NULL;
    *to++ = "-0";
    *to++ = argv && argv[0] ? argv[0] : program;
    *to++ = program;
    for (size_t i = 1; i < count(argv); i++)
        *to++ = argv[i];
    *to = NULL;
}

void t4_command_native(struct t4_command *out, void *memory, char *const argv[], char *const envp[])
{
    const size_t num_env = count(envp);
    const char **environment = memory;
    char *text = (char *)(environment + num_env + 1);
    out->argv = (char **)argv;
    out->envp = (char **)environment;
    for (size_t i = 0; i < num_env; i++) {
        *environment++ = begins(envp[i], LOADERS) ? text : envp[i];
        if (begins(envp[i], LOADERS))
            text = stpcpy(stpcpy(text, OURS), envp[i]) + 1;
    }
    *environment = NULL;
}
