/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows the progress of a long command: one line on stderr, if that is a terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    uint64_t total, done; /* in bytes; total 0: unknown */
    int64_t start, shown; /* in nanoseconds */
    bool wanted, on_line;
};

/* Begins; the total is what is left to read from fd. */
void progress_start(struct progress *p, int fd);
/* Adds the number of bytes that were processed. */
void progress_add(struct progress *p, uint64_t num_bytes);
/* Removes the line; to be called before anything else is printed. */
void progress_end(struct progress *p);

#endif
