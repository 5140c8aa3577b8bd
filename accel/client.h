/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of libheadrace-accel share.  A queue is one thread's; a connection is shared by
 * the queues of a process; what a process has besides is in connection.c. */
#ifndef HR_CLIENT_H
#define HR_CLIENT_H

#include "control.h"
#include "crossover.h"
#include "form.h"
#include <pthread.h>

enum { QUEUE_JOBS = 256, QUEUE_LOCAL = QUEUE_JOBS + 8 }; /* on the ring, here and waiting */
#define NOWHERE UINT32_MAX                               /* no offset in a window */

/* ---- dial.c: a descriptor, and whether its number is still its own ---- */

/* Programs that become daemons close whatever is open, and their next file has the number. */
struct descriptor {
    int fd; /* -1: none */
    uint64_t device, inode;
};

int descriptor_note(struct descriptor *d, int fd); /* 0 or HR_ESYSTEM */
int descriptor_is_ours(const struct descriptor *d);
void descriptor_close(struct descriptor *d);

/* No thread is cancelled (pthread_cancel(3)) in what lies between these: jobs of its own may be on
 * its stack, which the next poll would write to, and others wait for its locks. */
static inline int cancel_later(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}
static inline void cancel_as_before(int before)
{
    pthread_setcancelstate(before, &before);
}

/* What a service may say of a message or a request: other numbers no call returns, either. */
static inline int is_result(int32_t result)
{
    return result <= 0 && result >= HR_ESYSTEM && result != HR_EPENDING;
}

/* ---- connection.c: this process and the service ---- */

struct connection {
    struct connection *older; /* of this process's list */
    uint32_t id;              /* no other connection of this process has it */
    uint32_t references;      /* queues, and the process while it is the current one */
    _Atomic uint32_t lost;    /* somebody noticed that the service went away */
    struct descriptor socket, doorbell;
    struct ring_geometry geometry;
    void *requests;                                           /* ours to write */
    const void *completions;                                  /* read only */
    _Atomic uint64_t claimed;                                 /* bit i: a queue has sub-ring i */
    uint32_t next[RING_MAX_RINGS], completed[RING_MAX_RINGS]; /* while nobody has the sub-ring */
    struct crossover *crossover; /* NULL: everything is for the service */
};

/* Grows in a child after fork: what was made under another number is the parent's. */
extern uint32_t process_generation;

/* Sets which service this process talks to: 0, or HR_EINVAL: it talks to another one already. */
int process_path(const char *path);
/* A reference to the current connection, or NULL.  Without one, tries to make it: at once and for
 * up to wait_ms where wait_ms is not 0, else if it is time to try again. */
struct connection *connection_get(int wait_ms);
void connection_keep(struct connection *c);
void connection_put(struct connection *c);
/* Notes that the service is gone.  The maps stay until the last reference goes. */
void connection_lose(struct connection *c);
/* The process's lock for what goes over the socket; forked children find it open. */
void connection_lock(void);
void connection_unlock(void);
/* One message and its answer, which may have up to max bytes behind it; under the lock.  The
 * answer's result, or HR_EGONE: then the connection is lost. */
int connection_exchange(struct connection *c, const struct control_request *request,
                        struct control_reply *reply, void *more, size_t max);

static inline const struct ring_service_words *service_words(const struct connection *c)
{
    return c->completions;
}
static inline struct ring_client_words *client_words(const struct connection *c)
{
    return c->requests;
}
/* Without a system call: a service that was killed is found by connection_hung_up only. */
static inline int connection_live(const struct connection *c)
{
    struct ring_service_words *words = (struct ring_service_words *)c->completions;
    return atomic_load_explicit(&words->state, memory_order_relaxed) == RING_LIVE &&
           !atomic_load_explicit(&c->lost, memory_order_relaxed);
}
int connection_hung_up(const struct connection *c);

/* ---- dial.c: making one ---- */

