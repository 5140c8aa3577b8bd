/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of `probes` share.  probes.c keeps the functions and their rates; a back end
 * attaches and counts; the tree says which processes count; the holder stops a launched program
 * where its new code has not run yet.
 */
#ifndef TRACE_PROBES_INTERNAL_H
#define TRACE_PROBES_INTERNAL_H

#include "probes.h"

enum { NO_ARGUMENT = 15 }; /* of a function whose bytes are not known */

/* One probe of a function, which may have several. */
struct point {
    size_t function;
    uint64_t offset; /* in the file */
    int file;        /* a descriptor of the file, kept while probes may come and go */
    uint8_t arg;     /* 0..5, or NO_ARGUMENT */
    double hit_seconds;
    bool leaf;             /* per block, or of unknown level: it has a budget */
    bool hot;              /* to be taken out */
    uint64_t calls, units; /* as the back end counted */
    uint64_t seen, since;  /* calls at the last look, and when that was, ns */
    bool out;              /* is taken out by now */
    double rate, missed;   /* calls a second, and since it is out */
};

struct probes {
    struct probes_target target;
    const struct probes_backend *backend;
    void *state; /* of the back end */
    bool counts_bytes;
    double hit_seconds[2]; /* of one that is stepped, and of one that is emulated */
    struct tree *tree;
    struct holder *holder;
    struct probe *functions;
    size_t num_functions;
    struct point *points;
    size_t num;
    uint64_t last_look, next_look, new_until; /* ns */
    double last_cpu;                          /* CPU seconds of the tree at the last look */
    struct added {                            /* files that are done */
        uint64_t device, inode;
        int file; /* a descriptor of ours */
    } * added;
    size_t num_added;
};

struct probes_backend {
    const char *name;
    enum exactness exactness; /* of what it counts when nothing was missed */
    int (*open)(struct probes *, char *why, size_t max);
    /* Attaches points[first] to the last one. */
    int (*add)(struct probes *, size_t first, char *why, size_t max);
    int (*tick)(struct probes *); /* instead of looking at rates; or NULL */
    /* Puts calls and units into the points. */
    int (*read)(struct probes *);
    /* A process that is held at its beginning, or that another thread's execve gave a new first
     * thread; or NULL. */
    void (*born)(struct probes *, pid_t);
    /* Every few milliseconds: looks for new processes that nobody held; or NULL. */
    void (*follow)(struct probes *);
    /* Takes out the points that became hot; NULL where tick is not. */
    int (*take_out)(struct probes *);
    void (*close)(struct probes *);
};
extern const struct probes_backend probes_multi, probes_uprobe, probes_ptrace;

/* Measures hit_seconds with a program for uprobe_multi, whose cookie is given; the link that it
 * leaves behind, to be closed with all others (closing takes long), or -1: what it costs is not
 * known. */
int probes_measure(struct probes *, int program, uint64_t cookie);
/* Another thread of ours passes that link's probes once. */
void probes_pass_aside(void);

uint64_t probes_now(void); /* ns, monotonic */

/* Which functions of an object to probe, and where: calls fn for each.  A call of the function
 * passes exactly one of the places. */
enum { MAX_PLACES = 8 };
struct place {
    uint64_t address;
    bool emulated, argument_intact;
};
struct choice {
    const struct function *function;
    struct name_info name;
    struct place places[MAX_PLACES];
    size_t num_places; /* 0: none is safe */
    bool misses;       /* code elsewhere also jumps into it where no probe can be */
};
typedef int choice_fn(void *ctx, const struct choice *);
int probes_choose(struct object *, choice_fn *, void *ctx);

/* Addresses inside or at the start of functions that direct jumps (not calls) of other functions
 * of the object reach. */
struct side_entry {
    uint64_t to, from;
    const struct function *function, *source;
};
/* Sorted by `to`; how many, or -1.  functions: those of interest, sorted. */
ssize_t probes_side_entries(struct side_entry **, struct object *,
                            const struct function **functions, size_t num);

/* Whether the open file is still what was analysed, and may be probed at all; -1 with why. */
int probes_verify_file(const struct object *, int fd, char *why, size_t max);
/* Whether its bytes at a place are those that were analysed. */
bool probes_verify_place(struct object *, const struct function *, uint64_t address,
                         uint64_t offset, int fd);

/* The one of sorted functions that holds an address; NULL: none does. */
const struct function *probes_function_at(const struct function **functions, size_t num,
                                          uint64_t address);

/* ---- the process tree, for BPF programs ---- */

struct tree;
struct tree *tree_open(const struct probes_target *, char *why, size_t max);
/* Emits code that goes to label `other` unless the current process is of the tree.  Uses r0 to r5
 * and 16 bytes of stack below fp - 32. */
struct bpf_code;
void tree_filter(const struct tree *, struct bpf_code *, unsigned other);
/* The same, and to `other` as well in processes that tree_own named. */
void tree_filter_rest(const struct tree *, struct bpf_code *, unsigned other);
/* False where children are found late (no tracefs), so that counts are "at least". */
bool tree_is_exact(const struct tree *);
int tree_add(struct tree *, pid_t); /* by our own process id */
/* Whether single processes can be told apart, and how many the tree has started since. */
bool tree_tells_processes(const struct tree *);
uint64_t tree_forks(const struct tree *);
/* A process of the tree whose hits are counted by links of its own. */
int tree_own(const struct tree *, pid_t);
/* The processes of the tree, `max` at most; how many. */
size_t tree_processes(const struct tree *, pid_t *pids, size_t max);
void tree_update(struct tree *); /* looks for children where the kernel does not tell */
pid_t tree_process_of(pid_t tid);
double tree_cpu_seconds(const struct tree *);
void tree_close(struct tree *);

/* ---- the holder ---- */

struct holder;
/* multi: by uprobe_multi links; apart: of single processes, where that is possible. */
struct holder *holder_open(pid_t, struct tree *, bool multi, bool apart, char *why, size_t max);
int holder_fd(const struct holder *);
int holder_serve(struct probes *, probes_held_fn *, void *ctx);
void holder_close(struct holder *);

#endif
