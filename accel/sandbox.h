/* SPDX-License-Identifier: Apache-2.0 */
/* What the service takes from itself before it serves, so that whoever takes it over has little. */
#ifndef HR_SANDBOX_H
#define HR_SANDBOX_H

#include <stddef.h>

/* From now on this thread, and those that it starts, can only read files, and only beneath these
 * folders (NULL: none); a folder that is not there is left out.  They gain no privileges by exec.
 * 0, -1: errno; 1: done as far as this kernel can, which has no Landlock. */
int sandbox_files(const char *const *folders, size_t num_folders);
/* From now on no thread of this process makes another system call than those it needs to serve: the
 * kernel ends the process.  0, or -1: errno. */
int sandbox_calls(void);

#endif
