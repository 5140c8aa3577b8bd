/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of JIT code. They come from /tmp/perf-PID.map, in the /tmp that the process sees. A JVM
 * that has written no such file is asked to write one (jcmd PID Compiler.perfmap), and the file is
 * removed again. The input is hostile.
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
    size_t bytes; /* memory used by all of it */
};

/* Parses a private copy of text. The entries are sorted and do not overlap: where they do in the
 * text, the later one wins, because methods are compiled again. Returns 0, or -1 without memory. */
int perfmap_parse(struct perfmap *, const char *text, size_t len);
/* Reads the map that the process has written by itself. Returns 0, or -1 where there is none
 * that can be trusted: it must be a regular file of the process's user or of root. */
int perfmap_read(struct perfmap *, pid_t);
/* Makes a JVM write its map, reads the map, and removes it if there was none before. jcmd runs
 * as the process's user, for at most 15 seconds. Returns 0 or -1. */
int perfmap_ask_jvm(struct perfmap *, pid_t);
const struct perfmap_entry *perfmap_find(const struct perfmap *, uint64_t address);
void perfmap_free(struct perfmap *);

#endif
