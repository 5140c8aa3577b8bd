/* SPDX-License-Identifier: Apache-2.0
 *
 * The BPF program that a probe runs, and the counters to which it adds.
 *
 * A cookie says what one probe counts: slot in bits 0..15, argument 16..19, file 20..31, generation
 * 32..63.
 */
#ifndef TRACE_PROBES_PROGRAM_H
#define TRACE_PROBES_PROGRAM_H

#include "probes_internal.h"

enum { MAX_SLOTS = 8192, SPARE_SLOT = MAX_SLOTS, MAX_FILES = 512, MAX_TOKENS = 65536 };
enum { ARGUMENT_SHIFT = 16, FILE_SHIFT = 20, GENERATION_SHIFT = 32 };

struct counter {
    uint64_t calls, units;
};

/* The counters are per CPU and still added to atomically, because a program can be preempted by
 * another thread on the same CPU that adds to the same counter. */
struct counters {
    int map;
    struct counter *per_cpu;
    size_t num_cpus;
};
int program_counters_open(struct counters *); /* -1 with errno */
uint64_t
program_counters_spare(const struct counters *); /* calls in SPARE_SLOT, which no probe uses */
int program_counters_read(const struct counters *, struct probes *);
void program_counters_close(struct counters *);

struct program {
    const struct tree *tree;
    bool rest; /* do not count processes that have links of their own */
    int counters;
    bool constant; /* the cookie is part of the program, for kernels that have no cookies for
                      uprobes */
    uint64_t cookie;
    int words, tokens; /* maps for generations (probes_multi.c); 0: not used */
    uint32_t attach_type;
};
int program_load(const struct program *);

#endif
