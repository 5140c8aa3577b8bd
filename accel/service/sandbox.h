/* SPDX-License-Identifier: Apache-2.0 */
/* The service gives up rights before it serves: an attacker who takes it over gains little. */
#ifndef HR_SANDBOX_H
#define HR_SANDBOX_H

#include <stddef.h>

/* sandbox_files lets this thread, and those that it starts, only read files, and only beneath these
 * folders (NULL: none); a folder that does not exist is left out.  They gain no privileges by exec.
 * Returns 0; -1 with errno; 1: this kernel has no Landlock, so files are not restricted. */
int sandbox_files(const char *const *folders, size_t num_folders);
/* sandbox_calls lets all threads make only the system calls that they need to serve; at any other
 * the kernel ends the process.  Returns 0, or -1 with errno. */
int sandbox_calls(void);

#endif
