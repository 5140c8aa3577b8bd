/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes whose calls count: a set of process ids in a BPF map.  BPF programs at the kernel's
 * tracepoints keep it, so that a child counts from its first instruction on.  Where there are no
 * tracepoints (tracefs.c), the holder adds each child of a launched program while it stands before
 * its first instruction; children of other processes are looked for, and found late.
 *
 * Ids in BPF are those of the initial pid namespace.  Where the tracer lives in another one, it
 * cannot know them: then the ids that it knows go into a second set, and the first program that
 * runs in such a process puts the process's own id into the first set
 * (bpf_get_ns_current_pid_tgid, kernel 5.7).
 */
#define _GNU_SOURCE /* CLONE_THREAD */
#include "bpf.h"
#include "probes_internal.h"
#include "tracefs.h"
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROCESSES = 65536, PID_NS_INIT = 0xEFFFFFFC /* PROC_PID_INIT_INO of the kernel */ };
enum { MEMBER = 1, OWN = 2 }; /* values in the set */
enum { LABEL_INSIDE = BPF_LABELS - 1 };

struct tree {
    bool all;  /* every process: nothing is filtered */
    int set;   /* ids of the initial namespace */
    int seeds; /* ids of ours; -1 where ours is the initial one */
    uint64_t ns_device, ns_inode;
    int fork, end, born; /* descriptors of the programs at tracepoints; -1: none */
    bool held;           /* the holder stops every child at its beginning */
    int error;           /* errno that says why there are no tracepoints */
    int forks_map;
    _Atomic uint64_t *forks; /* memory of that map */
    pid_t pid;
};

bool tree_is_exact(const struct tree *t)
{
    return t->all || t->fork >= 0 || t->held;
}

int tree_error(const struct tree *t)
{
    return t->error;
}

void tree_hold(struct tree *t)
{
    t->held = true;
}

int tree_add(const struct tree *t, pid_t pid)
{
    uint32_t key = (uint32_t)pid, member = MEMBER;
    return t->all ? 0 : bpf_map_set(t->seeds >= 0 ? t->seeds : t->set, &key, &member);
}

void tree_born(const struct tree *t, pid_t pid)
{
    if (t->fork < 0)
        (void)tree_add(t, pid);
}

bool tree_tells_processes(const struct tree *t)
{
    return !t->all && t->seeds < 0 && (t->held || (t->fork >= 0 && t->born >= 0));
}

uint64_t tree_forks(const struct tree *t)
{
    return t->forks ? atomic_load(t->forks) : 0;
}

int tree_own(const struct tree *t, pid_t pid)
{
    uint32_t key = (uint32_t)pid, own = OWN;
    return tree_tells_processes(t) ? bpf_map_set(t->set, &key, &own) : -1;
}

/* reg = fp + offset */
static void stack_address(struct bpf_code *c, uint8_t reg, int offset)
{
    bpf_alu_reg(c, BPF_MOV, reg, BPF_REG_10);
    bpf_alu_imm(c, BPF_ADD, reg, offset);
}

static void write_constant(struct bpf_code *c, int16_t offset, int32_t value)
{
    bpf_alu_imm(c, BPF_MOV, BPF_REG_1, value);
    bpf_write(c, BPF_W, BPF_REG_10, offset, BPF_REG_1);
}

/* Emits code for a process that is not in the set: it goes to `other` unless we know the process by
 * its id in our own namespace.  If a tracepoint takes ended processes out of the set, the code also
 * puts the process into the set. */
