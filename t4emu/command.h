/* SPDX-License-Identifier: Apache-2.0 */
/* The command line by which QEMU runs a sparc64 program with the emulator. The launcher uses it,
 * and so do emulated programs when they execute other programs. */
#ifndef T4EMU_COMMAND_H
#define T4EMU_COMMAND_H

#include <stddef.h>

/* QEMU (up to 10.2) executes VIS 2's bshuffle wrongly, so this CPU model has no VIS 2, and the
 * emulator executes it. */
#define T4EMU_CPU_MODEL "TI-UltraSparc-II,+vis3,+fmaf,+ima,-vis2"
/* The same without VIS 3, which the emulator then executes: what QEMU executes cannot be counted.
 * Such a program takes about twice the time if it computes AES-GCM. */
#define T4EMU_CPU_COUNTED "TI-UltraSparc-II,-vis3,+fmaf,+ima,-vis2"
#define T4EMU_SYSROOT "/usr/sparc64-linux-gnu"
/* Part of the library's file name, and of no other library's. */
#define T4EMU_NAME "headrace-t4emu"

struct t4_run {
    const char *qemu, *cpu, *sysroot, *library;
    /* NAME=VALUE, added if the environment does not have NAME; ends with NULL. */
    const char *const *settings;
};

struct t4_command {
    char **argv, **envp;
};

/* t4_command_build builds the command in `memory`, which has as many bytes as t4_command_size
 * returns; the result refers to the strings that are passed. LD_* variables are meant for the
 * guest's loader and would break QEMU itself: QEMU's option -E passes them on. In the environment
 * of a program of this machine they are called T4EMU_LD_*, so that its loader ignores them. */
size_t t4_command_size(const struct t4_run *run, char *const argv[], char *const envp[]);
void t4_command_build(struct t4_command *out, void *memory, const struct t4_run *run,
                      const char *program, char *const argv[], char *const envp[]);
/* Builds the environment for a program of this machine: LD_* become T4EMU_LD_*. `memory` has as
 * many bytes as t4_command_size returns. */
void t4_command_native(struct t4_command *out, void *memory, char *const argv[],
                       char *const envp[]);

#endif
