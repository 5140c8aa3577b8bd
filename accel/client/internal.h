/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for all files of libheadrace-accel.  A queue belongs to one thread.  The queues of a
 * process share its connections (connection.c) and its keys (keys.c). */
#ifndef HR_CLIENT_INTERNAL_H
#define HR_CLIENT_INTERNAL_H

#include "../control.h"
#include "../crossover.h"
#include "../ticks.h"
#include "form.h"
#include "unit_pace.h"
#include <headrace/classes.h>
#include <pthread.h>
#include <stdbool.h>

/* QUEUE_JOBS: jobs of a queue, wherever they are: on the ring, in its local queue, or waiting. */
enum { QUEUE_JOBS = 256, QUEUE_LOCAL = QUEUE_JOBS + 8 };
#define NOWHERE UINT32_MAX /* no offset in a window */

/* job_len returns the number of bytes of a job's data. */
static inline size_t job_len(const struct hr_job *job)
{
    size_t len = job->num_segments ? 0 : job->len;
    for (size_t i = 0; job->segments && i < job->num_segments; i++)
        len += job->segments[i].len;
    return len;
}

/* ---- descriptor.c: a descriptor, and whether its number is still its own ---- */

/* Programs that become daemons close all descriptors, and their next file gets the number.  So
 * device and inode identify the file. */
struct descriptor {
    int fd; /* -1: none */
    uint64_t device, inode;
};

int descriptor_note(struct descriptor *d, int fd); /* 0 or HR_ESYSTEM */
int descriptor_is_ours(const struct descriptor *d);
void descriptor_close(struct descriptor *d);

/* Between cancel_later and cancel_as_before the thread is not cancelled (pthread_cancel(3)): jobs
 * may lie on its stack, and the next poll would write to them; other threads wait for its locks. */
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

/* is_result tells whether a number from the service is a result that a call could return. */
static inline int is_result(int32_t result)
{
    return result <= 0 && result >= HR_ESYSTEM && result != HR_EPENDING;
}

/* ---- connection.c: this process and the service ---- */

struct connection {
    struct connection *older; /* of this process's list */
    uint32_t id;              /* unique in this process */
    uint32_t references;      /* by queues, their memory, and `current` of connection.c */
    _Atomic uint32_t lost;    /* a thread noticed that the service went away */
    struct descriptor socket, doorbell;
    struct ring_geometry geometry;
    uint32_t spread;                                          /* accelerators that serve the ring */
    void *requests;                                           /* mapped for writing */
    const void *completions;                                  /* read only */
    _Atomic uint64_t claimed;                                 /* bit i: a queue has sub-ring i */
    uint32_t next[RING_MAX_RINGS], completed[RING_MAX_RINGS]; /* of sub-rings that no queue has */
    struct crossover *crossover;                              /* NULL: all jobs go to the service */
    /* The ring for public keys, or NULL; why the service made none, and when to ask again, by
     * wait_clock; this is that ring, and its socket is that of the connection which it belongs to.
     */
    struct connection *_Atomic unit;
    int32_t unit_error; /* 0: it was not asked */
    uint64_t unit_again;
    uint8_t is_unit;
};

/* connection_generation grows in a forked child.  Queues of another generation are the parent's. */
extern uint32_t connection_generation;

/* connection_path chooses the service by its socket.  Returns 0, or HR_EINVAL if the path is too
 * long or the process uses another service already. */
int connection_path(const char *path);
int connection_is_off(void); /* no service is used: HEADRACE_ACCEL=off */
/* connection_get returns a reference to the current connection, or NULL.  If there is none, it
 * tries to make one: if wait_ms is not 0, at once and for up to that time; else only if it is time
 * to try again. */
struct connection *connection_get(int wait_ms);
void connection_keep(struct connection *c);
void connection_put(struct connection *c);
/* connection_lose notes that the service is gone.  The maps stay until the last reference is given
 * back. */
void connection_lose(struct connection *c);
/* bind.c: the accelerator that the process wants.  bind_ask asks for it; with the lock. */
void bind_init(void);
int bind_ask(struct connection *c);
/* connection_lock takes the process's lock for messages, `slow` of connection.c.  A forked child
 * finds it unlocked. */
void connection_lock(void);
void connection_unlock(void);
/* connection_exchange sends a message and reads the reply and up to max bytes after it.  The caller
 * holds the lock.  Returns the reply's result, or HR_EGONE; then the connection is lost. */
int connection_exchange(struct connection *c, const struct control_request *request,
                        struct control_reply *reply, void *more, size_t max);
