/* SPDX-License-Identifier: Apache-2.0 */
/* SplitMix64: what is random is the same wherever the seed is. */
#pragma once
#include <stdint.h>

void random_start(uint64_t seed);
uint64_t random_bits(void);
int random_below(int bound); /* 0 to bound - 1 */
