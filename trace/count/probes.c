/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the counted functions, decides how exact each count is, and limits the cost of hot leaves.
 *
 * A function that is called once per message keeps its probe, whatever it costs. A leaf, which is
 * called once per block or of unknown level, has a budget: that it was called at all is seen first,
 * then its rate is measured over each 50 ms. A leaf above its budget loses its probe, and so do the
 * most costly ones until all leaves together take no more than MAX_COST of a CPU.
 *
 * The calls of a function after its probe was removed are unknown: a rate that was seen for some
 * milliseconds says nothing about the rest of the run. Its count is that of the calls seen until
 * then, and the report says "at least".
 */
#include "probes_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK 50000000u        /* ns */
#define FIRST_LOOKS 10000000u /* for a new file: what is far too hot goes before 50 ms */
#define FAR_TOO_HOT 5
#define LOOK_SHARE 50 /* measuring takes at most 1/50 of the time */
#define MAX_COST 0.1

static const struct probes_backend *const backends[] = { &probes_multi, &probes_uprobe,
                                                         &probes_ptrace };

uint64_t probes_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int open_backend(struct probes *p, const struct probes_backend *b, char *why, size_t max)
{
    p->backend = b;
    if (!b->open(p, why, max))
        return 0;
    p->backend = NULL;
    return -1;
}

struct probes *probes_open(const char *backend, const struct probes_target *target, char *why,
                           size_t max)
{
    struct probes *p = calloc(1, sizeof *p);
    snprintf(why, max, "no such probe back end");
    if (!p)
        return NULL;
    p->target = *target;
    p->hit_seconds[false] = 4e-6; /* unless they can be measured */
    p->hit_seconds[true] = 0.5e-6;
    bool any = !backend || !strcmp(backend, "auto");
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (any || !strcmp(backend, backends[i]->name))
            if (!open_backend(p, backends[i], why, max))
                break;
    if (!p->backend) {
        free(p);
        return NULL;
    }
    p->last_look = probes_now();
    return p;
}

const char *probes_backend(const struct probes *p)
{
    return p->backend->name;
}

/* Whether children of the target are found late. They are not if events count without a BPF program
 * (and so no bytes), because children inherit such events. */
static bool finds_children_late(const struct probes *p)
{
    return p->tree && p->counts_bytes && !tree_is_exact(p->tree);
}

bool probes_miss_children(const struct probes *p, char *why, size_t max)
{
    if (!finds_children_late(p))
        return false;
    snprintf(why, max,
             "a process that the program starts is found late and its first calls are missed, so "
             "that all counts are \"at least\": the kernel's tracepoints of forks cannot be used "
             "(tracefs: %s)",
             strerror(tree_error(p->tree)));
    return true;
}

int probes_fd(const struct probes *p)
{
    return p->holder ? held_fd(p->holder) : -1;
}

int probes_serve(struct probes *p, probes_held_fn *fn, void *ctx)
{
    return p->holder ? held_serve(p, fn, ctx) : 0;
}

/* ---- adding a file ---- */

struct adding {
    struct probes *p;
    struct object *object;
    int file;
    bool late;
};

static uint64_t file_offset(const struct object *o, uint64_t address)
{
    for (size_t i = 0; i < o->num_segments; i++)
        if (address - o->segments[i].vaddr < o->segments[i].file_len)
            return address - o->segments[i].vaddr + o->segments[i].offset;
    return UINT64_MAX;
}

/* Makes room for one more function and its points. */
static int grow(struct probes *p)
{
    struct probe *functions = reallocarray(p->functions, p->num_functions + 1, sizeof *functions);
    if (functions)
        p->functions = functions;
    struct point *points = reallocarray(p->points, p->num + MAX_PLACES, sizeof *points);
    if (points)
        p->points = points;
    return functions && points ? 0 : -1;
}

static bool is_placeable(const struct adding *a, const struct choice *choice)
{
    for (size_t i = 0; i < choice->num_places; i++) {
        const uint64_t address = choice->places[i].address;
        const struct function *f = object_function(a->object, address);
        if (!f ||
            !probes_verify_place(a->object, f, address, file_offset(a->object, address), a->file))
            return false;
    }
    return choice->num_places;
}