/* connection_exchange_long does the same for a request that `len` bytes follow in memory. */
int connection_exchange_long(struct connection *c, const struct control_request *request,
                             size_t len, struct control_reply *reply, void *more, size_t max);

static inline const struct ring_service_words *service_words(const struct connection *c)
{
    return c->completions;
}
static inline struct ring_client_words *client_words(const struct connection *c)
{
    return c->requests;
}
/* connection_live tells whether the ring is still in use, without a system call.  Only
 * connection_hung_up notices a kill -9. */
static inline int connection_live(const struct connection *c)
{
    struct ring_service_words *words = (struct ring_service_words *)c->completions;
    return atomic_load_explicit(&words->state, memory_order_relaxed) == RING_LIVE &&
           !atomic_load_explicit(&c->lost, memory_order_relaxed);
}
int connection_hung_up(const struct connection *c);

/* ---- dial.c: making a connection ---- */

/* dial_begin connects and asks to attach, without waiting.  Returns 0, HR_EINVAL, HR_EGONE or
 * HR_ESYSTEM. */
int dial_begin(struct descriptor *socket, const char *path);
/* dial_finish waits up to wait_ms for the answer and maps the ring.  Returns 0, HR_EPENDING, or
 * another error; unless it is 0, the socket still belongs to the caller. */
int dial_finish(struct connection *c, const struct descriptor *socket, int wait_ms);
void dial_unmap(struct connection *c);
/* dial_unit asks the service of c for the ring for public keys, and maps it.  Returns 0, or what
 * the service says, or HR_EPENDING or HR_EGONE if it says nothing that is right. */
int dial_unit(struct connection *unit, const struct connection *c, int wait_ms);
/* dial_answer waits up to wait_ms for a reply and the reply->more bytes, at most max, after it.
 * Returns 0, HR_EPENDING, or another error. */
int dial_answer(int socket, struct control_reply *reply, void *more, size_t max, int wait_ms);

/* ---- window.c: a sub-ring's memory for payloads ---- */

struct window {
    uint8_t *base;
    uint64_t *used;          /* bit i: unit i is in use */
    uint32_t num_units, low; /* no unit below `low` is free */
    uint32_t dirty;          /* no byte from this offset on was ever used */
};

int window_open(struct window *w, uint8_t *base, size_t len); /* 0 or HR_ESYSTEM */
void window_close(struct window *w);
/* window_take allocates len bytes and returns their offset, a multiple of 64, or NOWHERE. */
uint32_t window_take(struct window *w, size_t len);
void window_give(struct window *w, uint32_t at, size_t len);
/* window_offset returns the offset of these bytes if they lie in the window, else NOWHERE. */
uint32_t window_offset(const struct window *w, const void *bytes, size_t len);
size_t window_len(const struct window *w);

/* ---- encode.c, chain.c: from a job to a request ---- */

/* A request that was submitted: its jobs, and the lengths and places of their outputs. */
struct pending {
    struct hr_job *job; /* NULL: none */
    uint32_t number;
    uint32_t block, block_len; /* its part of the window */
    uint32_t state;            /* where an exported state will be, or NOWHERE */
    struct lent_pace *pace;    /* of the unit for public keys, with `begun`, in ticks */
    uint64_t begun;            /* 0: not measured */
    uint64_t key;              /* the service's number of its key, in the unit */
    uint8_t far, handle;       /* handle: as in struct form */
    uint8_t inline_len;        /* bytes of output in the completion */
    uint8_t tag_len[RING_MAX_CHAIN];
    struct outputs {
        uint32_t out, tag; /* in the window; NOWHERE: in the caller's memory already, or inline */
    } at[RING_MAX_CHAIN];
};

/* copy_bytes is fast for 16 and 32 bytes, the usual lengths of keys, IVs, blocks and tags. */
static inline void copy_bytes(uint8_t *to, const void *from, size_t len)
{
    if (LIKELY(len == 16))
        memcpy(to, from, 16);
    else if (len == 32)
        memcpy(to, from, 32);
    else if (len)
        memcpy(to, from, len);
}

enum encoded {
    ENCODED,
    ENCODED_FULL, /* no room now: try later */
    ENCODED_WAIT, /* it has to wait for the service (recover_waiting) */
    ENCODED_HERE  /* run it in the local queue */
};

/* The places of a request's parts; NOWHERE: none. */
struct places {
    uint32_t in, out, aad, key, iv, tag, state_in, state_out, next, more;
    const struct ring_part *parts;
};
/* encode_request writes a request except its seq.  If `base`, the window's start, is not NULL, it
 * also writes the request's struct ring_more. */
void encode_request(struct ring_request *r, const struct form *f, const struct places *at,
                    uint8_t *base);

