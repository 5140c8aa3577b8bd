/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of an accelerator: all of it may hold what is secret. */
#include "secrets.h"
#include "serve.h"
#include "ticks.h"

struct lanes *lanes_new(void)
{
    struct lanes *l = secrets_alloc(sizeof *l);
    if (!l)
        return NULL;
    l->memory_len = hr_queue_local_size(MAX_TASKS);
    void *memory = secrets_alloc(l->memory_len);
    if (memory && !hr_queue_local(&l->queue, memory, l->memory_len, MAX_TASKS))
        return l;
    secrets_free(memory, l->memory_len);
    secrets_free(l, sizeof *l);
    return NULL;
}

void lanes_free(struct lanes *l)
{
    if (!l)
        return;
    void *memory = l->queue; /* the queue is its memory */
    hr_queue_close(l->queue);
    secrets_free(memory, l->memory_len);
    secrets_free(l, sizeof *l);
}

/* Those with lanes do not run when they are taken, unless they are alone. */
static void find_lanes(struct server *s)
{
    struct hr_kernel kernel;
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        s->laned[row->alg & 4095] =
            !hr_kernel_at(&kernel, row->alg, HR_OP_LANES, 0) ||
            (row->cls == HR_CLASS_MAC && !hr_kernel_at(&kernel, row->digest, HR_OP_LANES, 0));
}

struct server *server_new(void)
{
    struct server *s = secrets_alloc(sizeof *s);
    if (!s)
        return NULL;
    s->scale = ticks_scale();
    s->lanes = lanes_new();
    find_lanes(s);
    for (size_t i = 0; i < MAX_TASKS; i++)
        s->free[s->num_free++] = &s->tasks[i];
    for (size_t i = 0; i < NUM_SLABS; i++) {
        s->slabs[i].arena.len = REQUEST_MAX_PRIVATE;
        s->slabs[i].arena.base = secrets_alloc(REQUEST_MAX_PRIVATE);
    }
    for (size_t i = 0; i < NUM_SLABS; i++)
        if (!s->slabs[i].arena.base || !s->lanes) {
            server_free(s);
            return NULL;
        }
    return s;
}

void server_free(struct server *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < NUM_SLABS; i++)
        secrets_free(s->slabs[i].arena.base, REQUEST_MAX_PRIVATE);
    lanes_free(s->lanes);
    secrets_free(s, sizeof *s);
}