static int add_choice(void *ctx, const struct choice *choice)
{
    struct adding *a = ctx;
    struct probes *p = a->p;
    if (!is_placeable(a, choice))
        return 0;
    if (grow(p))
        return -1;
    bool bytes = p->counts_bytes, late = a->late || choice->misses || finds_children_late(p);
    for (size_t i = 0; i < choice->num_places; i++)
        bytes &= choice->places[i].argument_intact;
    for (size_t i = 0; i < choice->num_places; i++)
        p->points[p->num++] = (struct point){
            .function = p->num_functions,
            .offset = file_offset(a->object, choice->places[i].address),
            .file = a->file,
            .arg = bytes ? (uint8_t)choice->name.bytes_arg : NO_ARGUMENT,
            .leaf = choice->name.level != LEVEL_MESSAGE,
            .hit_seconds = p->hit_seconds[choice->places[i].emulated],
        };
    p->functions[p->num_functions++] = (struct probe){
        .object = a->object,
        .function = choice->function,
        .offset = file_offset(a->object, choice->places[0].address),
        .emulated = choice->places[0].emulated,
        .level = choice->name.level,
        .bytes_arg = choice->name.bytes_arg,
        .bytes_unit = choice->name.bytes_unit,
        .bytes_known = bytes,
        .exactness = late ? COUNT_AT_LEAST : p->backend->exactness,
    };
    return 0;
}

static bool is_added(const struct probes *p, const struct stat *st)
{
    for (size_t i = 0; i < p->num_added; i++)
        if (p->added[i].device == st->st_dev && p->added[i].inode == st->st_ino)
            return true;
    return false;
}

static int remember(struct probes *p, const struct stat *st, int file)
{
    struct added *added = realloc(p->added, (p->num_added + 1) * sizeof *added);
    if (!added)
        return -1;
    p->added = added;
    p->added[p->num_added++] =
        (struct added){ .device = st->st_dev, .inode = st->st_ino, .file = file };
    return 0;
}

/* Sets the time of the first rate measurement: 50 ms after the probes are attached, or earlier
 * to find rates far above the budget. */
static void start_clock(struct probes *p, size_t first)
{
    uint64_t now = probes_now();
    for (size_t i = first; i < p->num; i++)
        p->points[i].since = now;
    if (first == p->num)
        return;
    p->new_until = now + 2 * LOOK;
    if (!p->next_look || p->next_look > now + FIRST_LOOKS)
        p->next_look = now + FIRST_LOOKS;
}

int probes_add(struct probes *p, struct object *o, int fd, bool late, char *why, size_t max)
{
    struct stat st;
    const size_t first = p->num, first_function = p->num_functions;
    snprintf(why, max, "no memory");
    if (!fstat(fd, &st) && is_added(p, &st))
        return 0;
    if (probes_verify_file(o, fd, why, max))
        return -1;
    struct adding adding = { .p = p, .object = o, .late = late };
    adding.file = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (adding.file < 0 || remember(p, &st, adding.file)) {
        if (adding.file >= 0)
            close(adding.file);
        return -1;
    }
    if (!probes_choose(o, add_choice, &adding) &&
        (p->num == first || !p->backend->add(p, first, why, max))) {
        start_clock(p, first);
        return (int)(p->num_functions - first_function);
    }
    p->num = first;
    p->num_functions = first_function;
    return -1;
}

/* ---- rates ---- */

static double cost(const struct point *at)
{
    return at->rate * at->hit_seconds;
}

static int by_cost(const void *a, const void *b)
{
    const struct point *x = *(const struct point *const *)a, *y = *(const struct point *const *)b;
    return cost(x) > cost(y) ? -1 : cost(x) < cost(y);
}

/* Marks as hot the leaves above the budget, and the most costly ones until all others together take
 * no more than MAX_COST. Returns how many. */
