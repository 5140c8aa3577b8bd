/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a long command is: one line on stderr, where that is a terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    uint64_t total, done; /* bytes; total 0: not known */
    int64_t start, shown; /* nanoseconds */
    bool wanted, on_line;
};

/* Of what is left to be read from fd. */
void progress_start(struct progress *p, int fd);
/* So many bytes more. */
void progress_add(struct progress *p, uint64_t num_bytes);
/* Takes the line away: before anything else is printed. */
void progress_end(struct progress *p);

#endif
