/* SPDX-License-Identifier: Apache-2.0 */
/* Two contenders at the same time, each in a thread of its own, as one contender. */
#ifndef MEASURE_P11_PAIR_H
#define MEASURE_P11_PAIR_H

#include "../race.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

struct pair {
    struct contender who[2];
    sem_t go, done;
    pthread_t thread;
    uint64_t n;       /* calls; 0 ends the second thread */
    long preemptions; /* of the second thread */
};

/* pair_open starts the second thread; the first one is that which runs the contender.  It returns
 * whether that succeeded, and only then pair_close is called. */
bool pair_open(struct pair *pair, const struct contender *first, const struct contender *second);
/* pair_run makes each contender do its operation n times.  ctx is a struct pair. */
void pair_run(void *ctx, uint64_t n);
/* pair_delay is race_heed's: each time that the second thread lost its CPU counts as a second. */
double pair_delay(void *ctx);
void pair_close(struct pair *pair);

#endif
