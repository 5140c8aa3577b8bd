/* SPDX-License-Identifier: Apache-2.0 */
/* When jobs under a lent key are computed in this process. */
#ifndef HR_CLIENT_UNIT_PACE_H
#define HR_CLIENT_UNIT_PACE_H

#include <headrace/queue.h>
#include <stdatomic.h>
#include <stdint.h>

/* The times of an operation under a lent key, which all threads of the process note. */
struct lent_pace {
    _Atomic uint32_t jobs;   /* that were to go to the service */
    _Atomic uint32_t late;   /* answers in a row that came late */
    _Atomic uint32_t pauses; /* consecutive ones, as far as they grow */
    _Atomic uint64_t ours;   /* ticks of a job in this process; 0: not measured */
    _Atomic uint64_t until;  /* when the pause ends, by wait_clock */
    _Atomic uint32_t load;   /* LENT_LOAD times the requests in the unit at once, lately */
};

enum { LENT_LOAD = 16 };

/* unit_pace tells whether a job is computed in this process: to measure how long that
 * takes, or because the service was much slower.  Then it may have computed the job. */
enum unit_pace { PACE_SEND, PACE_HERE, PACE_DONE };
enum unit_pace unit_pace(struct lent_pace *pace, struct hr_job *job);
/* unit_pace_load notes how many requests were in the unit with one of this process, as it says. */
void unit_pace_load(struct lent_pace *pace, uint32_t load);
/* unit_pace_took notes how long a job took for which the thread waited, in ticks. */
void unit_pace_took(struct lent_pace *pace, uint64_t took);
/* unit_pace_pause begins a pause at once. */
void unit_pace_pause(struct lent_pace *pace);

#endif
