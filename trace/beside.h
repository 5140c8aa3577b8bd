/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that appear whole or not at all: written beside, then renamed over the old one.  What is no
 * regular file (a pipe, /dev/stdout) is written as it is.
 */
#ifndef TRACE_BESIDE_H
#define TRACE_BESIDE_H

#include <stdio.h>
#include <sys/types.h>

struct beside {
    FILE *f;
    char *path, *temporary; /* temporary NULL: path itself is open */
};

/* mode 0: as the umask says. 0, or -1 with errno. */
int beside_open(struct beside *, const char *path, mode_t mode);
/* Renames it, or, where it failed before or now, removes it. 0, or -1 with errno. */
int beside_close(struct beside *, int failed);

#endif
