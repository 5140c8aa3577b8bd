/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_CPU_H
#define HR_CPU_H

#include <headrace/headrace.h>

#define CPU(SYM) HR_CPU_BIT(SYM)

/* cpu_detect returns the features that the CPU and the system have.  Each architecture defines it
 * in cpu_<arch>.c. */
uint64_t cpu_detect(void);
/* The bits of all features that this architecture can have; defined beside cpu_detect. */
extern const uint64_t cpu_arch_mask;

/* cpu_apply_mask returns `features` without those that `mask` ("-avx512,-aesni") names, and without
 * those that are useless without these. */
uint64_t cpu_apply_mask(uint64_t features, const char *mask);

/* cpu_override is for tests: it sets what hr_cpu_features() returns, also features that the CPU
 * lacks, and forgets which kernels were chosen. */
void cpu_override(uint64_t features);

#endif
