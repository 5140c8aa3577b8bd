/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_CPU_H
#define HR_CPU_H

#include <headrace/headrace.h>

#define CPU(SYM) HR_CPU_BIT(SYM)

/* What the CPU and the system offer: one definition an architecture, lib/<arch>/cpu_<arch>.c. */
uint64_t cpu_detect(void);
/* The bits of this architecture, for the same reason. */
extern const uint64_t cpu_arch_mask;

/* `features` less what `mask` ("-avx512,-aesni") names and less what is useless without those. */
uint64_t cpu_apply_mask(uint64_t features, const char *mask);

/* For tests: replaces what hr_cpu_features() answers, bits added included; choices made before
 * are dropped. */
void cpu_override(uint64_t features);

#endif
