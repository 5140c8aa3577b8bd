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
};

/* Parses text (a private copy is taken); entries that overlap: the later one wins, as methods are
 * compiled again. */
int perfmap_parse(struct perfmap *, const char *text, size_t len);
int perfmap_read(struct perfmap *, pid_t); /* -1: there is none */
int perfmap_ask_jvm(
    pid_t); /* 0: written now; the caller reads it; it is unlinked by perfmap_read */
const struct perfmap_entry *perfmap_find(const struct perfmap *, uint64_t address);
void perfmap_free(struct perfmap *);

#endif
