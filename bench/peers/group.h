/* SPDX-License-Identifier: Apache-2.0 */
/* A group: the peers that offer one algorithm, operation, size and number of lanes. */
#ifndef GROUP_H
#define GROUP_H

#include "peer.h"

enum { MAX_COLUMNS = 64, MAX_SLICES = 1024 };

/* A peer in one of its modes. */
struct column {
    char name[64];
    const char *mode;
    peer *peer;
};

struct settings {
    double slice;      /* seconds */
    double wait;       /* for a quiet core, seconds a group */
    int slices, tries; /* clean slices that are wanted, slices that are tried for one */
    const char *keydir;
};

void group_print_header(void);
/* group_run times, in turns, the columns that have the cell of *rq, and prints a row for each.  It
 * sets rq's mode to that of each column itself. */
void group_run(const struct column *columns, unsigned num_columns, const peer_req *rq,
               const struct settings *settings);

#endif
