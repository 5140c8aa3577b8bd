/* SPDX-License-Identifier: Apache-2.0
 *
 * The statistics file: who served a call, seen from outside the process.
 *
 * Whoever wants figures makes a file of HR_STATS_FILE_SIZE(n) bytes: a header filled in as below,
 * then n zeroed slots.  Its name goes to programs in HEADRACE_STATS.  Each process that loads a
 * binding (the OpenSSL provider, libmd, the preloaded library) maps it shared and takes one slot
 * for each binding by a compare-and-swap of `state`; a child of fork() takes its own at its first
 * folded call.  Slots are never given back: what a process
 * served stays readable after it ended, however it ended.  Where no slot is free, `lost` counts
 * the process.  A process that never loaded one has no slot: that is how the two are
 * told apart.
 *
 * Counts are kept in each context or thread and added to the slot at its first call, then ever more
 * rarely, at the latest after HR_STATS_FOLD_CALLS calls or HR_STATS_FOLD_BYTES, and when it is
 * freed: an atomic at every call would cost as much as a small message.
 *
 * The file is shared memory between programs that need not trust each other: a reader checks
 * magic, version and its own idea of the size, reads each field once, and prints `comm` only after
 * making it harmless.  Nobody may shorten the file while a program uses it.  Numbers are in the
 * machine's own byte order.
 */
#ifndef HEADRACE_STATS_H
#define HEADRACE_STATS_H

#include <stdint.h>

#define HR_STATS_ENV "HEADRACE_STATS"
#define HR_STATS_MAGIC "HRSTATS" /* with its zero, 8 bytes */
#define HR_STATS_VERSION 1u
#define HR_STATS_ENTRIES 168u /* a slot is 4096 bytes */
#define HR_STATS_MAX_SLOTS 65536u

#define HR_STATS_FOLD_BYTES (64u * 1024)
#define HR_STATS_FOLD_CALLS 1024u

enum hr_stats_state {
    HR_STATS_FREE = 0,
    HR_STATS_TAKEN = 1, /* being filled in */
    HR_STATS_READY = 2,
};

struct hr_stats_header {
    char magic[8];
    uint32_t version;
    uint32_t num_slots;
    uint32_t lost; /* atomic: processes that found no free slot */
    uint32_t reserved[11];
};

/* One row of algorithms.def.  calls and bytes are atomic; alg 0 ends the list. */
struct hr_stats_entry {
    uint16_t alg;      /* hr_alg */
    uint8_t kernel[2]; /* by enum hr_op: index for hr_kernel_at; 255: none */
    uint32_t reserved;
    uint64_t calls; /* update and one-shot calls that carried data; so each pipe of a pipeline */
    uint64_t bytes; /* what they carried */
};

struct hr_stats_slot {
    uint32_t state;   /* atomic: enum hr_stats_state, the rest is valid from HR_STATS_READY on */
    uint32_t pid;     /* as the process itself sees it */
    uint64_t start;   /* when the slot was taken: nanoseconds since 1970 */
    char comm[16];    /* the program's short name, ended by a zero */
    char version[16]; /* HR_VERSION of the binding */
    struct hr_stats_entry entries[HR_STATS_ENTRIES];
    char via[16]; /* the binding that serves: "openssl", "libmd", "direct"; ended by a zero */
};

struct hr_stats_file {
    struct hr_stats_header header;
    struct hr_stats_slot slots[];
};

#define HR_STATS_FILE_SIZE(num_slots) \
    (sizeof(struct hr_stats_header) + (uint64_t)(num_slots) * sizeof(struct hr_stats_slot))

#ifdef __cplusplus
static_assert(sizeof(struct hr_stats_header) == 64, "header");
static_assert(sizeof(struct hr_stats_slot) == 4096, "slot");
#else
_Static_assert(sizeof(struct hr_stats_header) == 64, "header");
_Static_assert(sizeof(struct hr_stats_slot) == 4096, "slot");
#endif

#endif
