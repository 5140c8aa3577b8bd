/* SPDX-License-Identifier: Apache-2.0 */
#include "cost.h"
#include "../ticks.h"
#include <headrace/classes.h>
#include <string.h>

enum { LEN = 1024, TIMES = 3, TAG = 64 };

struct cost_table cost_table;

/* The buffers of a job, none of which holds a secret. */
struct trial {
    uint8_t in[LEN], out[LEN], bytes[64], tag[TAG];
    union hr_any_key key;
};

static struct hr_job make_job(struct trial *t, const struct hr_algorithm *row, unsigned op)
{
    const struct hr_class_info *info = hr_class_of(row);
    return (struct hr_job){
        .alg = (uint16_t)(row ? row->alg : HR_ALG_NONE),
        .op = (uint8_t)op,
        .key_form = info->has & HR_HAS_KEY ? HR_KEY_OBJECT : HR_KEY_NONE,
        .key = &t->key,
        .iv = t->bytes,
        .iv_len = row ? row->iv_len : 0,
        .in = t->in,
        .len = LEN,
        .out = info->ops[op].out ? t->out : NULL,
        .tag = info->ops[op].tag ? t->tag : NULL,
    };
}

/* Returns the shortest of some times; a wrong tag takes as long as a right one. */
static uint64_t shortest(struct hr_job *job, uint64_t scale)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < TIMES; i++) {
        const uint64_t start = ticks();
        (void)hr_job_run(job);
        const uint64_t ns = ticks_ns(ticks() - start, scale);
        best = ns < best ? ns : best;
    }
    return best < UINT32_MAX ? best : UINT32_MAX;
}

static void measure_row(struct cost_table *table, struct trial *t, const struct hr_algorithm *row,
                        uint64_t scale)
{
    const struct hr_class_info *info = hr_class_of(row);
    const size_t key_len = info->has & HR_HAS_ANY_KEY ? 32 : row ? row->key_len : 0;
    if (info->has & HR_HAS_KEY && hr_any_key_init(&t->key, row->alg, t->bytes, key_len))
        return;
    for (unsigned op = 0; hr_class_op(info, op); op++) {
        struct hr_job job = make_job(t, row, op);
        table->per_kib[op][job.alg % ROW_NUMBERS] = (uint32_t)shortest(&job, scale);
    }
}

void cost_measure(struct cost_table *table)
{
    const uint64_t scale = ticks_scale();
    const struct hr_algorithm *row;
    static struct trial trial;
    for (size_t i = 0; i < sizeof trial.bytes; i++) /* XTS wants two different keys */
        trial.bytes[i] = (uint8_t)(i * 73 + 5);
    measure_row(table, &trial, NULL, scale);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        measure_row(table, &trial, row, scale);
    explicit_bzero(&trial, sizeof trial);
}
