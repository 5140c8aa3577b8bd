/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that stay in the service.  A caller's handle is a number of this table, because a named key
 * gets another number of the service's when another service opens it.  The table is written under
 * the connection's lock; submits read it without a lock. */
#define _GNU_SOURCE
#include "../public_key.h"
#include "internal.h"
#include "key_list.h"
#include <headrace/algorithms.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_KEYS = 256, WAIT_FIRST = 8000 }; /* milliseconds, as CONNECT_MOST in queue.c */
enum { AGAIN_MOST = 16 }; /* times that a key is opened again before a job under it succeeds */

/* struct public_key identifies the one key for which a handle stands.  `print` is the SHA-256 of
 * its public key. */
struct public_key {
    uint64_t
        row_and_len; /* the row, and the length of its results, from bit 16 on; 0: no public key */
    uint8_t print[32];
};

static struct key {
    _Atomic uint64_t handle; /* 0: free */
    _Atomic uint64_t number; /* the service's number of the key */
    _Atomic uint32_t connection;
    uint32_t generation;
    char name[CONTROL_NAME];      /* "": imported or generated */
    _Atomic uint64_t row_and_len; /* as public.row_and_len */
    struct public_key public;
    _Atomic uint32_t agains; /* see AGAIN_MOST */
} keys[MAX_KEYS];

static struct key *find(uint64_t handle)
{
    const uint32_t index = (uint32_t)handle - 1;
    return handle && index < MAX_KEYS && atomic_load(&keys[index].handle) == handle ? &keys[index]
                                                                                    : NULL;
}

/* resolve finds the service's number of a key, and what the key is.  Another thread may close the
 * handle meanwhile, and give its place to another key: so the handle is looked at last. */
static int resolve(uint64_t *number, uint64_t *row_and_len, uint64_t handle,
                   const struct connection *c)
{
    struct key *key = find(handle);
    if (!key || atomic_load(&key->connection) != c->id)
        return 0;
    *number = atomic_load(&key->number);
    *row_and_len = atomic_load(&key->row_and_len);
    return atomic_load(&key->handle) == handle;
}

int key_resolve(uint64_t *number, uint64_t handle, const struct connection *c)
{
    uint64_t row_and_len;
    return resolve(number, &row_and_len, handle, c) && !row_and_len;
}

int keys_last(const struct hr_job *job)
{
    for (; job; job = job->next) {
        const struct key *key = find(job->handle);
        if (job->key_form == HR_KEY_HANDLE &&
            (!key || !*key->name || (atomic_load(&key->row_and_len) && !is_named(job))))
            return 0;
    }
    return 1;
}

/* A child keeps the handles of public key, which it opens under its own connection. */
void keys_forget(void)
{
    for (size_t i = 0; i < MAX_KEYS; i++)
        if (!atomic_load(&keys[i].row_and_len))
            atomic_store(&keys[i].handle, 0);
}

int key_facts(struct lent_facts *facts, uint64_t *number, const struct hr_job *job,
              const struct connection *c)
{
    uint64_t row_and_len;
    if (!resolve(number, &row_and_len, job->handle, c) || !row_and_len)
        return 0;
    memset(facts, 0, sizeof *facts);
    facts->alg = (uint16_t)row_and_len;
    facts->result_len = (uint32_t)(row_and_len >> 16);
    return 1;
}

void key_forgotten(const struct hr_job *job, uint64_t number, const struct connection *c)
{
    connection_lock();
    struct key *key = find(job->handle);
    if (key && atomic_load(&key->connection) == c->id && atomic_load(&key->number) == number)
        atomic_store(&key->connection, 0);
    connection_unlock();
}

void key_works(const struct hr_job *job)
{
    struct key *key = find(job->handle);
    if (key && UNLIKELY(atomic_load_explicit(&key->agains, memory_order_relaxed)))
        atomic_store(&key->agains, 0);
}

/* bind_key stores `connection` last, so that a thread that reads it also reads its number. */
static void bind_key(struct key *key, uint64_t number, const struct connection *c)
{
    atomic_store(&key->connection, 0);
    atomic_store(&key->number, number);
    atomic_store(&key->connection, c->id);
}

/* ---- opening ---- */

