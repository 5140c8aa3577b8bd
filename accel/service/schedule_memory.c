/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates the memory of an accelerator.  All of it may hold secrets. */
#include "schedule_parts.h"
#include "secrets.h"

struct lanes *schedule_lanes_new(void)
{
    struct lanes *l = secrets_alloc(sizeof *l);
    if (!l)
        return NULL;
    l->rate = (1 << 20) / LANED_BY;
    l->memory_len = hr_queue_local_size(MAX_TASKS);
    void *memory = secrets_alloc(l->memory_len);
    if (memory && !hr_queue_local(&l->queue, memory, l->memory_len, MAX_TASKS))
        return l;
    secrets_free(memory, l->memory_len);
    secrets_free(l, sizeof *l);
    return NULL;
}

void schedule_lanes_free(struct lanes *l)
{
    if (!l)
        return;
    void *memory = l->queue; /* the queue lies at its start */
    hr_queue_close(l->queue);
    secrets_free(memory, l->memory_len);
    secrets_free(l, sizeof *l);
}

static bool has_lanes(hr_alg alg)
{
    struct hr_kernel kernel;
    for (size_t i = 0; !hr_kernel_at(&kernel, alg, HR_OP_LANES, i); i++)
        if (!(kernel.needs & ~hr_cpu_features()))
            return true;
    return false;
}

/* find_lanes notes which rows have lanes on this CPU.  Their jobs run at once only if they are
 * alone. */
static void find_lanes(struct schedule *s)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        s->laned[row->alg % ROW_NUMBERS] =
            has_lanes(row->alg) || (row->digest && has_lanes(row->digest));
}

struct schedule *schedule_new(void)
{
    struct schedule *s = secrets_alloc(sizeof *s);
    if (!s)
        return NULL;
    s->scale = ticks_scale();
    s->lanes = schedule_lanes_new();
    find_lanes(s);
    for (size_t i = 0; i < MAX_TASKS; i++)
        s->free[s->num_free++] = &s->tasks[i];
    for (size_t i = 0; i < NUM_SLABS; i++) {
        s->slabs[i].arena.len = REQUEST_MAX_PRIVATE;
        s->slabs[i].arena.base = secrets_alloc(REQUEST_MAX_PRIVATE);
    }
    for (size_t i = 0; i < NUM_SLABS; i++)
        if (!s->slabs[i].arena.base || !s->lanes) {
            schedule_free(s);
            return NULL;
        }
    return s;
}

void schedule_free(struct schedule *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < NUM_SLABS; i++)
        secrets_free(s->slabs[i].arena.base, REQUEST_MAX_PRIVATE);
    schedule_lanes_free(s->lanes);
    secrets_free(s, sizeof *s);
}