struct subring;
enum encoded chain_encode(struct subring *s, struct ring_request *r, struct pending *p);

/* ---- subring.c, encode.c, decode.c ---- */

enum { AHEAD = 4 }; /* slots by which a prefetch is ahead */

struct subring {
    struct connection *connection; /* NULL: none */
    uint32_t ring, next, completed;
    struct ring_request *requests;
    struct ring_completion *completions; /* read only */
    struct window window;
    struct shape shape; /* of the last job */
    struct form form;   /* of the last job that was not inline, or not like the one before */
    struct pending pending[RING_DEPTH];
    uint32_t kept;          /* of the host: which of the last sub-rings it gets; 0: any other */
    uint32_t waited;        /* the thread has waited since the last request of the unit */
    uint32_t bell;          /* bits of `asleep` for which the doorbell is rung; 0: any */
    uint64_t patience;      /* ns for which a wait looks before it sleeps; 0: SPIN of wait.c */
    uint32_t is_long;       /* of the unit, for operations that take longer than any look */
    uint32_t vain;          /* consecutive waits longer than SURE of wait.c */
    uint32_t computes;      /* consecutive yields longer than COMPUTES of wait.c, HOLDS at most */
    uint64_t away, yielded; /* ticks: how long the last yield took, and when it ended */
};

/* subring_claim takes a free sub-ring and the reference to c.  Returns 0, or HR_EBUFFER or
 * HR_ESYSTEM; then the reference still belongs to the caller. */
int subring_claim(struct subring *s, struct connection *c);
/* subring_release gives back the sub-ring and its reference.  No request is outstanding, unless the
 * service is gone.  `wipe`: it wipes the window, in which nothing is in use. */
void subring_release(struct subring *s, int wipe);
/* encode_job writes a job as the next request.  If it returns ENCODED_HERE, s->form is the form of
 * the job. */
enum encoded encode_job(struct subring *s, struct hr_job *job);
/* subring_bell wakes the service if it sleeps.  It is called after one or several submits. */
void subring_bell(struct subring *s);
enum taken {
    TAKEN_NONE,
    TAKEN_DONE,
    TAKEN_HERE,  /* the service refused the job: run it in the local queue */
    TAKEN_BROKEN /* *job is not set: the completion is invalid */
};
/* decode_completion takes the next completion and completes *job. */
enum taken decode_completion(struct subring *s, struct hr_job **job);
static inline uint32_t subring_outstanding(const struct subring *s)
{
    return s->next - s->completed;
}
static inline int subring_ready(const struct subring *s)
{
    return ring_look(&s->completions[s->completed % RING_DEPTH].seq) == s->completed + 1;
}

/* ---- wait.c ---- */

/* wait_ticks returns how many ticks() take so many nanoseconds. */
uint64_t wait_ticks(uint64_t ns);
/* wait_for_completion returns 1 when a completion is there, or 0 when it is time to check whether
 * the service still is.  `round` counts the calls of one wait. */
int wait_for_completion(struct subring *s, unsigned round);
/* wait_for_any does the same for several sub-rings. */
int wait_for_any(struct subring *const *s, int num);
void wait_init(void);      /* once a process */
uint64_t wait_clock(void); /* nanoseconds, cheap and coarse */

/* ---- keys.c ---- */

/* key_resolve finds the service's number, under this connection, for a handle of this process.
 * Returns 1, or 0 if there is none, or if the key was lost with an earlier service. */
int key_resolve(uint64_t *number, uint64_t handle, const struct connection *c);
/* is_named tells whether a job of public key is under a handle: the service alone has its key. */
static inline int is_named(const struct hr_job *job)
{
    return job->key_form == HR_KEY_HANDLE && hr_class_info(job->alg >> 8)->pk[0].word;
}
struct lent_facts;
/* key_facts is lent_resolve for a job that is_named: it copies the facts, and returns 1, or 0. */
int key_facts(struct lent_facts *facts, uint64_t *number, const struct hr_job *job,
              const struct connection *c);
/* key_again opens the key of a job that is_named again, which this service does not know under its
 * number: its file may have changed.  Returns 0; HR_EGONE: the connection is lost; or why it may
 * not be used any more. */
int key_again(const struct hr_job *job, struct connection *c);
/* key_forgotten notes that the service does not know the number of a job's key. */
void key_forgotten(const struct hr_job *job, uint64_t number, const struct connection *c);
/* key_works notes that the service used a job's key. */
void key_works(const struct hr_job *job);
/* keys_last tells whether all handles of a job are of named keys, which can be opened again. */
int keys_last(const struct hr_job *job);
/* keys_reopen opens named keys under a new connection.  connection.c calls it under its lock. */
void keys_reopen(struct connection *c);
void keys_forget(void); /* in a forked child */

