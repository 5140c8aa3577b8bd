/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what a process pays for the provider at its start and its end: a child process loads and
 * unloads it several times, and the medians are taken.  bench/startup.py measures whole programs.
 */
#ifndef COST_H
#define COST_H

#include "../../cli/openssl.h"
#include <stdbool.h>

struct cost {
    double ms;     /* of CPU time */
    double faults; /* page faults that read no disk */
};

/* Returns false if the module could not be loaded, or the child crashed. */
bool cost_measure(struct cost *out, const struct openssl *ssl, const char *module);

#endif
