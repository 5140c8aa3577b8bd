/* SPDX-License-Identifier: Apache-2.0 */
/* headrace-t4emu: finds QEMU and the emulator's library, and runs a sparc64 program with both. */
#ifndef T4EMU_LAUNCHER_H
#define T4EMU_LAUNCHER_H

#include "tool.h"
#include <stddef.h>

/* As a shell has them, and 125 for what is the launcher's own. */
enum { EXIT_OURS = 125, EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

/* Each of these returns 0, or prints why not and returns the exit status. */

/* launcher_find.c: `path` gets what is to be run. */
int find_qemu(const char *wanted, char *path, size_t path_len);
int find_library(const char *wanted, char *path, size_t path_len);
/* PROGRAM as a shell looks for it. */
int find_program(const char *name, char *path, size_t path_len);

/* launcher_version.c: whether this QEMU executes what is not emulated as a SPARC does. */
int check_qemu(const char *path);

/* launcher_elf.c: whether QEMU and the dynamic loader below `sysroot` can run it. */
int check_program(const char *path, const char *sysroot);

/* launcher_report.c */
/* The exit status of `run`, which only returns where it fails, in a child. */
int run_and_wait(int (*run)(const void *), const void *argument);
int append_statistics(FILE *statistics, const char *file);

#endif