static void filter_namespace(const struct tree *t, struct bpf_code *c, unsigned other)
{
    bpf_constant(c, BPF_REG_1, t->ns_device);
    bpf_constant(c, BPF_REG_2, t->ns_inode);
    stack_address(c, BPF_REG_3, -48); /* struct bpf_pidns_info: pid, tgid */
    bpf_alu_imm(c, BPF_MOV, BPF_REG_4, sizeof(struct bpf_pidns_info));
    bpf_call(c, BPF_FUNC_get_ns_current_pid_tgid);
    bpf_jump_imm(c, BPF_JNE, BPF_REG_0, 0, other);
    bpf_map_address(c, BPF_REG_1, t->seeds);
    stack_address(c, BPF_REG_2, -44);
    bpf_call(c, BPF_FUNC_map_lookup_elem);
    bpf_jump_imm(c, BPF_JEQ, BPF_REG_0, 0, other);
    if (t->end < 0)
        return;
    write_constant(c, -40, MEMBER);
    bpf_map_address(c, BPF_REG_1, t->set);
    stack_address(c, BPF_REG_2, -36);
    stack_address(c, BPF_REG_3, -40);
    bpf_alu_imm(c, BPF_MOV, BPF_REG_4, BPF_ANY);
    bpf_call(c, BPF_FUNC_map_update_elem);
}

void tree_filter(const struct tree *t, struct bpf_code *c, unsigned other)
{
    if (t->all)
        return;
    bpf_call(c, BPF_FUNC_get_current_pid_tgid);
    bpf_alu_imm(c, BPF_RSH, BPF_REG_0, 32);
    bpf_write(c, BPF_W, BPF_REG_10, -36, BPF_REG_0);
    bpf_map_address(c, BPF_REG_1, t->set);
    stack_address(c, BPF_REG_2, -36);
    bpf_call(c, BPF_FUNC_map_lookup_elem);
    if (t->seeds >= 0) {
        bpf_jump_imm(c, BPF_JNE, BPF_REG_0, 0, LABEL_INSIDE);
        filter_namespace(t, c, other);
        bpf_label(c, LABEL_INSIDE);
    } else {
        bpf_jump_imm(c, BPF_JEQ, BPF_REG_0, 0, other);
    }
}

void tree_filter_rest(const struct tree *t, struct bpf_code *c, unsigned other)
{
    tree_filter(t, c, other);
    if (!tree_tells_processes(t))
        return;
    bpf_read(c, BPF_W, BPF_REG_0, BPF_REG_0, 0); /* the value of the process in the set */
    bpf_jump_imm(c, BPF_JEQ, BPF_REG_0, OWN, other);
}

/* Loads a program and runs it at a tracepoint.  Returns the descriptor that holds it, or -1. */
static int run_at(struct bpf_code *c, int tracefs, const char *tracepoint)
{
    const int id = tracefs_id(tracefs, tracepoint);
    const int program = id < 0 ? -1 : bpf_load(c, BPF_PROG_TYPE_TRACEPOINT, 0, NULL, 0);
    if (program < 0)
        return -1;
    const int event = bpf_attach_tracepoint(program, id);
    close(program); /* the event holds it */
    return event;
}

/* Attaches a program that adds each child of the tree to the set.  It adds the id of a new thread
 * too, because the record does not tell threads from processes: no process can have that id while
 * the thread lives, and watch_ends takes it out then. */
static int watch_forks(const struct tree *t, int tracefs)
{
    unsigned size = 0;
    int offset = tracefs_field(tracefs, "sched/sched_process_fork", "child_pid", &size);
    if (offset < 0 || size != 4)
        return -1;
    struct bpf_code c = { 0 };
    enum { OUT };
    bpf_alu_reg(&c, BPF_MOV, BPF_REG_6, BPF_REG_1);
    tree_filter(t, &c, OUT);
    bpf_read(&c, BPF_W, BPF_REG_7, BPF_REG_6, (int16_t)offset);
    bpf_write(&c, BPF_W, BPF_REG_10, -4, BPF_REG_7);
    write_constant(&c, -8, MEMBER);
    bpf_map_address(&c, BPF_REG_1, t->set);
    stack_address(&c, BPF_REG_2, -4);
    stack_address(&c, BPF_REG_3, -8);
    bpf_alu_imm(&c, BPF_MOV, BPF_REG_4, BPF_ANY);
    bpf_call(&c, BPF_FUNC_map_update_elem);
    bpf_label(&c, OUT);
    bpf_exit(&c);
    return run_at(&c, tracefs, "sched/sched_process_fork");
}

