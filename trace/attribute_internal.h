/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the attribution share.
 */
#ifndef TRACE_ATTRIBUTE_INTERNAL_H
#define TRACE_ATTRIBUTE_INTERNAL_H

#include "attribute.h"
#include "attribute_index.h"
#include "perfmap.h"

/* A mapped file, of any number of processes.  Its descriptor stays open: that keeps the inode's
 * number from being given to another file. */
struct file {
    char *path;
    int fd;          /* -1: it could not be opened */
    bool read, told; /* object_open was tried; the listener knows it */
    struct object *object;
    const char *why; /* there is no object */
    uint64_t samples_lost;
};

enum region_kind { REGION_FILE, REGION_JIT, REGION_VDSO };
struct region {
    uint64_t start, end, offset;
    enum region_kind kind;
    uint32_t file; /* index, of REGION_FILE */
};

struct proc {
    pid_t pid;
    uint64_t serial; /* never given twice, as pid is */
    bool alive, is_jvm, described, asked;
    struct region *regions; /* sorted, without overlaps */
    size_t num_regions, max_regions;
    struct perfmap perfmap;
    uint64_t perfmap_next;         /* sample of the process at which to look for a map again */
    uint64_t reread_next, unknown; /* the same for its mappings; samples outside of all */
    char name[32], cgroup[64];
    unsigned clues;
    uint64_t samples;
    uint32_t next_idle; /* of those that ended without a sample */
};

/* One way of computing within a unit. */
struct tally {
    struct finding finding;
    uint64_t samples;
};
enum { MAX_TALLIES = 4 };

/* What becomes one row for each of its tallies: a function of a file, of one process or of all; an
 * address of JIT code; a function of the kernel. */
enum unit_kind { UNIT_FUNCTION, UNIT_JIT, UNIT_KERNEL };
struct unit {
    enum unit_kind kind;
    uint32_t process; /* index; of all: 0 */
    struct object *object;
    const struct function *function;
    uint64_t ip;              /* of UNIT_JIT */
    const char *name, *where; /* or NULL; where: the module, of UNIT_KERNEL */
    enum name_source source;
    uint64_t samples; /* with those of no finding */
    struct tally tallies[MAX_TALLIES];
    size_t num_tallies;
};

/* What was found at an address, once and for all. */
struct place {
    const struct function *function;
    const char *name;
    enum name_source source;
    struct code_registers registers;
    struct finding finding;
};

struct attribution {
    struct object_options options;
    bool by_process;
    struct objects *objects;
    attribution_object_fn *on_object;
    void *on_object_ctx;

    struct file *files;
    size_t num_files, max_files;
    size_t num_open, max_open; /* max_open is known when the first is open */
    struct index file_of;      /* device, inode */

    struct proc *procs;
    size_t num_procs, max_procs;
    uint64_t serials;
    struct index proc_of; /* pid; what it says may be another's by now */
    uint32_t idle;        /* the first of those whose place may be taken */
    struct index own;     /* pid: this process, and those that it began; 1: lives */

    struct place *places;
    size_t num_places, max_places;
    struct index place_of;  /* object or process, address */
    struct function **made; /* functions where the file knows none */
    size_t num_made, max_made;
    struct index made_of;

    struct unit *units;
    size_t num_units, max_units;
    struct index unit_of;

    uint64_t samples, kernel_samples, lost;
    uint64_t own_samples;
    uint64_t beyond; /* samples of what there is no more room for */
};

/* What processes can make grow without end has one. */
enum { MAX_PROCS = 1 << 18, MAX_UNITS = 1 << 18, MAX_FILES = 1 << 17, MANY_FILES = 1 << 14 };

/* An array one longer; NULL: no memory. */
void *attribution_grow(void *array, size_t num, size_t *max, size_t size);

/* attribute_procs.c */
/* Made where it is new; NULL: there is no room. */
struct proc *attribution_proc(struct attribution *, pid_t);
struct proc *attribution_known(const struct attribution *, pid_t); /* NULL: it is not */
bool attribution_is_own(const struct attribution *, pid_t);
void attribution_name(struct proc *, const char *comm);
void attribution_describe(struct proc *); /* name, cgroup, clues: while it lives */
void attribution_fork(struct attribution *, pid_t parent, pid_t pid);
void attribution_forget(struct proc *);             /* its mappings */
void attribution_exit(struct attribution *, pid_t); /* only names stay, for the report */
void attribution_free_proc(struct proc *);
void attribution_drop_dead(struct attribution *); /* and the samples of all others */

/* attribute_maps.c */
void attribution_map(struct attribution *, pid_t, const struct mapping *);
const struct region *attribution_region(const struct proc *, uint64_t ip);
/* Reads the file where nobody has yet; NULL with file->why. */
struct object *attribution_object(struct attribution *, struct file *);
void attribution_reread(struct attribution *, struct proc *);
/* Looks for the names of its JIT code anew. */
void attribution_perfmap(const struct attribution *, struct proc *);
void attribution_forget_files(struct attribution *);
void attribution_free_files(struct attribution *);

/* attribute.c */
void unit_add(struct unit *, const struct finding *, uint64_t samples); /* of HOW_NONE too */

#endif
