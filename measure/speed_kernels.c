/* SPDX-License-Identifier: Apache-2.0 */
/* `headrace speed --kernels`: checks that every kernel table is ordered best first on this CPU.
 * A kernel is out of order if it is more than 3 % faster than one before it at both the fourth
 * and the last size (messages of 1 KiB and 16 KiB): a difference at one size may be noise or a
 * trade-off.  Where their order decides nothing, it is not judged. */
#include "../cli/emulated.h"
#include "../cli/quote_json.h"
#include "speed.h"
#include <headrace/headrace.h>
#include <stdlib.h>

#define TOLERANCE 1.03
/* Behaviours of CPUs (lib/cpu_x86.c), for which tables have rows of their own. */
#define BEHAVIOURS (HR_CPU_BIT(VECTOR2) | HR_CPU_BIT(ROTATE2) | HR_CPU_BIT(HALVES512))
enum { FIRST_JUDGED = 3, LAST_JUDGED = 5 }; /* indices of the unit's sizes */

struct kernels {
    size_t num;
    size_t index[RACE_CONTENDERS]; /* index in the table */
    const char *name[RACE_CONTENDERS];
    uint64_t needs[RACE_CONTENDERS];
    double ns[NUM_SIZES][RACE_CONTENDERS];
    /* gain[size][i][j]: the time of kernel i divided by that of kernel j. */
    double gain[NUM_SIZES][RACE_CONTENDERS][RACE_CONTENDERS];
};

/* Lists the kernels that this CPU can run. */
static void list_kernels(struct kernels *k, const struct cell *cell)
{
    struct hr_kernel kernel;
    const uint64_t have = hr_cpu_features() | HR_KERNEL_VARTIME;
    k->num = 0;
    for (size_t i = 0; !hr_kernel_at(&kernel, cell->row->alg, cell->op, i); i++) {
        if (kernel.needs & ~have || k->num == RACE_CONTENDERS)
            continue;
        k->index[k->num] = i;
        k->needs[k->num] = kernel.needs;
        k->name[k->num++] = kernel.name;
    }
}

static int race_kernels(struct kernels *k, size_t size, const struct cell *cell,
                        const struct speed_plan *plan)
{
    static struct race race;
    struct call calls[RACE_CONTENDERS] = { 0 };
    struct contender who[RACE_CONTENDERS];
    int code = EXIT_SUCCESS;
    for (size_t i = 0; !code && i < k->num; i++) {
        code = ways_call_open_kernel(&calls[i], cell, k->index[i]);
        who[i] = calls[i].contender;
    }
    if (!code) {
        race_begin(&race, who, (unsigned)k->num, plan->slice_ns);
        race_run(&race, who, plan->slices);
        for (unsigned i = 0; i < k->num; i++) {
            k->ns[size][i] = race_ns(&race, i);
            for (unsigned j = i + 1; j < k->num; j++)
                k->gain[size][i][j] = race_ratio(&race, j, i);
        }
    }
    for (size_t i = 0; i < k->num; i++)
        ways_call_close(&calls[i]);
    return code;
}

/* Returns the first of the two sizes by which a kernel is judged.  A bit-sliced kernel takes the
 * same time for any message that does not fill its lanes; for such a message the library takes
 * another kernel, so that a longer one has to judge. */
static size_t first_judged(const struct kernels *k, size_t i)
{
    size_t size = FIRST_JUDGED;
    while (size < LAST_JUDGED - 1 && k->ns[size][i] < 1.5 * k->ns[size - 1][i])
        size++;
    return size;
}

/* Returns whether the order of two kernels decides nothing on CPUs like this one: because of a
 * kernel before them whose needs are among theirs, or that is there for a behaviour of this CPU, in
 * which case those behind it are ordered for other CPUs. */
static bool never_reached(const struct kernels *k, size_t i, size_t j)
{
    for (size_t h = 0; h < i; h++)
        if (k->needs[h] & BEHAVIOURS || !(k->needs[h] & ~(k->needs[i] | k->needs[j])))
            return true;
    return false;
}

static bool out_of_order(const struct kernels *k, size_t i, size_t j)
{
    if ((k->needs[i] ^ k->needs[j]) & HR_KERNEL_VARTIME) /* only one is of constant time */
        return false;
    return !never_reached(k, i, j) && k->gain[first_judged(k, i)][i][j] > TOLERANCE &&
           k->gain[LAST_JUDGED][i][j] > TOLERANCE;
}

