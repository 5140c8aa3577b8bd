/* SPDX-License-Identifier: Apache-2.0 */
/* Answers CONTROL_STATUS.  Each answer is about one thing: the service, then each accelerator, then
 * each client by its number. */
#include "../ticks.h"
#include "headraced.h"
#include <headrace/headrace.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)CONTROL_LATENCIES == COUNT_LATENCIES && (int)CONTROL_BATCHES == COUNT_BATCHES &&
                   (int)CONTROL_UNIT_MANY == UNIT_MANY,
               "the same histograms");

/* CURSOR makes the cursor in `handle` of a kind and a number. */
#define CURSOR(kind, number) ((uint64_t)(kind) << 32 | (uint32_t)(number))

static uint64_t count(_Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void of_service(struct control_service_status *out)
{
    snprintf(out->version, sizeof out->version, "%s", hr_version());
    out->up = ticks_seconds() - service.started;
    out->attached = service.attached;
    out->refused = service.refused;
    out->revoked = service.revoked;
    out->reloads = service.reloads;
    out->kernels = service.kernels;
    out->named_keys = service.keys->num;
    out->accelerators = service.options->num_accelerators;
    out->memory = quota_memory();
    out->memory_limit = service.memory;
    for (unsigned i = 0; i < out->accelerators; i++)
        out->clients += service.clients[i];
}

static void of_accelerator(struct control_accelerator_status *out, uint32_t i)
{
    struct accelerator_counts *counts = accelerator_counts(service.accelerators[i]);
    out->number = i;
    out->cpu = service.options->cpus[i];
    out->clients = service.clients[i];
    out->requests = count(&counts->requests);
    out->bytes = count(&counts->bytes);
    out->busy_ns = count(&counts->busy_ns);
    out->idle_ns = count(&counts->idle_ns);
    out->asleep_ns = accelerator_asleep_ns(service.accelerators[i]);
}

static void add_counts(struct control_client_status *out, struct client_counts *counts)
{
    out->requests += count(&counts->requests);
    out->bytes += count(&counts->bytes);
    out->rejected += count(&counts->rejected);
    for (size_t i = 0; i < COUNT_LATENCIES; i++)
        out->latency[i] += count(&counts->latency[i]);
    for (size_t i = 0; i < COUNT_BATCHES; i++)
        out->batch[i] += count(&counts->batch[i]);
    out->latency_sum += count(&counts->latency_sum);
    out->batch_sum += count(&counts->batch_sum);
}

static void of_client(struct control_client_status *out, struct session *c)
{
    memcpy(out->rule, c->rule, sizeof out->rule);
    out->number = c->client.number;
    out->pid = (uint32_t)c->peer.pid;
    out->uid = c->peer.uid;
    out->accelerator = c->accelerators[0];
    out->weight = atomic_load(&c->client.limits.weight);
    out->up = ticks_seconds() - c->since;
    for (size_t i = 0; i < KEYTABLE_MAX; i++)
        out->keys += c->handles[i].handle != 0;
    for (uint32_t i = 0; i < c->client.num_parts; i++)
        add_counts(out, &c->parts[i]->counts);
    out->spread = c->client.num_parts;
    struct ring_client_words *words = c->client.requests;
    out->moves = c->moves;
    out->away = atomic_load_explicit(&words->away, memory_order_relaxed);
    out->left = atomic_load_explicit(&words->left, memory_order_relaxed);
}

/* add_unit adds what the unit for public keys has done for a client. */
static void add_unit(struct control_client_status *out, struct session *c)
{
    struct client_counts counts;
    if (!c->unit)
        return;
    out->keys += unit_client_counts(service.unit, c->unit, &counts);
    add_counts(out, &counts);
}

/* The counts of the unit when the answers about it began. */
static struct unit_counts unit_counts;

static void of_unit(struct control_unit_status *out)
{
    const struct unit_counts *c = &unit_counts;
    unit_count(service.unit, &unit_counts);
    *out =
        (struct control_unit_status){ c->threads, c->asleep,  c->clients, c->keys,     c->requests,
                                      c->batches, c->busy_ns, c->idle_ns, c->asleep_ns };
}

static void of_operation(struct control_operation_status *out, uint32_t i)
{
    const struct unit_operation *o = &unit_counts.operations[i];
    *out = (struct control_operation_status){ .alg = o->alg,
                                              .op = o->op,
                                              .requests = o->requests,
                                              .failed = o->failed,
                                              .batches = o->batches,
                                              .ns = o->ns,
                                              .wait_us = o->wait_us,
                                              .load = o->load };
    memcpy(out->fill, o->fill, sizeof out->fill);
    memcpy(out->wait, o->wait, sizeof out->wait);
}

/* client_from returns the attached client with the lowest number from `number` on, or NULL. */
static struct session *client_from(uint32_t number)
{
    struct session *found = NULL;
    for (struct session *c = service.sessions; c; c = c->next)
        if (c->attached && c->client.number >= number &&
            (!found || c->client.number < found->client.number))
            found = c;
    return found;
}

static uint64_t client_cursor(uint32_t from)
{
    return client_from(from) ? CURSOR(STATUS_CLIENT, from) : 0;
}

static uint64_t operation_cursor(uint32_t i)
{
    return i < unit_counts.num_operations ? CURSOR(STATUS_OPERATION, i) : client_cursor(1);
}

/* status_get_client fills in the first client from a number on. */
static uint64_t status_get_client(struct control_status *out, uint32_t number)
{
    struct session *c = client_from(number);
    if (!c) { /* the last clients have left since the answer before */
        out->kind = STATUS_NOTHING;
        return 0;
    }
    out->kind = STATUS_CLIENT;
    of_client(&out->u.client, c);
    add_unit(&out->u.client, c);
    return client_cursor(c->client.number + 1);
}

static uint64_t status_get_accelerator(struct control_status *out, uint32_t number)
{
    out->kind = STATUS_ACCELERATOR;
    of_accelerator(&out->u.accelerator, number);
    if (number + 1 < service.options->num_accelerators)
        return CURSOR(STATUS_ACCELERATOR, number + 1);
    return service.unit ? CURSOR(STATUS_UNIT, 0) : client_cursor(1);
}

uint64_t status_get(struct control_status *out, uint64_t cursor)
{
    const uint32_t number = (uint32_t)cursor;
    const uint64_t kind = cursor >> 32;
    memset(out, 0, sizeof *out);
    if (!cursor) {
        of_service(&out->u.service);
        return CURSOR(STATUS_ACCELERATOR, 0);
    }
    if (kind == STATUS_ACCELERATOR && number < service.options->num_accelerators)
        return status_get_accelerator(out, number);
    if (kind == STATUS_UNIT && service.unit) {
        out->kind = STATUS_UNIT;
        of_unit(&out->u.unit);
        return operation_cursor(0);
    }
    if (kind == STATUS_OPERATION && number < unit_counts.num_operations) {
        out->kind = STATUS_OPERATION;
        of_operation(&out->u.operation, number);
        return operation_cursor(number + 1);
    }
    return status_get_client(out, kind == STATUS_CLIENT ? number : 1);
}
