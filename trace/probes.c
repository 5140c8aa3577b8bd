/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions are counted, what their counts are worth, and how hot leaves are kept cheap.
 *
 * A function that is called once a message stays, whatever it costs.  One that is called once a
 * block, or of which nobody knows, has a budget: presence first, then its rate over the first 50 ms
 * and over each second; one that is hotter than the budget is taken out, and so are the hottest
 * until all of them together are not above twice the budget (a hit costs up to 5 us: 40,000 of them
 * a second are the fifth of a CPU that leaves may cost in total).
 *
 * What is taken out is estimated from then on: by its rate while it was counted.  A hot leaf's rate
 * is then that of a program that the probe itself slows, so the time that the probe took (measured
 * hits cost HIT_SECONDS) is subtracted.  It is an order of magnitude, and said to be one.
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

#define FIRST_LOOK 50000000u
#define NEXT_LOOK 1000000000u
#define HIT_SECONDS 0.9e-6
#define MAX_RATE 1e8 /* calls a second of one thread: none is shorter than 10 ns with its loop */

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
    snprintf(why, max, "no probe back end is called so");
    if (!p)
        return NULL;
    p->target = *target;
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

int probes_fd(const struct probes *p)
{
    return p->holder ? holder_fd(p->holder) : -1;
}

int probes_serve(struct probes *p, probes_held_fn *fn, void *ctx)
{
    return p->holder ? holder_serve(p->holder, fn, ctx) : 0;
}

/* ---- adding a file ---- */

struct adding {
    struct probes *p;
    struct object *object;
    int file;
    bool late;
    size_t room;
};

static uint64_t file_offset(const struct object *o, uint64_t address)
{
    for (size_t i = 0; i < o->num_segments; i++)
        if (address - o->segments[i].vaddr < o->segments[i].file_len)
            return address - o->segments[i].vaddr + o->segments[i].offset;
    return UINT64_MAX;
}

static int grow(struct adding *a)
{
    struct probes *p = a->p;
    if (p->num < a->room)
        return 0;
    size_t room = p->num + 64;
    struct probe *functions = realloc(p->functions, room * sizeof *functions);
    if (functions)
        p->functions = functions;
    struct point *points = realloc(p->points, room * sizeof *points);
    if (points)
        p->points = points;
    if (!functions || !points)
        return -1;
    a->room = room;
    return 0;
}

