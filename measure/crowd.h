/* SPDX-License-Identifier: Apache-2.0
 *
 * Many processes that do the same at once.
 */
#ifndef MEASURE_CROWD_H
#define MEASURE_CROWD_H

#include "bench.h"

enum { CROWD_MAX = 64 };

/* struct crowd_work is what each process of a crowd does. It opens its contender and runs it `warm`
 * times; in a turn it runs it `chunk` times again and again, but at least once. */
struct crowd_work {
    /* Sets the contender up. On failure prints an error and returns NULL. */
    void *(*open)(struct contender *out, const void *arg);
    void (*close)(void *opened);
    const void *arg;
    uint64_t warm, chunk;
    const struct private_service *service;
    int num_cpus; /* the processes are bound to the first num_cpus CPUs in turn; 0: to none */
};

/* struct crowd_turn is what the processes have done in a turn, which lasts until the last of them
 * has ended its work. */
struct crowd_turn {
    double requests, cpu_ns, ns; /* cpu_ns: CPU time of them all */
};

struct crowd;

/* Forks the processes. To be called before this process has connected to the service. On failure
 * prints an error and returns NULL. */
struct crowd *crowd_gather(const struct crowd_work *work, unsigned processes);
/* Lets the first `processes` work for `ms` milliseconds. Returns 0, or prints an error. */
int crowd_turn(struct crowd_turn *out, struct crowd *c, unsigned processes, unsigned ms);
void crowd_dismiss(struct crowd *c);

#endif
