/* SPDX-License-Identifier: Apache-2.0 */
/* Memory near the thread that works on it; where there is one node, nothing happens. */
#ifndef HR_NUMA_H
#define HR_NUMA_H

#include <stddef.h>

/* The node of the CPU that this thread runs on; -1: there is one node, or nobody says. */
int numa_node_here(void);
/* Pages of a memory that are not there yet shall come from this node; -1: from any. */
void numa_prefer(void *memory, size_t len, int node);

#endif
