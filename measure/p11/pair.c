/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pair.h"
#include <errno.h>
#include <sys/resource.h>

static void await(sem_t *semaphore)
{
    while (sem_wait(semaphore) && errno == EINTR)
        ;
}

static void *second_thread(void *arg)
{
    struct pair *pair = arg;
    for (await(&pair->go); pair->n; await(&pair->go)) {
        struct rusage usage;
        pair->who[1].run(pair->who[1].ctx, pair->n);
        if (!getrusage(RUSAGE_THREAD, &usage))
            pair->preemptions = usage.ru_nivcsw;
        sem_post(&pair->done);
    }
    return NULL;
}

bool pair_open(struct pair *pair, const struct contender *first, const struct contender *second)
{
    *pair = (struct pair){ .who = { *first, *second } };
    return !sem_init(&pair->go, 0, 0) && !sem_init(&pair->done, 0, 0) &&
           !pthread_create(&pair->thread, NULL, second_thread, pair);
}

void pair_run(void *ctx, uint64_t n)
{
    struct pair *pair = ctx;
    if (!n)
        return;
    pair->n = n;
    sem_post(&pair->go);
    pair->who[0].run(pair->who[0].ctx, n);
    await(&pair->done);
}

double pair_delay(void *ctx)
{
    const struct pair *pair = ctx;
    return 1e9 * (double)pair->preemptions;
}

void pair_close(struct pair *pair)
{
    pair->n = 0;
    sem_post(&pair->go);
    pthread_join(pair->thread, NULL);
    sem_destroy(&pair->go);
    sem_destroy(&pair->done);
}
