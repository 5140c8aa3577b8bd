/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that stay in the service.  A caller's handle is a number of this table, because a named key
 * gets another number of the service's when another service opens it.  The table is written under
 * the connection's lock; submits read it without a lock. */
#define _GNU_SOURCE
#include "internal.h"
#include <string.h>
#include <time.h>

enum { MAX_KEYS = 256, WAIT_FIRST = 8000 }; /* milliseconds, as CONNECT_MOST in queue.c */

static struct key {
    _Atomic uint64_t handle; /* 0: free */
    _Atomic uint64_t number; /* the service's number of the key */
    _Atomic uint32_t connection;
    uint32_t generation;
    char name[CONTROL_NAME]; /* "": imported or generated */
} keys[MAX_KEYS];

static struct key *find(uint64_t handle)
{
    const uint32_t index = (uint32_t)handle - 1;
    return handle && index < MAX_KEYS && atomic_load(&keys[index].handle) == handle ? &keys[index]
                                                                                    : NULL;
}

int key_resolve(uint64_t *number, uint64_t handle, const struct connection *c)
{
    struct key *key = find(handle);
    if (!key || atomic_load(&key->connection) != c->id)
        return 0;
    *number = atomic_load(&key->number);
    return 1;
}

int keys_last(const struct hr_job *job)
{
    for (; job; job = job->next) {
        const struct key *key = find(job->handle);
        if (job->key_form == HR_KEY_HANDLE && (!key || !*key->name))
            return 0;
    }
    return 1;
}

void keys_forget(void)
{
    for (size_t i = 0; i < MAX_KEYS; i++)
        atomic_store(&keys[i].handle, 0);
}

/* bind_key stores `connection` last, so that a thread that reads it also reads its number. */
static void bind_key(struct key *key, uint64_t number, const struct connection *c)
{
    atomic_store(&key->connection, 0);
    atomic_store(&key->number, number);
    atomic_store(&key->connection, c->id);
}

void keys_reopen(struct connection *c)
{
    for (size_t i = 0; i < MAX_KEYS; i++) {
        struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_KEY_OPEN };
        struct control_reply reply;
        if (!atomic_load(&keys[i].handle) || !*keys[i].name)
            continue;
        memcpy(request.name, keys[i].name, sizeof request.name);
        if (!connection_exchange(c, &request, &reply, NULL, 0))
            bind_key(&keys[i], reply.handle, c);
    }
}

static int add(uint64_t *handle, uint64_t number, const char *name, const struct connection *c)
{
    for (uint32_t i = 0; i < MAX_KEYS; i++) {
        struct key *key = &keys[i];
        if (atomic_load(&key->handle))
            continue;
        memcpy(key->name, name, sizeof key->name);
        bind_key(key, number, c);
        *handle = (uint64_t)++key->generation << 32 | (i + 1);
        atomic_store(&key->handle, *handle);
        return 0;
    }
    return HR_EBUFFER;
}

static int ask_once(uint64_t *handle, const struct control_request *request, int *connected)
{
    struct control_reply reply;
    struct connection *c = connection_get(WAIT_FIRST);
    if (!c)
        return HR_EGONE;
    *connected = 1;
    connection_lock();
    int error = connection_exchange(c, request, &reply, NULL, 0);
    const int lost = atomic_load(&c->lost) != 0;
    if (!error)
        error = add(handle, reply.handle, request->name, c);
    connection_unlock();
    if (lost)
        connection_lose(c);
    connection_put(c);
    return lost ? HR_EGONE : error;
}

/* ask sends a request about a key.  If the service goes away meanwhile, it repeats the request for
 * as long as jobs wait for a service (patience_ns). */
static int ask(uint64_t *handle, const struct control_request *request)
{
    const uint64_t start = wait_clock();
    const int cancel = cancel_later();
    int connected = 0, error;
    do {
        if (connected)
            nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
        error = ask_once(handle, request, &connected);
    } while (error == HR_EGONE && connected && wait_clock() - start < patience_ns());
    cancel_as_before(cancel);
    return error;
}

int hr_accel_key_import(uint64_t *handle, hr_alg alg, const void *bytes, size_t bytes_len)
{
    struct control_request request = { .magic = CONTROL_MAGIC,
                                       .type = CONTROL_KEY_IMPORT,
                                       .alg = (uint16_t)alg,
                                       .key_len = (uint16_t)bytes_len };
    if (!handle || !bytes)
        return HR_EINVAL;
    if (!hr_algorithm(alg))
        return HR_EALG;
    if (!bytes_len || bytes_len > sizeof request.key)
        return HR_EKEYLEN;
    int error = connection_path(NULL);
    if (error)
        return error;
    memcpy(request.key, bytes, bytes_len);
    error = ask(handle, &request);
    explicit_bzero(&request, sizeof request);
    return error;
}

int hr_accel_key_generate(uint64_t *handle, hr_alg alg, size_t key_len)
{
    const struct control_request request = { .magic = CONTROL_MAGIC,
                                             .type = CONTROL_KEY_GENERATE,
                                             .alg = (uint16_t)alg,
                                             .key_len = (uint16_t)key_len };
    if (!handle)
        return HR_EINVAL;
    if (!hr_algorithm(alg))
        return HR_EALG;
    if (!key_len || key_len > sizeof request.key)
        return HR_EKEYLEN;
    const int error = connection_path(NULL);
    return error ? error : ask(handle, &request);
}

int hr_accel_key_open(uint64_t *handle, const char *name)
{
    struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_KEY_OPEN };
    if (!handle || !name || !*name)
        return HR_EINVAL;
    if (strlen(name) >= sizeof request.name)
        return HR_EHANDLE;
    strcpy(request.name, name);
    const int error = connection_path(NULL);
    return error ? error : ask(handle, &request);
}

void hr_accel_key_close(uint64_t handle)
{
    const int cancel = cancel_later();
    struct connection *c = connection_get(0);
    connection_lock();
    struct key *key = find(handle);
    if (key) {
        struct control_request request = { .magic = CONTROL_MAGIC,
                                           .type = CONTROL_KEY_CLOSE,
                                           .handle = atomic_load(&key->number) };
        struct control_reply reply;
        atomic_store(&key->handle, 0);
        if (c && atomic_load(&key->connection) == c->id)
            (void)connection_exchange(c, &request, &reply, NULL, 0);
    }
    connection_unlock();
    if (c)
        connection_put(c);
    cancel_as_before(cancel);
}
