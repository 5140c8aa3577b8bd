/* SPDX-License-Identifier: Apache-2.0 */
/* The ring that the service's unit for public keys serves: a connection of its own, which has the
 * socket of the process's connection.  A queue claims a sub-ring of it for short operations, and
 * one for long ones, when it has the first such job.  docs/public-key-unit.md says why. */
#include "../public_key.h"
#include "share.h"
#include <stdlib.h>

enum { ANSWER_MOST = 5000 };        /* milliseconds */
enum { ASK_AGAIN = 100 * 1000000 }; /* ns until a refusal that may pass is asked about again */

/* is_refused tells whether the service has said no, and not yet to be asked again. */
static int is_refused(const struct connection *c)
{
    const int passes = c->unit_error != HR_EALG && c->unit_error != HR_EACCESS;
    return c->unit_error && !(passes && wait_clock() >= c->unit_again);
}

int unit_connect(struct connection *c)
{
    if (c->unit)
        return 1;
    if (is_refused(c) || atomic_load(&c->lost))
        return 0;
    c->unit_error = HR_ESYSTEM;
    c->unit_again = wait_clock() + ASK_AGAIN;
    struct connection *unit = calloc(1, sizeof *unit);
    if (!unit)
        return 0;
    unit->references = 1;
    unit->id = c->id;
    unit->is_unit = 1;
    unit->doorbell.fd = -1;
    const int error = dial_unit(unit, c, ANSWER_MOST);
    if (!error) {
        atomic_store(&c->unit, unit);
        return 1;
    }
    free(unit);
    c->unit_error = error;
    if (error == HR_EGONE || error == HR_EPENDING)
        atomic_store(&c->lost, 1); /* the next message might answer this request */
    return 0;
}

/* ---- a queue's sub-rings ---- */

/* ring_for claims the queue's sub-ring for a kind of jobs.  It returns NULL if there is none. */
static struct subring *ring_for(struct accel_queue *q, int is_long)
{
    struct subring *s = &q->unit[is_long];
    struct connection *unit = atomic_load(&q->ring.connection->unit);
    if (LIKELY(s->connection != NULL))
        return s;
    if (!unit || !connection_live(unit))
        return NULL;
    connection_keep(unit);
    if (subring_claim(s, unit)) {
        connection_put(unit);
        return NULL;
    }
    s->bell = is_long ? RING_ASLEEP_LONG : RING_ASLEEP_SHORT;
    s->patience = is_long ? 0 : SHORT_PATIENCE;
    s->is_long = is_long != 0;
    return s;
}

/* is_crowded tells whether few sub-rings are left for threads that have none. */
static int is_crowded(const struct connection *unit)
{
    return 4 * __builtin_popcountll(atomic_load(&unit->claimed)) >
           3 * (int)unit->geometry.num_rings;
}

void unit_make_room(struct accel_queue *q)
{
    for (int i = 0; i < 2; i++) {
        struct subring *s = &q->unit[i];
        if (UNLIKELY(s->connection && !subring_outstanding(s) && is_crowded(s->connection)))
            subring_release(s, 1);
    }
}

/* ---- jobs whose keys stay in the service ---- */

static enum encoded finish(struct accel_queue *q, struct hr_job *job, int result)
{
    job->result = result;
    q->finished[q->num_finished++] = job;
    return ENCODED;
}

/* wait_for_ring lets a job wait because other threads have all sub-rings of the unit, as long as
 * jobs wait for a service. */
static enum encoded wait_for_ring(struct accel_queue *q, struct hr_job *job)
{
    if (!q->crowded_at)
        q->crowded_at = wait_clock();
    if (wait_clock() - q->crowded_at < patience_ns())
        return ENCODED_WAIT;
    q->crowded_at = 0;
    return finish(q, job, HR_EBUFFER);
}

/* is_key_of tells whether a job is for a key of this row; a row of RSA is only a size. */
static int is_key_of(const struct hr_job *job, unsigned alg)
{
    return job->alg == alg || (job->alg >> 8 == HR_CLASS_RSA && alg >> 8 == HR_CLASS_RSA);
}

