/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of the probes share.  probes.c keeps the functions and their rates; a
 * back end attaches and counts; the tree says whose calls count; the holder stops a launched
 * program where its new code has not run yet.
 */
#ifndef TRACE_PROBES_INTERNAL_H
#define TRACE_PROBES_INTERNAL_H

#include "probes.h"

enum { NO_ARGUMENT = 15 }; /* arg of a point of a function whose bytes are not counted */

/* One probe of a function, which may have several. */
struct point {
    size_t function;
    uint64_t offset; /* in the file */
    int file;        /* a descriptor of the file, kept while probes may come and go */
    uint8_t arg;     /* index of the argument that counts bytes, 0..5, or NO_ARGUMENT */
    double hit_seconds;
    bool leaf;             /* called once per block, or of unknown level: it has a budget */
    bool hot;              /* above its budget: its probe is to be removed */
    uint64_t calls, units; /* as the back end counted */
    uint64_t seen, since;  /* calls at the last look, and the time of that look in ns */
    bool out;              /* its probe has been removed */
    double rate;           /* calls per second and CPU at the last look */
};

struct probes {
    struct probes_target target;
    const struct probes_backend *backend;
    void *state; /* of the back end */
    bool counts_bytes;
    double hit_seconds[2]; /* cost of a hit: [false] of an instruction that the kernel single-steps,
                              [true] of one that it emulates */
    struct tree *tree;
    struct holder *holder;
    struct probe *functions;
    size_t num_functions;
    struct point *points;
    size_t num;
    uint64_t last_look, next_look, new_until; /* ns */
    double last_cpu;                          /* CPU seconds of the tree at the last look */
    struct added {                            /* files whose functions have probes */
        uint64_t device, inode;
        int file; /* a descriptor of ours */
    } * added;
    size_t num_added;
};

struct probes_backend {
    const char *name;
    enum exactness exactness; /* exactness of its counts if no call was missed */
    int (*open)(struct probes *, char *why, size_t max);
    /* Attaches the points from index `first` to the last one. */
    int (*add)(struct probes *, size_t first, char *why, size_t max);
    int (*tick)(struct probes *); /* called instead of looking at rates; or NULL */
    /* Puts calls and units into the points. */
    int (*read)(struct probes *);
    /* Called for a process that is held at its beginning, or that has a new first thread because
     * another thread called execve; or NULL. */
    void (*born)(struct probes *, pid_t);
    /* Every few milliseconds: looks for new processes that nobody held; or NULL. */
    void (*follow)(struct probes *);
    /* Removes the probes of points that became hot; NULL if tick is not NULL. */
    int (*take_out)(struct probes *);
    void (*close)(struct probes *);
};
extern const struct probes_backend probes_multi, probes_uprobe, probes_ptrace;

/* Measures hit_seconds by probes on two functions of this program, which run a BPF program for
 * uprobe_multi with this cookie.  Returns the link that holds these probes, for the caller to close
 * with its other links (closing takes long), or -1 if nothing was measured. */
int probes_measure(struct probes *, int program, uint64_t cookie);
/* Calls one of the two functions that probes_measure probed, once, in a new thread. */
void probes_pass_aside(void);

uint64_t probes_now(void); /* ns, monotonic */

/* Chooses the functions of an object to probe, and the places in each, and calls fn for each
 * function.  A call of a function passes exactly one of its places.  Returns 0; the first result of
 * fn that is not 0; or -1 without memory. x86-64 only. */
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
    bool misses;       /* other code also jumps into the function, to where no probe can be */
};
typedef int choice_fn(void *ctx, const struct choice *);
int probes_choose(struct object *, choice_fn *, void *ctx);

/* A direct jump (not a call) of one function of an object, `source`, to an address inside or at the
 * start of another one, `function`. */
struct side_entry {
    uint64_t to, from;
    const struct function *function, *source;
};
/* Finds the side entries of `functions`, which are sorted by start.  Returns how many, or -1
 * without memory; the result, sorted by `to`, is malloc'd. */
ssize_t probes_side_entries(struct side_entry **, struct object *,
                            const struct function **functions, size_t num);

/* Returns 0 if the open file has the build-id that was analysed, or none, and may be probed; else
 * -1 with the reason in why. */
int probes_verify_file(const struct object *, int fd, char *why, size_t max);
/* Whether the open file has at a place the bytes (up to 16) that were analysed. */
bool probes_verify_place(struct object *, const struct function *, uint64_t address,
                         uint64_t offset, int fd);

/* Returns the function that contains an address; NULL if none does.  The functions are sorted by
 * start. */
const struct function *probes_function_at(const struct function **functions, size_t num,
                                          uint64_t address);

/* ---- the process tree, for BPF programs ---- */

struct tree;
struct tree *tree_open(const struct probes_target *, char *why, size_t max);
/* Emits code that goes to label `other` unless the current process is in the tree.  The code uses
 * r0 to r5 and 16 bytes of stack below fp - 32. */
struct bpf_code;
void tree_filter(const struct tree *, struct bpf_code *, unsigned other);
/* Emits the code of tree_filter, and code that goes to `other` also in processes that tree_own
 * named. */
void tree_filter_rest(const struct tree *, struct bpf_code *, unsigned other);
/* False where children are found late, so that counts are "at least". */
bool tree_is_exact(const struct tree *);
/* The errno that says why there is no tracepoint of forks. */
int tree_error(const struct tree *);
/* tree_hold says that from now on the holder stops each child at its beginning and calls tree_born,
 * which adds the child unless a tracepoint does. */
void tree_hold(struct tree *);
void tree_born(const struct tree *, pid_t);
int tree_add(const struct tree *, pid_t); /* the pid is that of our own pid namespace */
/* tree_tells_processes: whether each process can have links of its own. tree_forks: how many
 * processes (not threads) the tree has started since it was opened. */
bool tree_tells_processes(const struct tree *);
uint64_t tree_forks(const struct tree *);
/* Notes that links of its own count the hits of this process of the tree.  Returns 0 or -1. */
int tree_own(const struct tree *, pid_t);
/* Lists the processes of the tree, at most `max`.  Returns how many. */
size_t tree_processes(const struct tree *, pid_t *pids, size_t max);
void tree_update(struct tree *); /* looks for new children, and forgets processes that ended, where
                                    no tracepoint tells */
pid_t tree_process_of(pid_t tid);
double tree_cpu_seconds(const struct tree *);
void tree_close(struct tree *);

/* ---- the holder ---- */

struct holder;
/* Starts to hold a launched process. multi: the probe in its loader is a uprobe_multi link, else a
 * perf_event.  Returns NULL if that fails, mostly with the reason in why. */
struct holder *held_open(pid_t, struct tree *, bool multi, char *why, size_t max);
/* Says that from now on the links in loaders are for single processes, as long as these are few. */
void held_apart(struct holder *);
int held_fd(const struct holder *);
int held_serve(struct probes *, probes_held_fn *, void *ctx);
void held_close(struct holder *);

#endif
