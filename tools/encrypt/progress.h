/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows the progress of a long command: one line on stderr, if that is a terminal; or as Solaris's
 * encrypt -v does, also to a file.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_form {
    PROGRESS_LINE,    /* one line that changes, on a terminal */
    PROGRESS_PERIODS, /* a period for every 40 KiB, and "Done" */
    PROGRESS_BAR,     /* a bar as wide as a screen, with a pipe sign at every quarter, and "Done" */
};

struct progress {
    enum progress_form form;
    unsigned shown_marks; /* periods or columns */
    uint64_t total, done; /* in bytes; total 0: unknown */
    int64_t start, shown; /* in nanoseconds */
    bool wanted, on_line;
};

/* Begins; the total is what is left to read from fd. */
void progress_start(struct progress *p, int fd, enum progress_form form);
/* Adds the number of bytes that were processed. */
void progress_add(struct progress *p, uint64_t num_bytes);
/* Removes the line, or ends it; to be called before anything else is printed. */
void progress_end(struct progress *p, bool good);

#endif
