/* SPDX-License-Identifier: Apache-2.0 */
/* The time for which a job under a handle waits for a service to come back. */
#include "internal.h"

enum { DEFAULT_MS = 5000 };

static _Atomic uint32_t patience_ms = DEFAULT_MS;

void hr_accel_patience(uint32_t milliseconds)
{
    atomic_store(&patience_ms, milliseconds);
}

uint64_t patience_ns(void)
{
    return UINT64_C(1000000) * atomic_load(&patience_ms);
}
