/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of the attribution share.
 */
#ifndef TRACE_ATTRIBUTE_INTERNAL_H
#define TRACE_ATTRIBUTE_INTERNAL_H

#include "../object/perfmap.h"
#include "attribute.h"
#include "attribute_index.h"

/* A mapped file; any number of processes may map it. Its descriptor stays open, so that the
 * inode's number is not given to another file. */
struct file {
    char *path;
    int fd;    /* -1: the file could not be opened */
    bool read; /* the object was asked for, even if that failed */
    bool told; /* on_object was called, if there is an object */
    struct object *object;
    const char *why; /* the reason why there is no object */
    uint64_t samples_lost;
    uint64_t samples_missed; /* for which time or memory did not suffice, */
    const char *missed;      /* with the reason */
};

enum region_kind { REGION_FILE, REGION_JIT, REGION_VDSO };
struct region {
    uint64_t start, end, offset;
    enum region_kind kind;
    uint32_t file; /* index in files; only of a REGION_FILE */
};

struct proc {
    pid_t pid;
    uint64_t serial; /* unique, while a pid can be used again */
    bool alive, is_jvm, described, asked;
    struct region *regions; /* sorted by address, without overlaps */
    size_t num_regions, max_regions;
    struct perfmap perfmap;
    const char *map_missed; /* the reason of budget.h why its perf map was not read, or NULL */
    /* Numbers of samples at which the perf map and the mappings are read again; the number of
     * samples outside of all mappings. */
    uint64_t perfmap_next;
    uint64_t reread_next, unknown;
    char name[32], cgroup[64];
    unsigned clues;
    uint64_t samples;
    uint32_t next_idle; /* next in the list of processes that ended without a sample */
};

/* One way of computing within a unit, with its samples. */
struct tally {
    struct finding finding;
    uint64_t samples;
};
enum { MAX_TALLIES = 4 };

/* The unit of counting, each of whose tallies becomes one row of the report: a function of a
 * file (in one process or in all), an address of JIT code, or a function of the kernel. */
enum unit_kind { UNIT_FUNCTION, UNIT_JIT, UNIT_KERNEL };
struct unit {
    enum unit_kind kind;
    uint32_t process; /* index in procs; 0 where the unit is for all processes */
    struct object *object;
    const struct function *function;
    uint64_t ip;              /* only of a UNIT_JIT */
    const char *name, *where; /* either may be NULL; where: the module of a UNIT_KERNEL */
    enum name_source source;
    uint64_t samples; /* all samples, also those without a finding */
    struct tally tallies[MAX_TALLIES];
    size_t num_tallies;
};

/* The remembered result for one address. */
struct place {
    const struct function *function;
    const char *name;
    enum name_source source;
    struct code_registers registers;
    bool may_use_tables; /* that registers point to; see classify_unnamed() */
    struct finding finding;
};

struct attribution {
    struct object_options options;
    bool by_process;
    struct objects *objects;
    attribute_object_fn *on_object;
    void *on_object_ctx;

    struct file *files;
    size_t num_files, max_files;
    size_t num_open, max_open; /* max_open is known once a file is open */
    struct index file_of;      /* key: device, inode */

    struct proc *procs;
    size_t num_procs, max_procs;
    uint64_t serials;
    struct index proc_of; /* key: pid; the entry may be of an earlier process with this pid */
    uint32_t idle;        /* first process in the list of those whose slot may be used again */
    struct index own; /* key: pid of this process or of one that it started; value 1: it is alive */

    struct place *places;
    size_t num_places, max_places;
    struct index place_of;  /* key: object or process, address */
    struct function **made; /* functions made up where the file lists none */
    size_t num_made, max_made;
    struct index made_of;

    struct unit *units;
    size_t num_units, max_units;
    struct index unit_of;

    uint64_t samples, kernel_samples, lost;
    uint64_t own_samples;
    uint64_t beyond;     /* samples that were dropped because a table was full */
    uint64_t late;       /* samples of JIT code that were dropped because the time was over */
    size_t report_taken; /* bytes that the budget counts for the last report */
};

/* Tables that a traced process can grow are bounded by these. */
enum { MAX_PROCS = 1 << 18, MAX_UNITS = 1 << 18, MAX_FILES = 1 << 17, MANY_FILES = 1 << 14 };

/* Makes room for one more element in an array, which the budget counts. Returns the array, or NULL
 * without memory. */
void *attribute_grow(void *array, size_t num, size_t *max, size_t size);

/* attribute_procs.c */
/* The record of a process, which is made if there is none. NULL: the table is full, or there is no
 * memory. */
struct proc *attribute_proc(struct attribution *, pid_t);
struct proc *attribute_known(const struct attribution *, pid_t); /* NULL: there is no record */
bool attribute_is_own(const struct attribution *, pid_t);
void attribute_name(struct proc *, const char *comm);
void attribute_describe(struct proc *); /* reads name, cgroup and clues while the process lives */
void attribute_fork(struct attribution *, pid_t parent, pid_t pid);
void attribute_forget(struct proc *);             /* forgets the mappings of the process */
void attribute_exit(struct attribution *, pid_t); /* frees the mappings; the names stay */
void attribute_free_proc(struct proc *);
void attribute_drop_dead(struct attribution *); /* forgets processes that have ended, and resets
                                                     the samples of the others */

/* attribute_maps.c */
void attribute_map(struct attribution *, pid_t, const struct mapping *);
const struct region *attribute_region(const struct proc *, uint64_t ip);
/* Reads the file unless that was done. Returns NULL where it cannot be read; then file->why has
 * the reason. */
struct object *attribute_object(struct attribution *, struct file *);
void attribute_reread(struct attribution *, struct proc *);
/* Reads the names of the process's JIT code again. */
void attribute_perfmap(struct proc *);
void attribute_forget_files(struct attribution *);
void attribute_free_files(struct attribution *);

/* attribute.c */
void attribute_unit_add(struct unit *, const struct finding *,
                        uint64_t samples); /* the finding may be of HOW_NONE */

#endif
