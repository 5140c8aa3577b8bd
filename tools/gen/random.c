/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

static uint64_t state;

void random_start(uint64_t seed)
{
    state = seed;
}

uint64_t random_bits(void)
{
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

int random_below(int bound)
{
    return (int)((random_bits() >> 32) * (uint64_t)bound >> 32);
}