static int add_choice(void *ctx, const struct choice *choice)
{
    struct adding *a = ctx;
    uint64_t offset = choice->address ? file_offset(a->object, choice->address) : UINT64_MAX;
    if (offset == UINT64_MAX)
        return 0;
    if (!probes_verify_place(a->object, choice->function, choice->address, offset, a->file))
        return 0;
    if (grow(a))
        return -1;
    struct probes *p = a->p;
    bool bytes = choice->argument_intact && p->counts_bytes;
    p->functions[p->num] = (struct probe){
        .object = a->object,
        .function = choice->function,
        .offset = offset,
        .emulated = choice->emulated,
        .level = choice->name.level,
        .bytes_arg = choice->name.bytes_arg,
        .bytes_unit = choice->name.bytes_unit,
        .bytes_known = bytes,
        .exactness = a->late || choice->side_entries ? COUNT_AT_LEAST : p->backend->exactness,
    };
    p->points[p->num++] = (struct point){
        .offset = offset,
        .file = a->file,
        .arg = bytes ? (uint8_t)choice->name.bytes_arg : NO_ARGUMENT,
        .leaf = choice->name.level != LEVEL_MESSAGE,
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

/* A rate is known 50 ms after the probes are there. */
static void start_clock(struct probes *p, size_t first)
{
    uint64_t now = probes_now();
    for (size_t i = first; i < p->num; i++)
        p->points[i].since = now;
    if (first < p->num && (!p->next_look || p->next_look > now + FIRST_LOOK))
        p->next_look = now + FIRST_LOOK;
}

int probes_add(struct probes *p, struct object *o, int fd, bool late, char *why, size_t max)
{
    struct stat st;
    size_t first = p->num;
    snprintf(why, max, "no memory");
    if (!fstat(fd, &st) && is_added(p, &st))
        return 0;
    if (probes_verify_file(o, fd, why, max))
        return -1;
    struct adding adding = { .p = p, .object = o, .late = late, .room = first };
    adding.file = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (adding.file < 0 || remember(p, &st, adding.file)) {
        if (adding.file >= 0)
            close(adding.file);
        return -1;
    }
    if (!probes_choose(o, add_choice, &adding) &&
        (p->num == first || !p->backend->add(p, first, why, max))) {
        start_clock(p, first);
        return (int)(p->num - first);
    }
    p->num = first;
    return -1;
}

/* ---- rates ---- */

static int by_rate(const void *a, const void *b)
{
    const struct point *x = *(const struct point *const *)a, *y = *(const struct point *const *)b;
    return x->rate > y->rate ? -1 : x->rate < y->rate;
}

/* Marks the leaves that are above the budget; how many. */
static size_t mark_hot(struct probes *p, uint64_t now, double cpus)
{
    struct point **leaves = calloc(p->num + 1, sizeof *leaves);
    size_t num = 0, hot = 0;
    double sum = 0, budget = (double)p->target.budget;
    if (!leaves)
        return 0;
    for (size_t i = 0; i < p->num; i++) {
        struct point *at = &p->points[i];
        if (!at->leaf || at->hot)
            continue;
        at->rate = (double)(at->calls - at->seen) / ((double)(now - at->since) * 1e-9) / cpus;
        sum += at->rate;
        leaves[num++] = at;
    }
    qsort(leaves, num, sizeof *leaves, by_rate);
    for (; hot < num && (leaves[hot]->rate > budget || sum > 2 * budget); hot++) {
        leaves[hot]->hot = true;
        sum -= leaves[hot]->rate;
    }
    free(leaves);
    return hot;
}

/* What the rate would be without the probe. */
static double natural_rate(double rate)
{
    double own = 1 / rate - HIT_SECONDS;
    return own > 1 / MAX_RATE ? 1 / own : MAX_RATE;
}

static void note_taken_out(struct probes *p, uint64_t now)
{
    for (size_t i = 0; i < p->num; i++) {
        struct point *at = &p->points[i];
        if (!at->hot || at->lost_since)
            continue;
        at->lost_since = now;
        at->rate = natural_rate(at->rate);
        p->functions[i].exactness = COUNT_ESTIMATED;
    }
}

int probes_tick(struct probes *p)
{
    uint64_t now = probes_now();
    if (p->backend->tick)
        return p->backend->tick(p);
    if (!p->next_look || now < p->next_look)
        return 0;
    if (p->tree)
        tree_update(p->tree);
    if (p->backend->read(p))
        return -1;
    /* How many CPUs the tree kept busy: the budget is for each. */
    double cpu = p->tree ? tree_cpu_seconds(p->tree) : 0;
    double cpus = (cpu - p->last_cpu) / ((double)(now - p->last_look) * 1e-9);
    int result = 0;
    if (mark_hot(p, now, cpus > 1 ? cpus : 1)) {
        result = p->backend->take_out(p);
        note_taken_out(p, probes_now());
    }
    for (size_t i = 0; i < p->num; i++) {
        p->points[i].seen = p->points[i].calls;
        p->points[i].since = now;
    }
    p->last_look = now;
    p->last_cpu = cpu;
    p->next_look = now + NEXT_LOOK;
    return result;
}

const struct probe *probes_read(struct probes *p, size_t *num)
{
    *num = p->num;
    if (p->backend->read(p))
        return p->functions;
    uint64_t now = probes_now();
    for (size_t i = 0; i < p->num; i++) {
        const struct point *at = &p->points[i];
        struct probe *f = &p->functions[i];
        double more = at->hot ? at->rate * (double)(now - at->lost_since) * 1e-9 : 0;
        double share = at->calls ? more / (double)at->calls : 0;
        f->calls = at->calls + (uint64_t)more;
        f->bytes = f->bytes_known ? at->units * f->bytes_unit : 0;
        f->bytes += (uint64_t)((double)f->bytes * share);
    }
    return p->functions;
}

void probes_close(struct probes *p)
{
    if (!p)
        return;
    p->backend->close(p);
    holder_close(p->holder);
    tree_close(p->tree);
    for (size_t i = 0; i < p->num_added; i++)
        close(p->added[i].file);
    free(p->added);
    free(p->functions);
    free(p->points);
    free(p);
}
