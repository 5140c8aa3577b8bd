/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* secure_getenv */
#include "served.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

_Thread_local struct served served_here[NUM_COUNTED];

static const enum row_index rows[NUM_COUNTED] = {
    [COUNT_MD5] = INDEX_md5,
    [COUNT_SHA1] = INDEX_sha1,
    [COUNT_SHA224] = INDEX_sha224,
    [COUNT_SHA256] = INDEX_sha256,
    [COUNT_SHA384] = INDEX_sha384,
    [COUNT_SHA512] = INDEX_sha512,
    [COUNT_SHA512_224] = INDEX_sha512_224,
    [COUNT_SHA512_256] = INDEX_sha512_256,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static int has_key;

/* fold_all empties the counters: destructors that run later may count again. */
static void fold_all(void *counters)
{
    struct served *served = counters;
    for (size_t i = 0; i < NUM_COUNTED; i++) {
        if (!served[i].granted)
            continue;
        stats_fold(&served[i]);
        served[i] = (struct served){ 0 };
    }
}

/* open_once opens the statistics and never closes them: the library is never unloaded (-z
 * nodelete), and threads may still hash while the process ends. */
static void open_once(void)
{
    stats_open("libmd", secure_getenv(HR_STATS_ENV));
    has_key = !pthread_key_create(&at_thread_end, fold_all);
}

void served_start(enum counted row)
{
    const int error = errno; /* a digest does not change errno */
    pthread_once(&once, open_once);
    if (has_key)
        pthread_setspecific(at_thread_end, served_here);
    served_init(&served_here[row], rows[row]);
    errno = error;
}

/* at_exit folds the counts of the thread that ends the process, since no destructor of a pthread
 * key runs for it. */
__attribute__((destructor)) static void at_exit(void)
{
    fold_all(served_here);
}
