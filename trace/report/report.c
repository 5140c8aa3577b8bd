/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"
#include "../kernel/kernel.h"
#include "shares.h"
#include "waste.h"
#include <stdlib.h>
#include <string.h>

/* Orders rows by most samples, then by most calls, then by text, so that equal reports are
 * printed equally. */
static int compare(const void *left, const void *right)
{
    const struct report_row *x = left, *y = right;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    if (x->calls != y->calls)
        return x->calls < y->calls ? 1 : -1;
    const int library = strcmp(x->library, y->library);
    return library ? library : strcmp(x->function, y->function);
}

struct place {
    struct report_process process;
    size_t index; /* index before sorting */
};

/* Orders processes by most crypto, then by most CPU time. */
static int compare_processes(const void *left, const void *right)
{
    const struct report_process *x = &((const struct place *)left)->process,
                                *y = &((const struct place *)right)->process;
    const uint64_t of_x = x->hardware + x->software + x->vector,
                   of_y = y->hardware + y->software + y->vector;
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Sorts the processes and updates the rows, which refer to processes by index. Without memory
 * the order stays. */
static void sort_processes(struct report *r)
{
    struct place *places = calloc(r->num_processes + 1, sizeof *places);
    size_t *now = calloc(r->num_processes + 1, sizeof *now);
    const size_t num = places && now ? r->num_processes : 0;
    for (size_t i = 0; i < num; i++)
        places[i] = (struct place){ r->processes[i], i };
    if (num)
        qsort(places, num, sizeof *places, compare_processes);
    for (size_t i = 0; i < num; i++) {
        r->processes[i] = places[i].process;
        now[places[i].index] = i;
    }
    for (size_t i = 0; i < r->num_rows; i++)
        if (r->rows[i].process < num)
            r->rows[i].process = now[r->rows[i].process];
    free(places);
    free(now);
}

void report_sort(struct report *r)
{
    sort_processes(r);
    if (r->num_rows)
        qsort(r->rows, r->num_rows, sizeof *r->rows, compare);
}

/* Sums up the crypto of each process; only with --system, where rows belong to a process. */
static void sum_processes(struct report *r)
{
    for (size_t i = 0; i < r->num_processes; i++)
        r->processes[i].hardware = r->processes[i].software = r->processes[i].vector = 0;
    for (size_t i = 0; i < r->num_rows; i++) {
        const struct report_row *row = &r->rows[i];
        if (row->process >= r->num_processes || !verdict_share_is_crypto(row))
            continue;
        struct report_process *p = &r->processes[row->process];
        p->hardware += row->finding.how == HOW_HARDWARE ? row->samples : 0;
        p->software += row->finding.how == HOW_SOFTWARE ? row->samples : 0;
        p->vector += row->finding.how == HOW_VECTOR ? row->samples : 0;
    }
}

int report_complete(struct report *r)
{
    r->cpu_families = cpu_families();
    const ssize_t num = kernel_drivers(&r->drivers);
    r->num_drivers = num > 0 ? (size_t)num : 0;
    kernel_attribute(r);
    if (r->mode && !strcmp(r->mode, "system"))
        sum_processes(r);
    report_sort(r);
    return waste_find(r);
}

void report_free(struct report *r)
{
    for (size_t i = 0; i < r->num_rows; i++) {
        free(r->rows[i].library);
        free(r->rows[i].function);
    }
    for (size_t i = 0; i < r->num_gaps; i++) {
        free(r->gaps[i].what);
        free(r->gaps[i].why);
    }
    for (size_t i = 0; i < r->num_waste; i++)
        free(r->waste[i]);
    free(r->rows);
    free(r->gaps);
    free(r->waste);
    free(r->processes);
    free(r->drivers);
    free(r->command);
}
