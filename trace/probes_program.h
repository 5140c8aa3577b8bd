/* SPDX-License-Identifier: Apache-2.0
 *
 * The BPF program that a probe runs, and the counters that it adds to.
 *
 * A cookie says what one probe counts: slot 0..15, argument 16..19, file 20..31, generation 32..63.
 */
#ifndef TRACE_PROBES_PROGRAM_H
#define TRACE_PROBES_PROGRAM_H

#include "probes_internal.h"

enum { MAX_SLOTS = 8192, SPARE_SLOT = MAX_SLOTS, MAX_FILES = 512, MAX_TOKENS = 65536 };
enum { ARGUMENT_SHIFT = 16, FILE_SHIFT = 20, GENERATION_SHIFT = 32 };

struct counter {
    uint64_t calls, units;
};

/* Per CPU, and still added to atomically: a program can be preempted by another thread of the same
 * CPU that adds to the same counter. */
struct counters {
    int map;
    struct counter *per_cpu;
    size_t num_cpus;
};
int counters_open(struct counters *);             /* -1 with errno */
uint64_t counters_spare(const struct counters *); /* calls in SPARE_SLOT; nobody's probe */
int counters_read(const struct counters *, struct probes *);
void counters_close(struct counters *);

struct program {
    const struct tree *tree;
    bool rest; /* not of processes with links of their own */
    int counters;
    bool constant; /* the cookie is part of the program: kernels without cookies for uprobes */
    uint64_t cookie;
    int words, tokens; /* maps for generations (probes_multi.c); 0: none are used */
    uint32_t attach_type;
};
int program_load(const struct program *);

#endif