/* ---- lent.c, unit.c, unit_job.c: public keys ---- */

/* struct lent_facts holds what the client knows of a key that it lent. */
struct lent_facts {
    uint16_t alg;
    uint8_t is_slow;                 /* its public operation may take as long as its private one */
    uint32_t result_len, cipher_len; /* as those of struct lent_made in the service */
    struct lent_pace paces[4];       /* by operation */
};

enum { SHORT_PATIENCE = 60000 }; /* ns: most short operations are done then */

/* is_lent tells whether a job is for the unit: its key was lent, or stays in the service. */
static inline int is_lent(const struct hr_job *job)
{
    return (job->key_form == HR_KEY_OBJECT && job->handle) || is_named(job);
}
/* lent_resolve finds the service's number, under this connection, of a job's key.  Returns NULL if
 * this service does not have the key. */
struct lent_facts *lent_resolve(uint64_t *number, const struct hr_job *job,
                                const struct connection *c);
/* lent_offered finds a key that is offered for hr_accel_try, and returns its facts, or NULL. */
struct lent_facts *lent_offered(const struct hr_rsa_key **key, uint64_t handle);
/* lent_again lends all keys to a new service.  connection.c calls it under its lock. */
void lent_again(struct connection *c);
/* unit_connect makes the ring for public keys, if there is none yet, under the connection's lock.
 * Returns 1 if there is one. */
int unit_connect(struct connection *c);

struct accel_queue;
/* unit_encode writes a job as a request, and sets a bit of *rung, for unit_bell. */
enum encoded unit_encode(struct accel_queue *q, struct hr_job *job, int *rung);
enum encoded unit_encode_job(struct subring *s, struct hr_job *job, uint64_t number,
                             const struct lent_facts *facts);
/* unit_decode is decode_completion for a sub-ring of the unit. */
enum taken unit_decode(struct subring *s, struct hr_job **job);
void unit_bell(struct accel_queue *q, int rung);
uint32_t unit_outstanding(const struct accel_queue *q);
/* unit_wait is wait_for_completion for a queue that uses the unit. */
int unit_wait(struct accel_queue *q, unsigned round);
/* unit_lose lets the jobs that the unit has run in this process, as recover_lost does. */
void unit_lose(struct accel_queue *q, int broken);
void unit_forget(struct accel_queue *q); /* in a forked child */
void unit_release(struct accel_queue *q);
/* unit_make_room gives the queue's idle sub-rings of the unit back if few are left: a thread that
 * has signed once may never do so again. */
void unit_make_room(struct accel_queue *q);

/* ---- slow.c: whether the service is slower than this process ---- */

enum slow_state {
    SLOW_WATCH,  /* jobs go to the service; some are watched */
    SLOW_THEIRS, /* the service is measured */
    SLOW_HERE,   /* this process is measured: jobs are computed here, but those under handles */
    SLOW_AWAY    /* the same, for a pause */
};

struct slow {
    enum slow_state state;
    int64_t left;     /* jobs until slow_submit is called */
    bool is_watching; /* the request with this number */
    uint32_t number;
    uint64_t begun, missed; /* ticks: when it was submitted, and looked for in vain the last time;
                             * 0: never */
    uint32_t late, on_time; /* watched jobs; while none is measured, since one was on time */
    uint32_t submits;       /* since a measurement was wanted */
    uint64_t since;         /* ticks: when the measurement began; 0: it has not */
    uint64_t jobs, bytes;   /* submitted since then; with what a job takes besides its bytes */
    uint64_t took;          /* ticks: the last measurement */
    double theirs;          /* ticks for a byte, with the service, */
    bool was_late;          /* and whether most of the jobs watched then were late */
    uint64_t until;         /* when the pause ends, by wait_clock */
    uint32_t pauses;        /* consecutive ones, as far as they grow */
    bool is_counted;        /* as away, in the words for the service */
};

struct accel_queue;
/* slow_submit decides before a submit where jobs are computed: q->slow.state tells it then. */
void slow_submit(struct accel_queue *q, struct hr_job *const *jobs, size_t num_jobs);
/* slow_look notes that the queue looked for completions, while it watched a job. */
void slow_look(struct accel_queue *q);
/* slow_end lets a queue's jobs go to the service again, if there is one. */
void slow_end(struct accel_queue *q);

/* ---- queue.c, recover.c: queues ---- */

struct accel_queue;
/* queue_own returns this thread's queue for single jobs, which waits for a service when it is made,
 * or does not.  NULL: no memory. */
