/* SPDX-License-Identifier: Apache-2.0
 *
 * Which families this machine's architecture, and this CPU, has instructions for.
 */
#ifndef TRACE_CPU_FLAGS_H
#define TRACE_CPU_FLAGS_H

#include "crypto.h"
#include <stdbool.h>
#include <stdio.h>

/* "x86", "arm64"; "" where families.def knows nothing of the architecture. */
extern const char cpu_name[];
/* Whether some CPU of this architecture has instructions for the family. */
bool cpu_could(enum family);
/* What they are called: "AES-NI"; "" where a verdict never misses them. */
const char *cpu_set(enum family);
/* Bit a family, by a text such as /proc/cpuinfo's. */
uint32_t cpu_families_of(FILE *cpuinfo);

#endif
