/* SPDX-License-Identifier: Apache-2.0 */
/* Memory near the thread that works on it.  If there is one node, these functions do nothing. */
#ifndef HR_NUMA_H
#define HR_NUMA_H

#include <stddef.h>

/* numa_node_here returns the node of the CPU that this thread runs on, or -1 if there is one node
 * or the system does not say. */
int numa_node_here(void);
/* numa_prefer asks for this node's memory for pages that do not exist yet; -1: for any node's. */
void numa_prefer(void *memory, size_t len, int node);

#endif
