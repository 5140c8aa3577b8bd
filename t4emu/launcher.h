/* SPDX-License-Identifier: Apache-2.0 */
/* headrace-t4emu: finds QEMU and the emulator's library, and runs a sparc64 program with both. */
#ifndef T4EMU_LAUNCHER_H
#define T4EMU_LAUNCHER_H

#include "tool.h"
#include <stddef.h>

/* Exit statuses as in a shell; 125 is for failures of the launcher itself. */
enum { EXIT_OURS = 125, EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

/* Each of these functions except report_run_and_wait returns 0, or prints the reason of its
 * failure and returns an exit status. */

/* launcher_find.c: each sets `path` to the file to be used. */
int find_qemu(const char *wanted, char *path, size_t path_len);
int find_library(const char *wanted, char *path, size_t path_len);
/* Finds PROGRAM as a shell does. */
int find_program(const char *name, char *path, size_t path_len);

/* launcher_version.c: checks that QEMU is version 10 or later; older ones execute the T4's AES
 * instructions wrongly instead of trapping. */
int version_check_qemu(const char *path);

/* launcher_elf.c: whether QEMU, with the dynamic loader below `sysroot`, can run the program. */
int elf_check_program(const char *path, const char *sysroot);

/* launcher_report.c */
/* Calls `run`, which only returns if it fails, in a child process. Returns the child's exit
 * status, EXIT_SIGNAL plus the number of the signal that ended it, or EXIT_OURS. */
int report_run_and_wait(int (*run)(const void *), const void *argument);
int report_append_statistics(FILE *statistics, const char *file);

#endif
