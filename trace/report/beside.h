/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a file so that it appears whole or not at all: under a temporary name in the same folder,
 * which is then renamed over the old file. If the path is not a regular file (a pipe, /dev/stdout),
 * it is written directly.
 */
#ifndef TRACE_BESIDE_H
#define TRACE_BESIDE_H

#include <stdio.h>
#include <sys/types.h>

struct beside {
    FILE *f;
    char *path, *temporary; /* temporary is NULL if path itself is open */
};

/* mode 0: permissions by the umask. Returns 0, or -1 with errno. */
int beside_open(struct beside *, const char *path, mode_t mode);
/* Renames the temporary file; if writing failed, before or now, removes it. Returns 0, or -1
 * with errno. */
int beside_close(struct beside *, int failed);

#endif
