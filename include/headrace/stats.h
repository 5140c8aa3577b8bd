/* SPDX-License-Identifier: Apache-2.0
 *
 * The statistics file shows from outside a process which calls Headrace served.
 *
 * An observer makes a file of HR_STATS_FILE_SIZE(n) bytes: a header filled in as below, then n
 * zeroed slots.  It passes the file's name to programs in the environment variable HEADRACE_STATS.
 * Each process that loads a binding (the OpenSSL provider, libmd, the preloaded library) maps the
 * file shared and takes one slot for each binding by a compare-and-swap of `state`.  A child of
 * fork() takes its own slots when it first adds to them.  Slots are never given back, so that the
 * counts of a process stay readable after it has ended.  A process that finds no free slot is
 * counted in `lost`.  A process that loaded no binding has no slot.
 *
 * Counts are kept in each context or thread.  They are added to the slot at its first call, then
 * ever more rarely, at the latest after HR_STATS_FOLD_CALLS calls or HR_STATS_FOLD_BYTES bytes, and
 * when the context is freed.  An atomic operation at every call would cost as much as a small
 * message.
 *
 * The file is memory shared by programs that need not trust each other.  A reader checks magic,
 * version and the file's size, reads each field once, and removes control characters from `comm`
 * before it prints that.  Nobody may shorten the file while a program uses it.  Numbers are in the
 * machine's own byte order.
 */
#ifndef HEADRACE_STATS_H
#define HEADRACE_STATS_H

#include <stdint.h>

#define HR_STATS_ENV "HEADRACE_STATS"
#define HR_STATS_MAGIC "HRSTATS" /* 8 bytes with its terminating zero */
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
    uint32_t lost; /* atomic: the number of processes that found no free slot */
    uint32_t reserved[11];
};

/* The counts of one row of algorithms.def.  `calls` and `bytes` are atomic; alg 0 ends the list. */
struct hr_stats_entry {
    uint16_t alg;      /* hr_alg */
    uint8_t kernel[2]; /* by enum hr_op: the kernel's index in hr_kernel_at; 255: none */
    uint32_t reserved;
    uint64_t calls; /* update and one-shot calls with data; each pipe of a pipeline is one */
    uint64_t bytes; /* of data in these calls */
};

struct hr_stats_slot {
    uint32_t state;   /* atomic: enum hr_stats_state; the rest is valid once it is HR_STATS_READY */
    uint32_t pid;     /* as the process itself sees it, in its PID namespace */
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
