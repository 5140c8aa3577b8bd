/* SPDX-License-Identifier: Apache-2.0 */
/* The command by which QEMU runs a sparc64 program with the emulator: the launcher's, and that of
 * programs which an emulated one executes. */
#ifndef T4EMU_COMMAND_H
#define T4EMU_COMMAND_H

#include <stddef.h>

/* VIS2's bshuffle is wrong in QEMU (up to 10.2), so the CPU has no VIS2, and it is emulated. */
#define T4EMU_CPU_MODEL "TI-UltraSparc-II,+vis3,+fmaf,+ima,-vis2"
#define T4EMU_SYSROOT "/usr/sparc64-linux-gnu"
#define T4EMU_NAME "headrace-t4emu" /* part of the library's name, and of no other's */

struct t4_run {
    const char *qemu, *sysroot, *library;
    const char *const *settings; /* NAME=VALUE, added where the environment has none; NULL ends */
};

struct t4_command {
    char **argv, **envp;
};

/* Both are built in `memory`, of as many bytes as `t4_command_size` says, and refer to the strings
 * that they are given.  Variables LD_* are the guest's loader's and would break QEMU: its -E hands
 * them over.  Where a program of this machine is between, they are called T4EMU_LD_*. */
size_t t4_command_size(const struct t4_run *run, char *const argv[], char *const envp[]);
void t4_command_build(struct t4_command *out, void *memory, const struct t4_run *run,
                      const char *program, char *const argv[], char *const envp[]);
/* The environment of a program of this machine. */
void t4_command_native(struct t4_command *out, void *memory, char *const argv[],
                       char *const envp[]);

#endif
