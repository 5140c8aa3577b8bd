/* SPDX-License-Identifier: Apache-2.0 */
/* The peers of a group are timed in turns (A B C A B C ...), a slice each, so that a noisy
 * neighbour hits all alike.  A row is the median over the slices.  Right after a slice the core's
 * clock is measured, in the state that the slice left it (turbo, AVX-512): cycles are of that
 * clock.
 *
 * Before and after each slice it is measured whether the core is ours (core.c).  Slices are
 * repeated until enough of them were clean, or as many were tried as is allowed; then the cleanest
 * are taken. */
#define _GNU_SOURCE
#include "group.h"
#include "core.h"
#include <sched.h>
#include <sys/resource.h>

#define WARM_UP 0.001 /* seconds */

struct slices {
    double ns[MAX_SLICES], ticks[MAX_SLICES], hz[MAX_SLICES], share[MAX_SLICES];
    int num, clean;
};

/* A cell that is open. */
struct live {
    const struct column *column;
    peer_cell cell;
    uint64_t repeat; /* operations in a slice */
    struct slices slices;
    uint8_t out[256];
    size_t out_len;
};

/* ---- time ---- */

static double time_of(const peer_cell *c, uint64_t n)
{
    const double start = core_now();
    c->run(c->ctx, n);
    return core_now() - start;
}

/* repeat_of warms up the CPU and the caches, and returns the number of operations that fill a slice
 * of `slice` seconds. */
static uint64_t repeat_of(const peer_cell *c, double slice)
{
    for (uint64_t n = 1;;) {
        sched_yield();
        double took = time_of(c, n);
        if (took > slice * 4 && n > 1) { /* interrupted? then the shorter of two */
            const double again = time_of(c, n);
            took = again < took ? again : took;
        }
        if (took > WARM_UP / 8)
            return (uint64_t)((double)n * slice / took) + 1;
        n *= took < WARM_UP / 80 ? 8 : 2;
    }
}

static long switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static void time_slice(const struct live *l, unsigned lanes, struct slices *to)
{
    const int s = to->num++;
    double before, after, a, b;
    uint64_t t, u;
    long was;
    int tries = 0;
    do {               /* again if another process was let in meanwhile */
        sched_yield(); /* a fresh time slice from the scheduler */
        core_settle();
        l->cell.run(l->cell.ctx, l->repeat / 8 + 1); /* refills caches and predictors */
        before = core_share();
        was = switches();
        a = core_now();
        t = core_tick();
        l->cell.run(l->cell.ctx, l->repeat);
        u = core_tick();
        b = core_now();
        to->hz[s] = core_hz(); /* before the vectors are cleaned */
        core_clean_vectors();
        after = core_share();
    } while (switches() != was && ++tries < 6);
    const double operations = (double)l->repeat * (double)lanes;
    to->ns[s] = (b - a) * 1e9 / operations;
    to->ticks[s] = (double)(u - t) / operations;
    to->share[s] = before < after ? before : after;
    to->clean += to->share[s] >= CORE_CLEAN;
}

static void time_turns(struct live *live, unsigned num, unsigned lanes, const struct settings *o)
{
    double budget = o->wait;
    int more = num > 0;
    for (int turn = 0; more && turn < o->slices * o->tries && turn < MAX_SLICES; turn++) {
        more = 0;
        core_seek_clean(&budget);
        for (struct live *l = live; l < live + num; l++) {
            if (l->slices.clean >= o->slices)
                continue;
            more = 1;
            time_slice(l, lanes, &l->slices);
        }
    }
}

/* ---- rows ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(const double *values, int num, double q)
{
    double sorted[MAX_SLICES];
    memcpy(sorted, values, sizeof(double) * (size_t)num);
    qsort(sorted, (size_t)num, sizeof(double), by_value);
    return sorted[(int)(q * (num - 1) + 0.5)];
}

/* kept_slices copies the clean slices or, if fewer than `wanted` are clean, the cleanest ones, and
 * returns their number.  Times are in cycles, so that slices at different clocks are comparable. */
