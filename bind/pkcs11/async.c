/* SPDX-License-Identifier: Apache-2.0 */
#include "async.h"
#include "accel/client.h"
#include "mechanism.h"
#include "session.h"

enum { MOST_JOBS = 256, LONGEST = 1 << 16, AT_ONCE = 64 };

/* The queues of the slots, each made at its first job.  They hold no secrets, and are not in the
 * module's memory, so that the child of a fork finds what its parent left. */
static struct async_queue {
    pthread_mutex_t lock;
    struct hr_queue *queue; /* under the lock */
} queues[NUM_SLOTS];

/* The part of an operation that is in a queue.  The message is a copy: only the result's room stays
 * the caller's. */
struct pending {
    struct prepared prepared; /* the queue's until is_done */
    CK_BYTE *out;
    size_t room;
    enum async_call call;
    bool is_done; /* under the queue's lock */
    uint8_t bytes[];
};

static const struct {
    char name[16];
    enum op_kind kind;
} calls[NUM_ASYNC_CALLS] = {
    [ASYNC_DIGEST] = { "C_Digest", OP_DIGEST },
    [ASYNC_SIGN] = { "C_Sign", OP_SIGN },
    [ASYNC_SIGN_FINAL] = { "C_SignFinal", OP_SIGN },
};

/* ---- queues; under their lock ---- */

/* leave gives up the parent's queue in the child of a fork.  A local one was in memory that is zero
 * now.  Another thread may have been at work in the service's, and then its memory is given up. */
static void leave(struct async_queue *q, unsigned slot)
{
    if (slot == SLOT_ACCEL && !pthread_mutex_trylock(&q->lock))
        hr_queue_close(q->queue);
    q->queue = NULL;
}

RV async_begin(void)
{
    for (unsigned i = 0; i < NUM_SLOTS; i++) {
        if (queues[i].queue)
            leave(&queues[i], i);
        if (pthread_mutex_init(&queues[i].lock, NULL))
            return CKR_HOST_MEMORY;
    }
    return CKR_OK;
}

void async_end(void)
{
    for (unsigned i = 0; i < NUM_SLOTS; i++) {
        hr_queue_close(queues[i].queue);
        queues[i].queue = NULL;
    }
}

static struct async_queue *queue_of(const struct op *op)
{
    return &queues[op->session->slot];
}

static struct hr_queue *open_queue(struct module *m, unsigned slot)
{
    struct hr_queue *queue = NULL;
    if (slot == SLOT_ACCEL) {
        const struct client *client = client_get();
        return client && !client->hr_queue_connect(&queue, NULL) ? queue : NULL;
    }
    const size_t len = hr_queue_local_size(MOST_JOBS);
    void *memory = secret_new(m, len);
    return memory && !hr_queue_local(&queue, memory, len, MOST_JOBS) ? queue : NULL;
}

/* submit gives a job to the queue, or returns false: there is no room now. */
static bool submit(struct op *op)
{
    struct async_queue *q = queue_of(op);
    struct hr_job *job = &op->pending->prepared.job;
    pthread_mutex_lock(&q->lock);
    if (!q->queue)
        q->queue = open_queue(op->session->module, op->session->slot);
    const bool is_taken = q->queue && hr_queue_submit(q->queue, &job, 1) == 1;
    pthread_mutex_unlock(&q->lock);
    return is_taken;
}

/* collect takes what is done out of the queue, and waits for `min` jobs. */
static void collect(struct async_queue *q, size_t min)
{
    struct hr_job *done[AT_ONCE];
    const int num = hr_queue_poll(q->queue, done, COUNT(done), min);
    for (int i = 0; i < num; i++)
        ((struct pending *)done[i]->user)->is_done = true;
}

/* is_done looks whether a job is done, and helps it on; another thread may do that already. */
static bool is_done(const struct op *op)
{
    struct async_queue *q = queue_of(op);
    if (pthread_mutex_trylock(&q->lock))
        return false;
    if (!op->pending->is_done)
        collect(q, 0);
    const bool is = op->pending->is_done;
    pthread_mutex_unlock(&q->lock);
    return is;
}

void async_drop(struct op *op)
{
    struct async_queue *q = queue_of(op);
    struct pending *p = op->pending;
    pthread_mutex_lock(&q->lock);
    while (!p->is_done)
        collect(q, 1);
    pthread_mutex_unlock(&q->lock);
    wipe_bytes(p, sizeof *p + p->room);
    op->pending = NULL;
    secret_free(op->session->module, p);
}

/* ---- a job ---- */

/* finish returns the result of a job that is done, and copies it to the caller's room. */
static RV finish(struct op *op, size_t *out_len)
{
    struct pending *p = op->pending;
    struct hr_job *job = &p->prepared.job;
    const struct engine *engine = op->mech->engine;
    const CK_RV rv = engine->finish ? engine->finish(op, &p->prepared) : error_of(job->result);
    if (rv == CKR_OK) {
        memcpy(p->out, job->tag, job->tag_len);
        *out_len = job->tag_len;
    }
    return rv;
}