struct accel_queue *queue_own(int wait_ms);

/* A message longer than the window, which is sent in pieces, one at a time. */
struct pieces {
    struct hr_job *job; /* NULL: none */
    struct hr_job piece;
    size_t done;
    uint32_t state_len;
    int turn; /* the last piece wrote state[turn] */
    uint8_t state[2][HR_DIGEST_MAX_EXPORT];
};

struct memory {
    struct memory *next;
    uint8_t *bytes;
    size_t len;
    struct connection *connection; /* whose window has the bytes; NULL: aligned_alloc made them */
};

struct accel_queue {
    struct hr_queue queue;
    uint32_t generation;
    uint32_t num_jobs; /* all jobs that the caller submitted and has not got back */
    struct subring ring;
    struct subring unit[2]; /* for short and for long operations of public key, see unit.c */
    struct hr_queue *local;
    void *local_memory;
    size_t local_len;
    uint32_t num_local;
    uint32_t num_finished, num_waiting;
    uint32_t looks, submits; /* polls without a result; submits without a service */
    uint64_t lost_at;        /* when the service was lost, by wait_clock; 0: it is there */
    uint64_t retry_at;       /* when to try again to get a sub-ring */
    uint64_t crowded_at;     /* since when a job waits for a sub-ring of the unit; 0: none does */
    uint64_t late_at;        /* when the service counts as lost if a job is not done; 0: never */
    struct slow slow;
    struct pieces pieces;
    struct memory *memory;
    /* share.c: no sub-ring was left for the queue; it is a guest; it is the host */
    uint8_t is_crowded_out, is_counted, is_host;
    uint32_t num_shared; /* jobs that the host has, or has finished */
    _Atomic uint32_t num_returned, bell;
    struct accel_queue *next_follower;
    struct hr_job *returned[QUEUE_JOBS + 1];
    struct hr_job *finished[QUEUE_JOBS + 1];
    struct hr_job *waiting[QUEUE_JOBS + 1]; /* jobs under handles, until the service comes back */
};

static inline int unit_is_used(const struct accel_queue *q)
{
    return q->unit[0].connection || q->unit[1].connection;
}

/* recover_lost handles the loss of the queue's connection: jobs that can run in this process do,
 * and the others wait.  `broken`: further completions are not believed. */
void recover_lost(struct accel_queue *q, int broken);
/* recover_child resets a queue in a forked child: no job is outstanding, no ring is mapped. */
void recover_child(struct accel_queue *q);
/* recover_connect gets a connection and a sub-ring if there are any, then calls recover_waiting. */
void recover_connect(struct accel_queue *q, int wait_ms);
/* recover_waiting submits the jobs that wait for the service, or lets them fail with HR_EGONE if
 * they waited too long. */
void recover_waiting(struct accel_queue *q);
void recover_here(struct accel_queue *q, struct hr_job *job);
/* recover_unsent does the same with a job that encode_job has just left to this process.  If its
 * key is a handle and it is too long for the window, it fails with HR_ELENGTH: here nobody has the
 * key. */
void recover_unsent(struct accel_queue *q, struct hr_job *job);
/* recover_lent runs a job of the unit in this process or, if it is_named, lets it wait. */
void recover_lent(struct accel_queue *q, struct hr_job *job);
/* recover_wait lets a job wait for the service. */
void recover_wait(struct accel_queue *q, struct hr_job *job);
/* recover_is_cut_off tells whether a job could not be encoded because the service went away before
 * it opened a named key again: the next service will. */
int recover_is_cut_off(const struct accel_queue *q, const struct hr_job *job);
/* recover_pause waits 2 ms for the service to come back. */
void recover_pause(struct accel_queue *q);

/* ---- patience.c ---- */

/* patience_ns returns how long a job under a handle waits for a service to come back. */
uint64_t patience_ns(void);

/* ---- pieces.c ---- */

/* pieces_begin begins a long message, whose form is q->ring.form.  Returns 1, or 0 if the job
 * cannot be sent in pieces. */
int pieces_begin(struct accel_queue *q, struct hr_job *job);
/* pieces_next goes on after a piece.  Returns the job if that was its last piece; else it starts
 * the next piece and returns NULL. */
struct hr_job *pieces_next(struct accel_queue *q);
/* pieces_done returns a job that came back from the ring or the local queue.  For a piece it
 * returns the result of pieces_next. */
static inline struct hr_job *pieces_done(struct accel_queue *q, struct hr_job *job)
{
    return UNLIKELY(job == &q->pieces.piece) ? pieces_next(q) : job;
}

#endif
