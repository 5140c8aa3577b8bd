/* SPDX-License-Identifier: Apache-2.0
 *
 * An output file that appears whole or not at all: it is written without a name, or under a
 * temporary one, and gets its name when it is complete. Standard output, devices and pipes are
 * written directly.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

struct output {
    int fd;
    const char *path; /* "-": standard output */
    bool direct;      /* is written directly */
    bool force;       /* replaces an existing file of that name */
};

/* Begins a file with these permissions, restricted by the umask. Returns 0, or -1 with an error
 * printed; without `force` also if the file exists. */
int output_open(struct output *o, const char *path, mode_t mode, bool force);
/* Writes everything to the disk and gives the file its name. Returns 0, or -1 with an error
 * printed; then nothing is left behind but what was written directly. */
int output_commit(struct output *o);
/* Discards the file; anything that was written directly stays. */
void output_discard(struct output *o);

#endif