/* ---- views ---- */

static void print_kernels(const struct kernels *k, const struct cell *cell)
{
    tool_print(stdout, "1", "%s %s", cell->row->name, ways_cell_direction(cell));
    tool_say(": ns a call\n  %-12s", ways_cell_unit(cell)->name);
    for (size_t s = 0; s < NUM_SIZES; s++)
        printf("%12zu", ways_cell_unit(cell)->sizes[s]);
    for (size_t i = 0; i < k->num; i++) {
        tool_say("\n  %-12s", k->name[i]);
        for (size_t s = 0; s < NUM_SIZES; s++)
            printf("%12.1f", k->ns[s][i]);
    }
    putchar('\n');
    for (size_t i = 0; i < k->num; i++)
        for (size_t j = i + 1; j < k->num; j++)
            if (out_of_order(k, i, j))
                tool_print(stdout, "31", "  not best first: %s is faster than %s\n", k->name[j],
                           k->name[i]);
    putchar('\n');
}

static json_t *kernels_object(const struct kernels *k, const struct cell *cell, bool ordered)
{
    json_t *object = json_object(), *list = json_array();
    json_object_set_new(object, "algorithm", json_string(cell->row->name));
    json_object_set_new(object, "direction", json_string(ways_cell_direction(cell)));
    if (emulated_by())
        json_object_set_new(object, "emulator", json_string(emulated_by()));
    json_object_set_new(object, "best_first", json_boolean(ordered));
    for (size_t i = 0; i < k->num; i++) {
        json_t *kernel = json_object(), *ns = json_object();
        for (size_t s = 0; s < NUM_SIZES; s++) {
            char size[24];
            snprintf(size, sizeof size, "%zu", ways_cell_unit(cell)->sizes[s]);
            json_object_set_new(ns, size, json_real(k->ns[s][i]));
        }
        json_object_set_new(kernel, "name", json_string(k->name[i]));
        json_object_set_new(kernel, "ns", ns);
        json_array_append_new(list, kernel);
    }
    json_object_set_new(object, "kernels", list);
    return object;
}

/* ---- the walk over operations ---- */

static int measure_operation(struct kernels *k, struct cell cell, const struct speed_plan *plan)
{
    int code = EXIT_SUCCESS;
    list_kernels(k, &cell);
    for (size_t s = 0; !code && s < NUM_SIZES; s++) {
        cell.size = ways_cell_unit(&cell)->sizes[s];
        code = race_kernels(k, s, &cell, plan);
    }
    return code;
}

static bool ordered(const struct kernels *k)
{
    for (size_t i = 0; i < k->num; i++)
        for (size_t j = i + 1; j < k->num; j++)
            if (out_of_order(k, i, j))
                return false;
    return true;
}

int speed_kernels(const struct speed_rows *rows, const struct speed_plan *plan, bool as_json)
{
    static struct kernels k;
    json_t *list = json_array();
    size_t bad = 0;
    int code = EXIT_SUCCESS;
    if (emulated_by() && !as_json)
        tool_say(EMULATED_TIMES "\n", emulated_by());
    for (size_t i = 0; !code && i < rows->num; i++)
        for (int op = 0; !code && op <= HR_OP_LANES; op++) {
            if (hr_kernel_chosen(rows->rows[i]->alg, (enum hr_op)op) < 0)
                continue; /* the row has no such operation, or none on this CPU */
            const struct cell cell = { .row = rows->rows[i], .op = (enum hr_op)op };
            speed_progress(&cell, i, rows->num);
            code = measure_operation(&k, cell, plan);
            speed_progress(NULL, 0, 0);
            if (code)
                break;
            bad += !ordered(&k);
            if (as_json)
                json_array_append_new(list, kernels_object(&k, &cell, ordered(&k)));
            else
                print_kernels(&k, &cell);
        }
    if (!code && as_json) {
        json_dumpf(list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6) | QUOTE_JSON);
        putchar('\n');
    }
    json_decref(list);
    if (!code && bad && !emulated_by())
        code = tool_error("%zu kernel tables are not best first on this CPU", bad);
    return code;
}
