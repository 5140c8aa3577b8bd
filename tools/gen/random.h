/* SPDX-License-Identifier: Apache-2.0 */
/* SplitMix64: the same seed gives the same random numbers everywhere. */
#pragma once
#include <stdint.h>

void random_start(uint64_t seed);
uint64_t random_bits(void);
int random_below(int bound); /* 0 to bound - 1 */