/* take_public checks the answer about a key of public key.  Returns 0 or HR_EGONE. */
static int take_public(struct public_key *out, const struct control_reply *reply,
                       const struct control_public *public)
{
    const size_t head = offsetof(struct control_public, spki);
    const struct hr_algorithm *row = hr_algorithm(reply->alg);
    if (!row || !hr_class_of(row)->pk[0].word || reply->more < head ||
        public->spki_len != reply->more - head || public->spki_len > sizeof public->spki ||
        !public->result_len || public->result_len > PK_RESULT)
        return HR_EGONE;
    *out = (struct public_key){ .row_and_len = reply->alg | (uint64_t) public->result_len << 16 };
    return hr_digest(out->print, HR_SHA256, public->spki, public->spki_len);
}

/* open_key asks for a named key, with the ring for public keys if it is one of those. */
static int open_key(struct connection *c, const struct control_request *request,
                    struct control_reply *reply, struct public_key *public)
{
    struct control_public more;
    memset(public, 0, sizeof *public);
    int error = connection_exchange(c, request, reply, &more, sizeof more);
    if (error == HR_ESTATE && request->type == CONTROL_KEY_OPEN)
        error = unit_connect(c)         ? connection_exchange(c, request, reply, &more, sizeof more)
                : atomic_load(&c->lost) ? HR_EGONE
                                        : c->unit_error;
    if (!error && reply->more)
        error = take_public(public, reply, &more);
    if (error == HR_EGONE)
        atomic_store(&c->lost, 1);
    return error;
}

static void close_number(struct connection *c, uint64_t number, int is_public)
{
    struct control_request request = { .magic = CONTROL_MAGIC, .handle = number };
    struct control_reply reply;
    request.type = is_public ? CONTROL_KEY_TAKE_BACK : CONTROL_KEY_CLOSE;
    (void)connection_exchange(c, &request, &reply, NULL, 0);
}

/* open_again opens a key by its name.  Returns 0, HR_EHANDLE if the name is another public key now,
 * or an error. */
static int open_again(struct key *key, struct connection *c)
{
    struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_KEY_OPEN };
    struct control_reply reply;
    struct public_key public;
    memcpy(request.name, key->name, sizeof request.name);
    const int error = open_key(c, &request, &reply, &public);
    if (error)
        return error;
    if (public.row_and_len == key->public.row_and_len &&
        !memcmp(public.print, key->public.print, sizeof public.print)) {
        bind_key(key, reply.handle, c);
        return 0;
    }
    close_number(c, reply.handle, public.row_and_len != 0);
    return HR_EHANDLE;
}

void keys_reopen(struct connection *c)
{
    for (size_t i = 0; i < MAX_KEYS; i++)
        if (atomic_load(&keys[i].handle) && *keys[i].name)
            (void)open_again(&keys[i], c);
}

int key_again(const struct hr_job *job, struct connection *c)
{
    int error = HR_EHANDLE;
    connection_lock();
    struct key *key = find(job->handle);
    if (key && key->public.row_and_len && atomic_load(&key->connection) == c->id)
        error = 0;
    else if (key && key->public.row_and_len && atomic_fetch_add(&key->agains, 1) < AGAIN_MOST)
        error = open_again(key, c);
    connection_unlock();
    return error;
}

static int add(uint64_t *handle, uint64_t number, const char *name, const struct public_key *public,
               const struct connection *c)
{
    for (uint32_t i = 0; i < MAX_KEYS; i++) {
        struct key *key = &keys[i];
        if (atomic_load(&key->handle))
            continue;
        memcpy(key->name, name, sizeof key->name);
        key->public = *public;
        atomic_store(&key->row_and_len, public->row_and_len);
        atomic_store(&key->agains, 0);
        bind_key(key, number, c);
        *handle = (uint64_t)++key->generation << 32 | (i + 1);
        atomic_store(&key->handle, *handle);
        return 0;
    }
    return HR_EBUFFER;
}

/* A question about keys, and what its answer is for: a handle, a copy of the public key, or the
 * list. */
struct question {
    struct control_request request;
    uint64_t *handle;
    struct control_public *public;
    struct key_list *list;
};

static int exchange(struct question *q, struct connection *c)
{
    struct control_reply reply;
    struct public_key public;
    if (q->list)
        return key_list_ask(q->list, c);
    if (!q->handle) {
        const int error = connection_exchange(c, &q->request, &reply, q->public, sizeof *q->public);
        return error ? error : take_public(&public, &reply, q->public);
    }
    int error = open_key(c, &q->request, &reply, &public);
    if (!error && (error = add(q->handle, reply.handle, q->request.name, &public, c)) != 0)
        close_number(c, reply.handle, public.row_and_len != 0);
    return error;
}

/* list_wait returns for how many milliseconds the list waits for a service that does not answer. */
static int list_wait(void)
{
    const uint64_t patience = patience_ns() / 1000000;
    return patience < WAIT_FIRST ? (int)patience : WAIT_FIRST;
}

