/* SPDX-License-Identifier: Apache-2.0 */
/* libheadrace-t4emu.so: preloaded into a sparc64 program, it executes what QEMU does not know.
 * sigaction, getauxval and their kin are this library's; see headrace-t4emu(1). */
#define _GNU_SOURCE
#include "config.h"
#include "frame.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* What a T4 tells and QEMU does not, VIS 2 because its bshuffle is wrong there. */
enum { T4_HWCAP = HWCAP_SPARC_CRYPTO | HWCAP_SPARC_VIS2 };

static struct t4_model model;
static uint64_t counts[T4_NUM_OPS];
static struct sigaction programs; /* the program's own action for SIGILL */

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

static void pass_on(int number, siginfo_t *info, void *context)
{
    if (programs.sa_flags & SA_SIGINFO)
        programs.sa_sigaction(number, info, context);
    else if (programs.sa_handler != SIG_DFL && programs.sa_handler != SIG_IGN)
        programs.sa_handler(number);
    else {
        const struct sigaction die = { .sa_handler = SIG_DFL };
        real_sigaction(number, &die, NULL); /* the instruction traps again, and ends the program */
    }
}

static void on_illegal(int number, siginfo_t *info, void *context)
{
    struct t4_machine m;
    enum t4_op op;
    frame_read(&m, info);
    m.model = &model;
    const uint32_t word = *(const uint32_t *)m.pc;
    const enum t4_result result = t4_step(&m, word, &op);
    if (result == T4_DONE) {
        __atomic_fetch_add(&counts[op], 1, __ATOMIC_RELAXED);
        frame_write(&m, info);
    }
    if (result != T4_DONE)
        pass_on(number, info, context);
}

static void configure(void)
{
    const char *strict = getenv("T4EMU_STRICT"), *cfr = getenv("T4EMU_CFR");
    char why[256];
    model = t4_config_default();
    if (t4_config_strict(&model, strict ? strict : "", why, sizeof why) ||
        t4_config_cfr(&model, cfr ? cfr : "", why, sizeof why)) {
        dprintf(STDERR_FILENO, "t4emu: %s\n", why);
        _exit(125);
    }
}

__attribute__((destructor)) static void finish(void)
{
    const char *file = getenv("T4EMU_STATS");
    FILE *out = !file ? NULL : strcmp(file, "-") ? fopen(file, "a") : stderr;
    if (!out)
        return;
    fprintf(out, "process %d %s\n", (int)getpid(), program_invocation_short_name);
    for (unsigned op = 1; op < T4_NUM_OPS; op++)
        if (counts[op])
            fprintf(out, "opcode %s %llu\n", t4_opcodes[op].name, (unsigned long long)counts[op]);
    fclose(out);
}

__attribute__((constructor)) static void start(void)
{
    configure();
    const struct sigaction ours = { .sa_sigaction = on_illegal,
                                    .sa_flags = SA_SIGINFO | SA_NODEFER };
    real_sigaction =
        (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
    real_sigaction(SIGILL, &ours, &programs);
}

EXPORT unsigned long getauxval(unsigned long type)
{
    static unsigned long (*real)(unsigned long);
    if (!real)
        real = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
    const unsigned long value = real(type);
    return type == AT_HWCAP ? value | T4_HWCAP : value;
}

EXPORT int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    if (number != SIGILL)
        return real_sigaction(number, new, old);
    const struct sigaction was = programs;
    if (new)
        programs = *new;
    if (old)
        *old = was;
    return 0;
}