/* prepare makes op->pending.  CKR_FUNCTION_NOT_SUPPORTED: such a message is computed at once. */
static RV prepare(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out)
{
    const size_t size = op->mech->engine->size(op, len, in ? OP_READY : OP_NONE);
    struct pending *p = secret_new(op->session->module, sizeof *p + len + size);
    if (!p)
        return CKR_HOST_MEMORY;
    struct hr_job *job = &p->prepared.job;
    *job = (struct hr_job){ .user = p, .tag = p->bytes + len, .tag_len = (uint32_t)size };
    const CK_RV rv = op->mech->engine->prepare(op, in, len, &p->prepared);
    if (rv != CKR_OK) {
        secret_free(op->session->module, p);
        return rv;
    }
    if (len && job->in == in) {
        memcpy(p->bytes, in, len);
        job->in = p->bytes;
    }
    p->room = len + size;
    p->out = out;
    op->pending = p;
    return CKR_OK;
}

static RV run_here(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const struct engine *engine = op->mech->engine;
    return in ? engine->whole(op, in, len, out, out_len) : engine->final(op, out, out_len);
}

CK_RV async_run(struct op *op, enum async_call call, const CK_BYTE *in, size_t len, CK_BYTE *out,
                size_t *out_len)
{
    CK_RV rv = CKR_FUNCTION_NOT_SUPPORTED;
    const size_t whole = in ? len : op->more_len;
    if (op->session->is_async && op->mech->engine->prepare && whole <= LONGEST)
        rv = prepare(op, in, len, out);
    if (rv == CKR_FUNCTION_NOT_SUPPORTED)
        return run_here(op, in, len, out, out_len);
    if (rv != CKR_OK)
        return rv;
    op->pending->call = call;
    op->stage = OP_PENDING;
    if (submit(op))
        return CKR_PENDING;
    op->pending->is_done = true; /* never was in a queue */
    op->pending->prepared.job.result = hr_job_run(&op->pending->prepared.job);
    return finish(op, out_len);
}

/* ---- the calls ---- */

/* async_session finds a session that may have pending operations, for a call about a function. */
static CK_RV async_session(struct session **s, CK_SESSION_HANDLE session,
                           const CK_UTF8CHAR *function)
{
    const CK_RV rv = session_get(s, session);
    if (rv != CKR_OK)
        return rv;
    if (!(*s)->is_async)
        return CKR_SESSION_ASYNC_NOT_SUPPORTED;
    return function ? CKR_OK : CKR_ARGUMENTS_BAD;
}

/* pending_of finds the operation of a session that this function has left pending. */
static RV pending_of(struct op **out, CK_SESSION_HANDLE session, const CK_UTF8CHAR *function)
{
    struct session *s;
    const CK_RV rv = async_session(&s, session, function);
    if (rv != CKR_OK)
        return rv;
    for (int i = 0; i < NUM_ASYNC_CALLS; i++) {
        struct op *op = atomic_load(&s->ops[calls[i].kind]);
        if (op && op->stage == OP_PENDING && op->pending->call == (enum async_call)i &&
            !strcmp((const char *)function, calls[i].name)) {
            *out = op;
            return CKR_OK;
        }
    }
    return CKR_OPERATION_NOT_INITIALIZED;
}

CK_RV C_AsyncComplete(CK_SESSION_HANDLE session, CK_UTF8CHAR *function, CK_ASYNC_DATA *result)
{
    struct op *op;
    CK_RV rv = pending_of(&op, session, function);
    if (rv != CKR_OK)
        return rv;
    if (!result || result->ulVersion)
        return CKR_ARGUMENTS_BAD;
    if (!is_done(op))
        return CKR_PENDING;
    size_t len = 0;
    CK_BYTE *out = op->pending->out;
    rv = finish(op, &len);
    *result = (CK_ASYNC_DATA){ .pValue = out, .ulValue = len };
    return op_end(op, rv);
}

/* No operation outlives its session. */
CK_RV C_AsyncGetID(CK_SESSION_HANDLE session, CK_UTF8CHAR *function, CK_ULONG *id)
{
    struct op *op;
    const CK_RV rv = pending_of(&op, session, function);
    return rv != CKR_OK ? rv : id ? CKR_STATE_UNSAVEABLE : CKR_ARGUMENTS_BAD;
}

CK_RV C_AsyncJoin(CK_SESSION_HANDLE session, CK_UTF8CHAR *function, CK_ULONG id, CK_BYTE *data,
                  CK_ULONG len)
{
    struct session *s;
    const CK_RV rv = async_session(&s, session, function);
    return rv != CKR_OK ? rv : CKR_SAVED_STATE_INVALID;
}
