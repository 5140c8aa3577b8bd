/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that flips bits of memory which the service reads at the same time. */
#ifndef HR_FUZZ_FLIPPER_H
#define HR_FUZZ_FLIPPER_H

#include "fuzz.h"
#include <pthread.h>
#include <unistd.h>

static _Atomic(uint8_t *) target; /* 16 bytes to flip bits in; NULL: none */
static _Atomic uint32_t flips;    /* counts up; odd while a flip is being made */

static void *flipper(void *arg)
{
    for (uint32_t x = 1;;) {
        uint8_t *at = atomic_load(&target);
        if (!at) {
            usleep(20);
            continue;
        }
        atomic_fetch_add(&flips, 1);
        if (atomic_load(&target) == at) {
            x = x * 1664525 + 1013904223;
            __atomic_fetch_xor(at + (x >> 28), (uint8_t)(1u << (x >> 25 & 7)), __ATOMIC_RELAXED);
        }
        atomic_fetch_add(&flips, 1);
    }
    return NULL;
}

/* Stops the flips and waits for the last one, so that memory can be unmapped. */
static void rest(void)
{
    atomic_store(&target, NULL);
    while (atomic_load(&flips) & 1)
        ;
}

#endif
