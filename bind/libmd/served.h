/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the calls that the library served, by thread and row, since a libmd context has no room
 * for them.  They are folded more and more rarely (../stats.h), at the end of a thread, and at the
 * end of the process. */
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

/* served_here is the calling thread's counters.  They are in the thread-local storage that the
 * loader allocates with each thread (-ftls-model=initial-exec), so that an access needs no call of
 * __tls_get_addr. */
extern _Thread_local struct served served_here[NUM_COUNTED] __attribute__((visibility("hidden")));

/* served_start prepares this thread's counter of a row at the row's first call. */
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