static size_t mark_hot(struct probes *p, uint64_t now, double cpus)
{
    const double budget = (double)p->target.budget;
    struct point **leaves = p->target.budget ? calloc(p->num + 1, sizeof *leaves) : NULL;
    size_t num = 0, hot = 0;
    double sum = 0;
    if (!leaves)
        return 0;
    for (size_t i = 0; i < p->num; i++) {
        struct point *at = &p->points[i];
        if (!at->leaf || at->hot)
            continue;
        at->rate = (double)(at->calls - at->seen) / ((double)(now - at->since) * 1e-9) / cpus;
        if (now - at->since < LOOK && at->rate < FAR_TOO_HOT * budget)
            continue; /* measured for too short a time */
        sum += cost(at);
        leaves[num++] = at;
    }
    qsort(leaves, num, sizeof *leaves, by_cost);
    for (; hot < num && (leaves[hot]->rate > budget || sum > MAX_COST); hot++) {
        leaves[hot]->hot = true;
        sum -= cost(leaves[hot]);
    }
    free(leaves);
    return hot;
}

/* Notes that hot points are removed, and that calls of their functions are missed from now on. */
static void note_taken_out(struct probes *p)
{
    for (size_t i = 0; i < p->num; i++) {
        struct point *at = &p->points[i];
        if (!at->hot || at->out)
            continue;
        at->out = true;
        p->functions[at->function].exactness = COUNT_AT_LEAST;
    }
}

/* CPU seconds of the process tree since the last call; for the whole system, the wall time of
 * one CPU. */
static double cpu_since_last_look(struct probes *p, uint64_t now)
{
    double before = p->last_cpu;
    if (!p->tree || !p->target.pid)
        return (double)(now - p->last_look) * 1e-9;
    p->last_cpu = tree_cpu_seconds(p->tree);
    return p->last_cpu > before ? p->last_cpu - before : 0; /* less if processes have ended */
}

int probes_tick(struct probes *p)
{
    uint64_t now = probes_now();
    if (p->backend->tick)
        return p->backend->tick(p);
    if (p->backend->follow)
        p->backend->follow(p);
    if (!p->next_look || now < p->next_look)
        return 0;
    if (p->tree)
        tree_update(p->tree);
    if (p->backend->read(p))
        return -1;
    /* The number of CPUs that the tree kept busy: the budget is for each CPU. */
    const double cpu = cpu_since_last_look(p, now);
    const double cpus = cpu / ((double)(now - p->last_look) * 1e-9);
    const uint64_t took = probes_now() - now;
    int result = 0;
    if (mark_hot(p, now, cpus > 1 ? cpus : 1)) {
        result = p->backend->take_out(p);
        note_taken_out(p);
    }
    for (size_t i = 0; i < p->num; i++) {
        struct point *at = &p->points[i];
        if (now - at->since < LOOK)
            continue;
        at->seen = at->calls;
        at->since = now;
    }
    p->last_look = now;
    const uint64_t pause = now < p->new_until ? FIRST_LOOKS : LOOK;
    p->next_look = probes_now() + (took > pause / LOOK_SHARE ? took * LOOK_SHARE : pause);
    return result;
}

static void add_up(struct probes *p, const struct point *at)
{
    struct probe *f = &p->functions[at->function];
    f->calls += at->calls;
    f->bytes += f->bytes_known ? at->units * f->bytes_unit : 0;
}

const struct probe *probes_read(struct probes *p, size_t *num)
{
    *num = p->num_functions;
    if (p->backend->follow)
        p->backend->follow(p); /* what came since the last tick may have been missed too */
    if (p->backend->read(p))
        return p->functions;
    for (size_t i = 0; i < p->num_functions; i++)
        p->functions[i].calls = p->functions[i].bytes = 0;
    for (size_t i = 0; i < p->num; i++)
        add_up(p, &p->points[i]);
    return p->functions;
}

void probes_close(struct probes *p)
{
    if (!p)
        return;
    held_close(p->holder); /* first, so that no process stays held while probes are detached */
    p->backend->close(p);
    tree_close(p->tree);
    for (size_t i = 0; i < p->num_added; i++)
        close(p->added[i].file);
    free(p->added);
    free(p->functions);
    free(p->points);
    free(p);
}