/* Attaches a program that takes the id of a task out of the set when nobody waits for the task any
 * more. sched_process_exit would be too early, because a process may live on when its first thread
 * has ended. */
static int watch_ends(const struct tree *t, int tracefs)
{
    unsigned size = 0;
    int offset = tracefs_field(tracefs, "sched/sched_process_free", "pid", &size);
    if (offset < 0 || size != 4)
        return -1;
    struct bpf_code c = { 0 };
    bpf_read(&c, BPF_W, BPF_REG_7, BPF_REG_1, (int16_t)offset);
    bpf_write(&c, BPF_W, BPF_REG_10, -4, BPF_REG_7);
    bpf_map_address(&c, BPF_REG_1, t->set);
    stack_address(&c, BPF_REG_2, -4);
    bpf_call(&c, BPF_FUNC_map_delete_elem);
    bpf_exit(&c);
    return run_at(&c, tracefs, "sched/sched_process_free");
}

/* Attaches a program that counts the processes, but not the threads, that the tree starts. */
static int watch_births(struct tree *t, int tracefs)
{
    unsigned size = 0;
    int offset = tracefs_field(tracefs, "task/task_newtask", "clone_flags", &size);
    t->forks_map = bpf_map_new(BPF_MAP_TYPE_ARRAY, 4, sizeof *t->forks, 1, BPF_F_MMAPABLE);
    if (offset < 0 || size != 8 || t->forks_map < 0)
        return -1;
    void *forks = mmap(NULL, sizeof *t->forks, PROT_READ | PROT_WRITE, MAP_SHARED, t->forks_map, 0);
    if (forks == MAP_FAILED)
        return -1;
    t->forks = forks;
    struct bpf_code c = { 0 };
    enum { OUT };
    bpf_alu_reg(&c, BPF_MOV, BPF_REG_6, BPF_REG_1);
    tree_filter(t, &c, OUT);
    bpf_read(&c, BPF_DW, BPF_REG_1, BPF_REG_6, (int16_t)offset);
    bpf_jump_imm(&c, BPF_JSET, BPF_REG_1, CLONE_THREAD, OUT);
    bpf_alu_imm(&c, BPF_MOV, BPF_REG_1, 1);
    bpf_map_value_address(&c, BPF_REG_2, t->forks_map, 0);
    bpf_atomic_add(&c, BPF_REG_2, 0, BPF_REG_1);
    bpf_label(&c, OUT);
    bpf_exit(&c);
    return run_at(&c, tracefs, "task/task_newtask");
}

/* The parent of a process; 0 if the process is gone. */
static pid_t parent_of(pid_t pid)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    size_t len = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[len] = 0;
    int parent = 0;
    char *after = strrchr(text, ')'); /* the name before it may contain any character */
    return after && sscanf(after + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static bool descends(pid_t pid, pid_t from)
{
    for (int depth = 0; pid > 1 && depth < 128; depth++) {
        if (pid == from)
            return true;
        pid = parent_of(pid);
    }
    return false;
}

static void add_descendants(struct tree *t)
{
    DIR *proc = opendir("/proc");
    if (!proc)
        return;
    for (struct dirent *entry; (entry = readdir(proc));) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && descends(pid, t->pid))
            (void)tree_add(t, pid);
    }
    closedir(proc);
}

/* Takes the ids of ended processes out of the set, because other processes will get them. */
static void forget_ended(const struct tree *t)
{
    const int map = t->seeds >= 0 ? t->seeds : t->set;
    uint32_t key, next;
    bool more = !bpf_map_next(map, NULL, &next);
    for (unsigned n = 0; n < MAX_PROCESSES && more; n++) {
        key = next;
        more = !bpf_map_next(map, &key, &next);
        if (kill((pid_t)key, 0) && errno == ESRCH)
            bpf_map_delete(map, &key);
    }
}

