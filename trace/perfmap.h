/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of JIT code: /tmp/perf-PID.map as the process sees /tmp; a JVM that has written none is
 * asked to (jcmd PID Compiler.perfmap), and that file is removed again.  Hostile input.
 */
#ifndef TRACE_PERFMAP_H
#define TRACE_PERFMAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perfmap_entry {
    uint64_t start, end;
    const char *name;
};
struct perfmap {
    struct perfmap_entry *at;
    size_t num;
    char *text;
    size_t bytes; /* of memory, all together */
};

/* Parses text (a private copy is taken): sorted, without overlaps; where entries overlap the later
 * one wins, as methods are compiled again.  0, or -1: no memory. */
int perfmap_parse(struct perfmap *, const char *text, size_t len);
/* The map that the process has written by itself.  0; -1: there is none, or not one to trust: it
 * must be a regular file of the process's user or of root. */
int perfmap_read(struct perfmap *, pid_t);
/* Has a JVM write its map, reads it, and removes it where there was none before.  As the process's
 * user; takes at most some seconds.  0, or -1. */
int perfmap_ask_jvm(struct perfmap *, pid_t);
const struct perfmap_entry *perfmap_find(const struct perfmap *, uint64_t address);
void perfmap_free(struct perfmap *);

#endif
