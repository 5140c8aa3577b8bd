/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "client.h"
#include "secrets.h"
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct client_secrets {
    struct keycache cache;
    struct slices slices;
};

static int make_memories(struct client *c)
{
    struct memory *m = c->memories;
    if (memory_make(&m[0], "headrace-requests", ring_requests_len(&c->geometry)))
        return HR_ESYSTEM;
    if (memory_make(&m[1], "headrace-completions", ring_completions_len(&c->geometry))) {
        memory_free(&m[0]);
        return HR_ESYSTEM;
    }
    c->fault = fault_watch(m);
    if (c->fault < 0) {
        memory_free(&m[1]);
        memory_free(&m[0]);
        return HR_ESYSTEM;
    }
    c->requests = m[0].map;
    c->completions = m[1].map;
    return 0;
}

static void free_memories(struct client *c)
{
    fault_forget(c->fault);
    memory_free(&c->memories[1]);
    memory_free(&c->memories[0]);
}

static void close_all(const int fds[3])
{
    for (size_t i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

int client_make_ring(struct client *c, const struct ring_geometry *geometry, int fds[3])
{
    c->geometry = *geometry;
    c->part = 0;
    c->num_parts = 1;
    c->mask = UINT64_MAX;
    c->all_keys = &c->keys;
    atomic_store(&c->revoked, false);
    if (make_memories(c))
        return HR_ESYSTEM;
    fds[0] = memory_share(&c->memories[0], true);
    fds[1] = memory_share(&c->memories[1], false);
    fds[2] = c->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0) {
        struct ring_service_words *words = c->completions;
        atomic_store(&words->state, RING_LIVE);
        return 0;
    }
    close_all(fds);
    free_memories(c);
    return HR_ESYSTEM;
}

int client_make(struct client *c, const struct ring_geometry *geometry, int fds[3])
{
    struct client_secrets *secrets = secrets_alloc(sizeof *secrets);
    if (!secrets)
        return HR_ESYSTEM;
    const int error = client_make_ring(c, geometry, fds);
    if (error) {
        secrets_free(secrets, sizeof *secrets);
        return error;
    }
    c->cache = &secrets->cache;
    c->slices = &secrets->slices;
    return 0;
}

static uint64_t mask_of(uint32_t i, uint32_t num)
{
    uint64_t mask = 0;
    for (uint32_t ring = i; ring < RING_MAX_RINGS; ring += num)
        mask |= UINT64_C(1) << ring;
    return mask;
}

struct client *client_make_part(struct client *whole, uint32_t i, uint32_t num)
{
    struct client *c = calloc(1, sizeof *c);
    struct client_secrets *secrets = c ? secrets_alloc(sizeof *secrets) : NULL;
    if (!secrets) {
        free(c);
        return NULL;
    }
    c->cache = &secrets->cache;
    c->slices = &secrets->slices;
    c->number = whole->number;
    c->geometry = whole->geometry;
    c->requests = whole->requests;
    c->completions = whole->completions;
    c->doorbell = whole->doorbell;
    c->socket = whole->socket;
    c->user = whole->user;
    c->limits.private_lanes = whole->limits.private_lanes;
    c->all_keys = &whole->keys;
    c->part = i;
    c->mask = mask_of(i, num);
    whole->mask = mask_of(0, num);
    c->num_parts = whole->num_parts = num;
    return c;
}

void client_free_part(struct client *part)
{
    secrets_free(part->cache, sizeof(struct client_secrets));
    free(part);
}

void client_empty(struct client *c)
{
    memory_empty(&c->memories[0]);
    memory_empty(&c->memories[1]);
}

void client_retire(struct client *c)
{
    close(c->doorbell);
    c->doorbell = -1;
    secrets_free(c->cache, sizeof(struct client_secrets));
    keytable_free(atomic_load(&c->keys));
    c->cache = NULL;
}

void client_free(struct client *c)
{
    if (c->doorbell >= 0)
        client_retire(c);
    free_memories(c);
}
