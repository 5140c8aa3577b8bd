/* SPDX-License-Identifier: Apache-2.0 */
/* The part of `headrace calibrate` about public key: operations through EVP with kept keys, and
 * with keys that are imported for each. */
#include "../cli/algorithm.h"
#include "speed.h"
#include "winmap.h"
#include <headrace/algorithms.h>
#include <stdlib.h>
#include <time.h>

enum { OURS, THEIRS, NUM_SIDES };

struct measured {
    struct contender who[NUM_SIDES];
    struct race race;
};

static int begin(struct measured *m, struct pk_side at[NUM_SIDES], const struct pk_operation *op,
                 const struct win_plan *plan)
{
    for (int i = 0; i < NUM_SIDES; i++)
        m->who[i] = (struct contender){ op->run, &at[i] };
    race_begin(&m->race, m->who, NUM_SIDES, plan->slice_ns);
    race_run(&m->race, m->who, m->race.calls[OURS] == 1 ? plan->few : plan->first);
    for (int i = 0; i < NUM_SIDES; i++)
        if (at[i].failed)
            return tool_error("%s: %s fails with %s", at[i].row->name, op->name,
                              i == OURS ? "Headrace" : "OpenSSL");
    return EXIT_SUCCESS;
}

static void read_ratios(struct win_pk *row, const struct measured *ops)
{
    for (size_t i = 0; i < row->num; i++)
        row->ratio[i] = race_ratio(&ops[i].race, OURS, THEIRS);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A row whose verdict is in doubt gets more turns, but none that begin after its first second. */
static const double row_seconds = 1;

static int measure(struct win_pk *row, struct measured ops[PK_MOST_OPERATIONS],
                   struct pk_side at[NUM_SIDES], const struct win_plan *plan)
{
    const double end = seconds() + row_seconds;
    int code = EXIT_SUCCESS;
    row->num = 0;
    for (size_t i = 0; !code && i < NUM_PK_OPERATIONS; i++) {
        if (pk_operations[i].cls != row->row->cls)
            continue;
        row->operation[row->num] = pk_operations[i].name;
        code = begin(&ops[row->num++], at, &pk_operations[i], plan);
    }
    read_ratios(row, ops);
    for (unsigned round = 0; !code && round < plan->rounds && seconds() < end; round++) {
        if (!winrule_in_doubt(row->ratio, row->num))
            break;
        for (size_t i = 0; i < row->num; i++)
            race_run(&ops[i].race, ops[i].who, plan->more);
        read_ratios(row, ops);
    }
    return code;
}

/* Longer numbers of DH, of which a call takes up to a fifth of a second, are not measured, and so
 * not served. */
enum { DH_BYTES = 4096 / 8 };

/* The sets of SLH-DSA with one hash share their code, and signatures of the slow ones take a
 * second: only the fastest one is measured, and the others get its ratios. */
static hr_alg measured_for(const struct hr_algorithm *row)
{
    if (row->alg >= HR_SLHDSA_SHA2_128S && row->alg <= HR_SLHDSA_SHA2_256F)
        return HR_SLHDSA_SHA2_128F;
    if (row->alg >= HR_SLHDSA_SHAKE_128S && row->alg <= HR_SLHDSA_SHAKE_256F)
        return HR_SLHDSA_SHAKE_128F;
    return row->alg;
}

static void lend_ratios(struct win_map *map)
{
    const struct hr_algorithm *row;
    const size_t num = map->num_pk;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (size_t k = 0; k < num && map->num_pk < WIN_MAX_PK; k++)
            if (measured_for(row) != row->alg && map->pk[k].row->alg == measured_for(row)) {
                map->pk[map->num_pk] = map->pk[k];
                map->pk[map->num_pk++].row = row;
            }
}

int calibrate_pk(struct win_map *map, const struct win_plan *plan, const struct sides *sides)
{
    const struct hr_algorithm *row;
    struct measured *ops = calloc(PK_MOST_OPERATIONS, sizeof *ops);
    struct pk_side *at = calloc(NUM_SIDES, sizeof *at);
    int code = ops && at ? EXIT_SUCCESS : tool_error("out of memory");
    for (size_t i = 0; !code && (row = hr_algorithm_at(i)) && map->num_pk < WIN_MAX_PK; i++) {
        if (!tool_is_public_key(row) || measured_for(row) != row->alg ||
            (row->cls == HR_CLASS_DH && row->public_len > DH_BYTES))
            continue;
        if (pk_open(&at[THEIRS], row, sides, false) && pk_open(&at[OURS], row, sides, true)) {
            map->pk[map->num_pk].row = row;
            code = measure(&map->pk[map->num_pk++], ops, at, plan);
        }
        for (int side = 0; side < NUM_SIDES; side++) {
            pk_close(&at[side]);
            at[side] = (struct pk_side){ 0 };
        }
    }
    lend_ratios(map);
    free(at);
    free(ops);
    return code;
}