/* Connects and asks to attach, without waiting.  0, HR_EGONE, HR_ESYSTEM. */
int dial_begin(struct descriptor *socket, const char *path);
/* Waits up to wait_ms for the answer and maps what came.  0, HR_EPENDING, or an error: then the
 * socket is still the caller's. */
int dial_finish(struct connection *c, const struct descriptor *socket, int wait_ms);
void dial_unmap(struct connection *c);
/* An answer of `reply->more` bytes, at most max, behind it. */
int dial_answer(int socket, struct control_reply *reply, void *more, size_t max, int wait_ms);

/* ---- window.c: a sub-ring's memory for payloads ---- */

struct window {
    uint8_t *base;
    uint64_t *used;          /* a bit for each unit */
    uint32_t num_units, low; /* no unit below `low` is free */
    uint32_t dirty;          /* bytes from the start that were ever used */
};

int window_open(struct window *w, uint8_t *base, size_t len); /* 0 or HR_ESYSTEM */
void window_close(struct window *w);
/* Offset of len bytes at a multiple of 64, or NOWHERE. */
uint32_t window_take(struct window *w, size_t len);
void window_give(struct window *w, uint32_t at, size_t len);
/* Offset of these bytes if they lie in the window, else NOWHERE. */
uint32_t window_offset(const struct window *w, const void *bytes, size_t len);
size_t window_len(const struct window *w);

/* ---- encode.c, chain.c: from a job to a request ---- */

/* A request on its way, for each job of it what it will be given, and where that will be. */
struct pending {
    struct hr_job *job; /* NULL: none */
    uint32_t number;
    uint32_t block, block_len; /* of the window */
    uint32_t state;            /* where an exported state will be, or NOWHERE */
    uint8_t far, inline_len;   /* inline_len: a completion's bytes */
    uint8_t tag_len[RING_MAX_CHAIN];
    struct outputs {
        uint32_t out, tag; /* in the window; NOWHERE: there already, or inline */
    } at[RING_MAX_CHAIN];
};

/* Keys, IVs, blocks and tags are mostly of 16 or 32 bytes. */
static inline void copy_bytes(uint8_t *to, const void *from, size_t len)
{
    if (LIKELY(len == 16))
        memcpy(to, from, 16);
    else if (len == 32)
        memcpy(to, from, 32);
    else if (len)
        memcpy(to, from, len);
}

enum encoded { ENCODED, ENCODED_FULL /* of others: later */, ENCODED_HERE /* run it here */ };

/* The places of a request's parts; NOWHERE: none. */
struct places {
    uint32_t in, out, aad, key, iv, tag, state_in, state_out, next, more;
    const struct ring_part *parts;
};
/* Writes all of a request but its seq, and with `base`, the window, its struct ring_more. */
void describe(struct ring_request *r, const struct form *f, const struct places *at, uint8_t *base);

struct subring;
enum encoded encode_chain(struct subring *s, struct ring_request *r, struct pending *p);

/* ---- subring.c, encode.c, decode.c ---- */

enum { AHEAD = 4 }; /* lines on their way from the accelerator's core at once */

struct subring {
    struct connection *connection; /* NULL: none */
    uint32_t ring, next, completed;
    struct ring_request *requests;
    struct ring_completion *completions; /* read only */
    struct window window;
    struct shape shape; /* of the last job */
    struct pending pending[RING_DEPTH];
    uint32_t vain;          /* waits in a row that were longer than the sure spin */
    uint32_t computes;      /* yields in a row after which somebody else kept the CPU for long */
    uint64_t away, yielded; /* ticks: how long the last one took, and when it ended */
};

/* Takes over the reference to c: 0, or HR_EBUFFER, HR_ESYSTEM, and the reference is the caller's.
 */
int subring_claim(struct subring *s, struct connection *c);
/* Gives it back, with nothing outstanding or nobody at the other side, and the reference; the
 * window is wiped unless some of it is in use. */