static enum encoded encode_named(struct accel_queue *q, struct hr_job *job, int *rung)
{
    struct connection *c = q->ring.connection;
    uint64_t number = 0;
    struct lent_facts facts;
    int known = key_facts(&facts, &number, job, c);
    const int error = known ? 0 : key_again(job, c);
    if (error)
        return error == HR_EGONE ? ENCODED_WAIT : finish(q, job, error);
    if (!known)
        known = key_facts(&facts, &number, job, c);
    if (!known)
        return ENCODED_WAIT; /* another thread's answer was that it is gone */
    if (!is_key_of(job, facts.alg))
        return finish(q, job, HR_EHANDLE);
    const int is_long = pk_is_long(job->alg, job->op, facts.is_slow);
    struct subring *s = ring_for(q, is_long);
    if (!s)
        return share_give(q, job) == SHARED_TAKEN ? ENCODED : wait_for_ring(q, job);
    const uint32_t slot = s->next % RING_DEPTH;
    const enum encoded encoded = unit_encode_job(s, job, number, &facts);
    q->crowded_at = 0;
    if (encoded != ENCODED)
        return encoded == ENCODED_FULL ? ENCODED_FULL : finish(q, job, HR_EINVAL);
    s->pending[slot].begun = 0;
    s->pending[slot].key = number;
    *rung |= 2 << is_long;
    return ENCODED;
}

/* stays tells whether a job is faster here, by the crossover table and the load of late. */
static int stays(const struct connection *c, const struct hr_job *job, const struct lent_pace *p)
{
    const uint32_t load = atomic_load_explicit(&p->load, memory_order_relaxed);
    return c->crossover && !crossover_lends(c->crossover, job->alg, job->op, job->len,
                                            load < LENT_LOAD ? 1 : load / LENT_LOAD, wait_clock());
}

enum encoded unit_encode(struct accel_queue *q, struct hr_job *job, int *rung)
{
    if (is_named(job))
        return encode_named(q, job, rung);
    uint64_t number;
    struct lent_facts *facts = lent_resolve(&number, job, q->ring.connection);
    if (!facts)
        return ENCODED_HERE;
    struct lent_pace *pace = &facts->paces[job->op & 3];
    if (stays(q->ring.connection, job, pace))
        return ENCODED_HERE;
    const enum unit_pace where = unit_pace(pace, job);
    if (where == PACE_DONE)
        q->finished[q->num_finished++] = job;
    if (where != PACE_SEND)
        return where == PACE_DONE ? ENCODED : ENCODED_HERE;
    const int is_long = pk_is_long(job->alg, job->op, facts->is_slow);
    struct subring *s = ring_for(q, is_long);
    if (!s)
        return ENCODED_HERE;
    struct pending *p = &s->pending[s->next % RING_DEPTH];
    const int alone = !subring_outstanding(s);
    const enum encoded encoded = unit_encode_job(s, job, number, facts);
    if (encoded != ENCODED)
        return encoded;
    *rung |= 2 << is_long;
    p->pace = pace;
    p->begun = alone ? ticks() : 0;
    s->waited = 0;
    return ENCODED;
}

void unit_bell(struct accel_queue *q, int rung)
{
    for (int i = 0; i < 2; i++)
        if (rung & 2 << i)
            subring_bell(&q->unit[i]);
}

uint32_t unit_outstanding(const struct accel_queue *q)
{
    return subring_outstanding(&q->unit[0]) + subring_outstanding(&q->unit[1]);
}

int unit_wait(struct accel_queue *q, unsigned round)
{
    struct subring *waiting[3], *const all[] = { &q->ring, &q->unit[0], &q->unit[1] };
    int num = 0;
    for (int i = 0; i < 3; i++)
        if (subring_outstanding(all[i]))
            waiting[num++] = all[i];
    for (int i = 0; i < num; i++)
        waiting[i]->waited = 1;
    return num == 1 ? wait_for_completion(waiting[0], round) : wait_for_any(waiting, num);
}

void unit_lose(struct accel_queue *q, int broken)
{
    for (int i = 0; i < 2; i++) {
        struct subring *s = &q->unit[i];
        struct hr_job *job;
        enum taken taken = TAKEN_DONE;
        if (!s->connection)
            continue;
        while (!broken && (taken = unit_decode(s, &job)) != TAKEN_NONE && taken != TAKEN_BROKEN)
            if (taken == TAKEN_HERE)
                recover_lent(q, job);
            else
                q->finished[q->num_finished++] = job;
        for (size_t k = 0; k < RING_DEPTH; k++) {
            job = s->pending[k].job;
            s->pending[k].job = NULL;
            if (job)
                recover_lent(q, job);
        }
        subring_release(s, 1);
    }
}

void unit_forget(struct accel_queue *q)
{
    for (int i = 0; i < 2; i++) {
        struct subring *s = &q->unit[i];
        s->connection = NULL;
        s->next = s->completed = 0;
        window_close(&s->window);
        for (size_t k = 0; k < RING_DEPTH; k++)
            s->pending[k].job = NULL;
    }
}

void unit_release(struct accel_queue *q)
{
    for (int i = 0; i < 2; i++)
        if (q->unit[i].connection)
            subring_release(&q->unit[i], 1);
}
