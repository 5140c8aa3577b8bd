/* SPDX-License-Identifier: Apache-2.0
 *
 * The families for which this machine's architecture, and this CPU, have instructions.
 */
#ifndef TRACE_CPU_FLAGS_H
#define TRACE_CPU_FLAGS_H

#include "../families.h"
#include <stdbool.h>
#include <stdio.h>

/* "x86" or "arm64"; "" for architectures that families.def does not cover. */
extern const char cpu_name[];
/* Whether some CPU of this architecture has instructions for the family. */
bool cpu_could(enum family);
/* The name of these instructions ("AES-NI"); "" where a verdict does not mention them. */
const char *cpu_set(enum family);
/* The families, one bit each, whose instructions a text such as /proc/cpuinfo lists. */
uint32_t cpu_families_of(FILE *cpuinfo);

#endif
