/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU that no kernel here is written for: portable C serves all. */
#include "cpu.h"

const uint64_t cpu_arch_mask = 0;

uint64_t cpu_detect(void) { return 0; }
