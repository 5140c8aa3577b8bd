/* SPDX-License-Identifier: Apache-2.0 */
/* The named keys that this process may use, and their handles. */
#include "../slot.h"
#include "accel.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_KEYS = 128, FRESH = 1, SLOW = 2, PAUSE = 30 /* seconds */ };

struct accel {
    pthread_mutex_t lock; /* of the list, and of refreshes */
    struct accel_named *first;
    _Atomic bool is_there;
    _Atomic time_t asked;
    time_t not_before; /* under the lock: after a service that took long and did not answer */
};

RV accel_begin(struct module *m)
{
    struct accel *a = secret_new(m, sizeof *a);
    if (!a || pthread_mutex_init(&a->lock, NULL))
        return CKR_HOST_MEMORY;
    m->accel = a;
    return CKR_OK;
}

void accel_end(struct module *m)
{
    const struct client *client = m->accel->first ? client_get() : NULL;
    for (struct accel_named *n = m->accel->first; client && n; n = n->next)
        if (atomic_load(&n->handle))
            client->hr_accel_key_close(atomic_load(&n->handle));
}

bool accel_is_public(hr_alg alg)
{
    return hr_class_of(hr_algorithm(alg))->pk[0].word != HR_WORD_NONE;
}

/* ---- the list ---- */

/* One key, as the service has described it. */
struct told {
    struct hr_accel_key key;
    uint8_t print[ACCEL_PRINT];
    size_t spki_len;
    uint8_t spki[ACCEL_SPKI];
};
struct list {
    size_t num;
    struct told at[MOST_KEYS];
};

static int take_one(void *arg, const struct hr_accel_key *key)
{
    struct list *list = arg;
    if (list->num < MOST_KEYS)
        list->at[list->num++] = (struct told){ .key = *key };
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct told *)a)->key.name, ((const struct told *)b)->key.name);
}

/* ask fills in the list.  A key that is gone meanwhile has no public key, and is left out. */
static int ask(const struct client *client, struct list *list)
{
    size_t kept = 0;
    const int error = client->hr_accel_key_list(take_one, list);
    for (size_t i = 0; i < list->num && !error; i++) {
        struct told *t = &list->at[i];
        t->spki_len = sizeof t->spki;
        if (!accel_is_public(t->key.alg))
            t->spki_len = 0;
        else if (client->hr_accel_key_public(t->key.name, t->spki, &t->spki_len) ||
                 hr_digest(t->print, HR_SHA256, t->spki, t->spki_len))
            continue;
        if (kept != i)
            list->at[kept] = *t;
        kept++;
    }
    list->num = kept;
    qsort(list->at, list->num, sizeof list->at[0], by_name);
    return error;
}

static struct accel_named *find(struct accel *a, const struct told *t)
{
    struct accel_named *n = a->first;
    while (n && (strcmp(n->key.name, t->key.name) || n->key.alg != t->key.alg ||
                 memcmp(n->print, t->print, sizeof n->print)))
        n = n->next;
    return n;
}

static struct accel_named *add(struct module *m, const struct told *t)
{
    struct accel_named *n = secret_new(m, sizeof *n);
    if (!n)
        return NULL;
    n->key = t->key;
    memcpy(n->print, t->print, sizeof n->print);
    n->next = m->accel->first;
    m->accel->first = n;
    return n;
}

static void remove_objects(struct module *m, struct accel_named *n)
{
    pthread_mutex_lock(&m->objects_lock);
    for (size_t i = 0; i < COUNT(n->objects); i++) {
        struct object *object = n->objects[i] ? object_of(m, n->objects[i]) : NULL;
        if (object)
            object_remove(m, object);
        n->objects[i] = 0;
    }
    pthread_mutex_unlock(&m->objects_lock);
}

static bool is_same(const struct hr_accel_key *a, const struct hr_accel_key *b)
{
    return a->uses == b->uses && a->paddings == b->paddings && a->num_digests == b->num_digests &&
           !memcmp(a->digests, b->digests, sizeof a->digests);
}

