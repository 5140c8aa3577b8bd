/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_CGROUP_H
#define HR_CGROUP_H

#include <stdint.h>

/* cgroup_memory_limit returns the least limit of memory, in bytes, of the control groups of this
 * process (cgroups(7), both versions), or UINT64_MAX if there is none. */
uint64_t cgroup_memory_limit(void);

#endif