void subring_release(struct subring *s, int wipe);
enum encoded subring_submit(struct subring *s, struct hr_job *job);
/* After one or several submits: wakes the service if it sleeps. */
void subring_bell(struct subring *s);
enum taken {
    TAKEN_NONE,
    TAKEN_DONE,
    TAKEN_HERE,  /* the service did not do it: to be run here */
    TAKEN_BROKEN /* no job: what the service wrote cannot be */
};
/* The next finished job. */
enum taken subring_take(struct subring *s, struct hr_job **job);
static inline uint32_t subring_outstanding(const struct subring *s)
{
    return s->next - s->completed;
}
static inline int subring_ready(const struct subring *s)
{
    return ring_look(&s->completions[s->completed % RING_DEPTH].seq) == s->completed + 1;
}

/* ---- wait.c ---- */

/* Waits until a completion is there or, after a time, it is worth looking whether the service is:
 * 1 or 0.  `round` counts the calls of one wait. */
int wait_for_completion(struct subring *s, unsigned round);
void wait_init(void);      /* once a process */
uint64_t wait_clock(void); /* nanoseconds, cheap and coarse */

/* ---- keys_client.c ---- */

/* The service's number for a handle of this process under this connection: 1, or 0: there is none,
 * or it died with an earlier service. */
int key_resolve(uint64_t *number, uint64_t handle, const struct connection *c);
/* Whether a job's keys will be there once a service is: named ones. */
int keys_last(const struct hr_job *job);
/* Opens named keys under a new connection; by connection.c, under its lock. */
void keys_reopen(struct connection *c);
void keys_forget(void); /* in a child */

/* ---- client.c, recover.c: queues ---- */

/* A message longer than the window, as pieces: one is under way at a time. */
struct pieces {
    struct hr_job *job; /* NULL: none */
    struct hr_job piece;
    size_t done;
    uint32_t state_len;
    int turn; /* which state is the last one's */
    uint8_t state[2][HR_DIGEST_MAX_EXPORT];
};

struct memory {
    struct memory *next;
    uint8_t *bytes;
    size_t len;
    struct connection *connection; /* in its window, which it keeps mapped; NULL: of its own */
};

struct accel_queue {
    struct hr_queue queue;
    uint32_t generation;
    uint32_t num_jobs; /* all of the caller's */
    struct subring ring;
    struct hr_queue *local;
    void *local_memory;
    size_t local_len;
    uint32_t num_local;
    uint32_t num_finished, num_waiting;
    uint32_t looks, submits; /* in vain */
    uint64_t lost_at;        /* by wait_clock; 0: the service is there */
    uint64_t retry_at;       /* for a sub-ring */
    struct pieces pieces;
    struct memory *memory;
    struct hr_job *finished[QUEUE_JOBS + 1];
    struct hr_job *waiting[QUEUE_JOBS + 1]; /* under handles, for the service to come back */
};

/* The queue has no connection any more: what can runs here, the rest waits. */
void recover_lost(struct accel_queue *q, int broken);
/* In a child: nothing is outstanding and nothing is mapped. */
void recover_child(struct accel_queue *q);
/* Gets a connection and a sub-ring if there are any, and hands in what waits for them. */
void recover_connect(struct accel_queue *q, int wait_ms);
/* Hands in what waits for the service, or lets it fail when it waited too long. */
void recover_waiting(struct accel_queue *q);
void queue_here(struct accel_queue *q, struct hr_job *job);
/* Waits a little for the service to come back. */
void recover_pause(struct accel_queue *q);
extern _Atomic uint32_t process_patience; /* ms that a job under a handle waits */
/* ---- pieces.c ---- */

/* Begins a long message, or runs it here. */
int pieces_begin(struct accel_queue *q, struct hr_job *job);
/* A piece has come back: the job, if that was the last one; else the next is on its way. */
struct hr_job *pieces_next(struct accel_queue *q);
/* A job has come back from the ring or from here: it, or the message whose last piece it was, or
 * NULL: there are more pieces. */
static inline struct hr_job *queue_done(struct accel_queue *q, struct hr_job *job)
{
    return UNLIKELY(job == &q->pieces.piece) ? pieces_next(q) : job;
}

#endif