/* take_over makes what is new or has changed, and removes what is gone. */
static void take_over(struct module *m, const struct list *list)
{
    for (struct accel_named *n = m->accel->first; n; n = n->next)
        n->is_listed = false;
    for (size_t i = 0; i < list->num; i++) {
        const struct told *t = &list->at[i];
        struct accel_named *n = find(m->accel, t);
        if (!n && !(n = add(m, t)))
            continue;
        if (n->objects[0] && !is_same(&n->key, &t->key))
            remove_objects(m, n);
        n->key = t->key;
        n->is_listed = n->objects[0] || accel_objects_make(m, n, t->spki, t->spki_len) == CKR_OK;
    }
    for (struct accel_named *n = m->accel->first; n; n = n->next)
        if (!n->is_listed)
            remove_objects(m, n);
}

static time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec + 1; /* never 0 */
}

/* refresh asks the service, unless it has just made others wait; under the lock. */
static void refresh(struct module *m, const struct client *client, struct list *list)
{
    struct accel *a = m->accel;
    const time_t began = seconds();
    if (began < a->not_before)
        return;
    const int error = ask(client, list);
    if (!error)
        take_over(m, list);
    const time_t now = seconds();
    if (error && now - began >= SLOW)
        a->not_before = now + PAUSE;
    atomic_store(&a->is_there, !error);
    atomic_store(&a->asked, now);
}

void accel_refresh(struct module *m)
{
    const struct client *client = client_get();
    struct list *list = client ? malloc(sizeof *list) : NULL;
    if (!list)
        return;
    list->num = 0;
    pthread_mutex_lock(&m->accel->lock);
    refresh(m, client, list);
    pthread_mutex_unlock(&m->accel->lock);
    free(list);
}

bool accel_is_there(struct module *m)
{
    struct accel *a = m->accel;
    if (!atomic_load(&a->is_there) || seconds() - atomic_load(&a->asked) > FRESH)
        accel_refresh(m);
    return atomic_load(&a->is_there);
}

/* ---- use ---- */

CK_RV accel_error(int error)
{
    switch (error) {
    case HR_EBUFFER: /* the client has 256 handles at most */
        return CKR_DEVICE_MEMORY;
    case HR_EINVAL: /* an option that the service does not know, or a message that is too long */
        return CKR_FUNCTION_REJECTED;
    default:
        return error_of(error);
    }
}

/* open_once opens the key and finds out whether it is the one that the objects show. */
static int open_once(const struct client *client, const struct accel_named *n, uint64_t *handle)
{
    uint8_t spki[ACCEL_SPKI], print[ACCEL_PRINT];
    size_t len = sizeof spki;
    int error = client->hr_accel_key_open(handle, n->key.name);
    if (error || !accel_is_public(n->key.alg))
        return error;
    error = client->hr_accel_key_public(n->key.name, spki, &len);
    if (!error)
        error = hr_digest(print, HR_SHA256, spki, len);
    if (!error && memcmp(print, n->print, sizeof print))
        error = HR_EHANDLE;
    if (error)
        client->hr_accel_key_close(*handle);
    return error;
}

/* open_key opens the key instead of `before`, which another thread may do meanwhile. */
static int open_key(const struct client *client, struct accel_named *n, uint64_t before)
{
    uint64_t handle = 0;
    const int error = open_once(client, n, &handle);
    if (error)
        return error;
    if (!atomic_compare_exchange_strong(&n->handle, &before, handle))
        client->hr_accel_key_close(handle);
    else if (before)
        client->hr_accel_key_close(before);
    return 0;
}

RV accel_use(struct accel_named *n, accel_use_fn *use, void *what)
{
    const struct client *client = client_get();
    if (!client)
        return CKR_DEVICE_REMOVED;
    const uint64_t before = atomic_load(&n->handle);
    int error = before ? use(what, before) : HR_EHANDLE;
    if (error == HR_EHANDLE) {
        error = open_key(client, n, before);
        if (!error)
            error = use(what, atomic_load(&n->handle));
    }
    return accel_error(error);
}