static int kept_slices(double *cycles, struct slices *kept, const struct slices *all, int wanted)
{
    double cut = CORE_CLEAN;
    if (all->clean < wanted)
        cut = quantile(all->share, all->num,
                       1.0 - (double)(wanted - 1) / (double)(all->num > 1 ? all->num - 1 : 1));
    int num = 0;
    for (int s = 0; s < all->num; s++) {
        if (all->share[s] < cut)
            continue;
        cycles[num] = all->ns[s] * all->hz[s] * 1e-9;
        kept->hz[num] = all->hz[s];
        kept->ticks[num] = all->ticks[s];
        kept->share[num++] = all->share[s];
    }
    return num;
}

/* check compares the output of a peer with those of the others.  Some peers append a tag, so only
 * the length that two outputs have in common is compared. */
static const char *check(const struct live *live, unsigned num, const struct live *l)
{
    unsigned same = 0, other = 0;
    if (!l->out_len)
        return "-";
    for (const struct live *o = live; o < live + num; o++) {
        const size_t len = o->out_len < l->out_len ? o->out_len : l->out_len;
        if (o == l || !o->out_len)
            continue;
        if (memcmp(o->out, l->out, len) == 0)
            same++;
        else
            other++;
    }
    return other > same || (other && !same) ? "DIFFERS" : same ? "agrees" : "alone";
}

void group_print_header(void)
{
    printf(
        "lib\tmode\talg\top\tsize\tlanes\tns/op\tMB/s\tcycles/byte\tcycles/op\ttsc/op\tGHz\tp10_cyc"
        "\tp90_cyc\tshare\tcheck\n");
}

static void print_row(const struct live *l, const peer_req *rq, int wanted, const char *verdict)
{
    static struct slices kept;
    static double cycles[MAX_SLICES];
    const int num = kept_slices(cycles, &kept, &l->slices, wanted);
    const double cycle = quantile(cycles, num, .5), hz = quantile(kept.hz, num, .5);
    const double ns = cycle / hz * 1e9;
    printf("%s\t%s\t%s\t%s\t%zu\t%u\t", l->column->name, l->column->mode, rq->alg, rq->op, rq->size,
           rq->lanes);
    printf("%.2f\t%.1f\t%.3f\t%.1f\t", ns, (double)rq->size * 1e3 / ns, cycle / (double)rq->size,
           cycle);
    printf("%.1f\t%.2f\t%.1f\t%.1f\t", quantile(kept.ticks, num, .5), hz * 1e-9,
           quantile(cycles, num, .1), quantile(cycles, num, .9));
    printf("%.2f\t%s\n", quantile(kept.share, num, .5), verdict);
}

/* ---- groups ---- */

/* open_cell opens a cell and runs it once for its output.  It returns 0 if the peer does not have
 * the cell. */
static int open_cell(struct live *l, const struct column *column, const peer_req *rq, double slice)
{
    peer_cell c = { 0 };
    const int result = column->peer->cell(column->peer, rq, &c);
    if (result == PEER_FAIL)
        fprintf(stderr, "# FAIL %s/%s %s %s %zu x%u\n", column->name, rq->mode, rq->alg, rq->op,
                rq->size, rq->lanes);
    if (result != PEER_OK)
        return 0;
    l->column = column;
    l->cell = c;
    c.run(c.ctx, 1);
    l->out_len = c.outlen < sizeof l->out ? c.outlen : sizeof l->out;
    if (l->out_len)
        memcpy(l->out, c.out, l->out_len);
    l->repeat = repeat_of(&c, slice);
    c.run(c.ctx, l->repeat);
    return 1;
}

void group_run(const struct column *columns, unsigned num_columns, const peer_req *rq,
               const struct settings *settings)
{
    struct live *const live = calloc(MAX_COLUMNS, sizeof *live);
    unsigned num = 0;
    if (!live)
        abort();
    for (unsigned i = 0; i < num_columns; i++) {
        peer_req one = *rq;
        one.mode = columns[i].mode;
        num += open_cell(&live[num], &columns[i], &one, settings->slice);
    }
    time_turns(live, num, rq->lanes, settings);
    for (const struct live *l = live; l < live + num; l++)
        print_row(l, rq, settings->slices, check(live, num, l));
    fflush(stdout);
    for (const struct live *l = live; l < live + num; l++)
        if (l->cell.fini)
            l->cell.fini(l->cell.ctx);
    free(live);
}