static int ask_once(struct question *q, int *connected)
{
    struct connection *c = connection_get(q->list ? list_wait() : WAIT_FIRST);
    if (!c)
        return HR_EGONE;
    *connected = 1;
    connection_lock();
    const int error = exchange(q, c);
    const int lost = atomic_load(&c->lost) != 0;
    connection_unlock();
    if (lost)
        connection_lose(c);
    connection_put(c);
    return lost ? HR_EGONE : error;
}

/* ask sends a request about a key.  If the service goes away meanwhile, it repeats the request for
 * as long as jobs wait for a service (patience_ns); so it does if there is no service yet, and the
 * key is a named one. */
static int ask(struct question *q)
{
    int error = connection_path(NULL);
    if (error)
        return error;
    const uint64_t start = wait_clock();
    const int cancel = cancel_later();
    int waits = *q->request.name && !connection_is_off(), asked = 0;
    do {
        if (asked++)
            nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
        error = ask_once(q, &waits);
    } while (error == HR_EGONE && waits && wait_clock() - start < patience_ns());
    cancel_as_before(cancel);
    return error;
}

int hr_accel_key_import(uint64_t *handle, hr_alg alg, const void *bytes, size_t bytes_len)
{
    struct question q = { .request = { .magic = CONTROL_MAGIC,
                                       .type = CONTROL_KEY_IMPORT,
                                       .alg = (uint16_t)alg,
                                       .key_len = (uint16_t)bytes_len },
                          .handle = handle };
    if (!handle || !bytes)
        return HR_EINVAL;
    if (!hr_algorithm(alg))
        return HR_EALG;
    if (!bytes_len || bytes_len > sizeof q.request.key)
        return HR_EKEYLEN;
    memcpy(q.request.key, bytes, bytes_len);
    const int error = ask(&q);
    explicit_bzero(&q, sizeof q);
    return error;
}

int hr_accel_key_generate(uint64_t *handle, hr_alg alg, size_t key_len)
{
    struct question q = { .request = { .magic = CONTROL_MAGIC,
                                       .type = CONTROL_KEY_GENERATE,
                                       .alg = (uint16_t)alg,
                                       .key_len = (uint16_t)key_len },
                          .handle = handle };
    if (!handle)
        return HR_EINVAL;
    if (!hr_algorithm(alg))
        return HR_EALG;
    if (!key_len || key_len > sizeof q.request.key)
        return HR_EKEYLEN;
    return ask(&q);
}

static int ask_by_name(struct question *q, const char *name)
{
    q->request.magic = CONTROL_MAGIC;
    if (!name || !*name)
        return HR_EINVAL;
    if (strlen(name) >= sizeof q->request.name)
        return HR_EHANDLE;
    strcpy(q->request.name, name);
    return ask(q);
}

int hr_accel_key_open(uint64_t *handle, const char *name)
{
    struct question q = { .request.type = CONTROL_KEY_OPEN, .handle = handle };
    return handle ? ask_by_name(&q, name) : HR_EINVAL;
}

int hr_accel_key_public(const char *name, uint8_t *spki, size_t *len)
{
    struct control_public public;
    struct question q = { .request.type = CONTROL_KEY_PUBLIC, .public = &public };
    if (!spki || !len)
        return HR_EINVAL;
    const int error = ask_by_name(&q, name);
    if (error)
        return error;
    if (*len < public.spki_len)
        return HR_EBUFFER;
    memcpy(spki, public.spki, public.spki_len);
    *len = public.spki_len;
    return 0;
}

int hr_accel_key_list(hr_accel_key_each *each, void *arg)
{
    if (!each)
        return HR_EINVAL;
    struct question q = { .list = malloc(sizeof *q.list) };
    if (!q.list)
        return HR_ESYSTEM;
    int error = ask(&q);
    for (size_t i = 0; !error && i < q.list->num; i++)
        error = each(arg, &q.list->at[i]);
    free(q.list);
    return error;
}

void hr_accel_key_close(uint64_t handle)
{
    const int cancel = cancel_later();
    struct connection *c = connection_get(0);
    connection_lock();
    struct key *key = find(handle);
    if (key) {
        atomic_store(&key->handle, 0);
        if (c && atomic_load(&key->connection) == c->id)
            close_number(c, atomic_load(&key->number), key->public.row_and_len != 0);
    }
    connection_unlock();
    if (c)
        connection_put(c);
    cancel_as_before(cancel);
}