void tree_update(struct tree *t)
{
    if (t->all)
        return;
    if (t->end < 0)
        forget_ended(t);
    if (!tree_is_exact(t))
        add_descendants(t);
}

pid_t tree_process_of(pid_t tid)
{
    char path[32], line[128];
    int pid = tid;
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Tgid: %d", &pid) == 1)
            break;
    if (f)
        fclose(f);
    return pid;
}

/* The CPU time of all threads of a process, in seconds; 0 if it is gone. */
static double cpu_seconds(pid_t pid)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
        return 0;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double tree_cpu_seconds(const struct tree *t)
{
    if (t->all)
        return 0;
    double sum = 0;
    int map = t->seeds >= 0 ? t->seeds : t->set;
    uint32_t key, *last = NULL;
    for (unsigned n = 0; n < MAX_PROCESSES && !bpf_map_next(map, last, &key); n++) {
        if (tree_process_of((pid_t)key) == (pid_t)key) /* not a thread */
            sum += cpu_seconds((pid_t)key);
        last = &key;
    }
    return sum;
}

size_t tree_processes(const struct tree *t, pid_t *pids, size_t max)
{
    size_t num = 0;
    uint32_t key, *last = NULL;
    for (unsigned n = 0; n < MAX_PROCESSES && num < max && !bpf_map_next(t->set, last, &key); n++) {
        if (tree_process_of((pid_t)key) == (pid_t)key)
            pids[num++] = (pid_t)key;
        last = &key;
    }
    return num;
}

/* Attaches the programs at the tracepoints; the descriptor of one that cannot be attached
 * stays -1. */
static void watch(struct tree *t)
{
    const int tracefs = tracefs_open();
    t->error = errno;
    if (tracefs < 0)
        return;
    t->end = watch_ends(t, tracefs); /* first: the other programs depend on whether this one runs */
    errno = ENOENT;
    t->fork = watch_forks(t, tracefs);
    t->error = errno;
    t->born = watch_births(t, tracefs);
    close(tracefs);
}

struct tree *tree_open(const struct probes_target *target, char *why, size_t max)
{
    struct tree *t = calloc(1, sizeof *t);
    struct stat ns;
    if (!t)
        return NULL;
    *t = (struct tree){ .all = !target->pid,
                        .set = -1,
                        .seeds = -1,
                        .fork = -1,
                        .end = -1,
                        .born = -1,
                        .forks_map = -1,
                        .pid = target->pid };
    if (t->all)
        return t;
    t->set = bpf_map_new(BPF_MAP_TYPE_HASH, 4, 4, MAX_PROCESSES, BPF_F_NO_PREALLOC);
    if (t->set < 0 || stat("/proc/self/ns/pid", &ns))
        goto fail;
    if (ns.st_ino != PID_NS_INIT) {
        t->ns_device = (uint64_t)major(ns.st_dev) << 20 | minor(ns.st_dev);
        t->ns_inode = ns.st_ino;
        t->seeds = bpf_map_new(BPF_MAP_TYPE_HASH, 4, 4, MAX_PROCESSES, BPF_F_NO_PREALLOC);
        if (t->seeds < 0)
            goto fail;
    }
    watch(t);
    if (tree_add(t, t->pid))
        goto fail;
    add_descendants(t); /* children that it has already */
    return t;
fail:
    snprintf(why, max, "bpf(2): %m");
    tree_close(t);
    return NULL;
}

void tree_close(struct tree *t)
{
    if (!t)
        return;
    const int all[] = { t->set, t->seeds, t->fork, t->end, t->born, t->forks_map };
    if (t->forks)
        munmap((void *)(uintptr_t)t->forks, sizeof *t->forks);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    free(t);
}
