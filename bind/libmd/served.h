/* SPDX-License-Identifier: Apache-2.0 */
/* Who served a call, for contexts that have no room for it: each thread counts by row, and folds
 * ever more rarely (../stats.h), at its end, and at the process's. */
#ifndef HR_LIBMD_SERVED_H
#define HR_LIBMD_SERVED_H

#include "../stats.h"

enum counted {
    COUNT_MD5,
    COUNT_SHA1,
    COUNT_SHA224,
    COUNT_SHA256,
    COUNT_SHA384,
    COUNT_SHA512,
    COUNT_SHA512_224,
    COUNT_SHA512_256,
    NUM_COUNTED,
    NOT_COUNTED = NUM_COUNTED, /* MD4 and the like: no rows of the registry */
};

/* Compiled for the block that the loader lays out for each thread: an access is an offset, no call.
 */
extern _Thread_local struct served served_here[NUM_COUNTED] __attribute__((visibility("hidden")));

/* A row's first call in this thread. */
COLD void served_start(enum counted row);

static inline void served_count(enum counted row, size_t bytes)
{
    if (row == NOT_COUNTED)
        return;
    struct served *served = &served_here[row];
    if (UNLIKELY(!served->granted))
        served_start(row);
    served_add(served, bytes);
}

#endif
