/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is there whole or not at all: written without a name, or under another one, and named
 * when it is complete.  Standard output, devices and pipes are written directly.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

struct output {
    int fd;
    const char *path; /* "-": standard output */
    bool direct;      /* written directly */
    bool force;       /* another file of that name is replaced */
};

/* Begins a file with these permissions, of which umask takes some.  0; or -1, and an error was
 * printed: without `force` also where there is a file of that name. */
int output_open(struct output *o, const char *path, mode_t mode, bool force);
/* Brings everything to the disk and names it.  0; or -1, an error was printed, and nothing is left.
 */
int output_commit(struct output *o);
/* Leaves nothing of it; what was written directly stays. */
void output_discard(struct output *o);

#endif
