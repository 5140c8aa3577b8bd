/* SPDX-License-Identifier: Apache-2.0
 *
 * The rule by which `headrace accel calibrate` decides whether a public-key operation of programs
 * goes to the accelerator's unit, and from which load on: requests that wait there at once.
 */
#ifndef MEASURE_UNIT_RULE_H
#define MEASURE_UNIT_RULE_H

#include <stddef.h>

enum { UNIT_LOADS = 6, UNIT_NEVER = 255 };

/* What so many processes gain by the unit that have one request each all the time; above 1 the unit
 * is better. */
struct unit_load {
    unsigned processes;
    double load; /* how many requests the unit found when it took one, on average */
    double cpu;  /* CPU time for an operation: of programs alone, divided by that of programs and
                    service, in three of four turns at least */
    double rate; /* operations a second: by the unit, divided by those of programs alone; median */
};

/* Returns the load from which the unit is used, or UNIT_NEVER. The loads are in rising order of
 * processes. */
unsigned unit_rule(const struct unit_load *loads, size_t num);

#endif
