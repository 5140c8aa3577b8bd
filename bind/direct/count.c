/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of each thread's calls, folded into the statistics now and then and at the thread's
 * end (../stats.h). */
#define _GNU_SOURCE /* secure_getenv */
#include "../stats.h"
#include "direct.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static __thread struct served served[NUM_ROWS];
static __thread int begun;
static pthread_key_t at_end;
static int have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fold_all(void *rows)
{
    struct served *at = rows;
    for (size_t i = 0; i < NUM_ROWS; i++)
        if (at[i].calls)
            stats_fold(&at[i]);
}

static void open_statistics(void)
{
    stats_open("direct", secure_getenv(HR_STATS_ENV));
    stats_watch(); /* `served` is not initialised by served_init */
    have_key = !pthread_key_create(&at_end, fold_all);
}

void count_begin(void)
{
    const int error = errno;
    pthread_once(&once, open_statistics);
    if (have_key)
        pthread_setspecific(at_end, served);
    begun = 1;
    errno = error;
}

void count(enum row_index index, size_t bytes)
{
    if (UNLIKELY(!begun))
        count_begin();
    served[index].index = (uint16_t)index;
    served_add(&served[index], bytes);
}

/* at_exit folds the counts of the thread that ends the process, since no destructor of a pthread
 * key runs for it. */
__attribute__((destructor)) static void at_exit(void)
{
    if (begun)
        fold_all(served);
}
