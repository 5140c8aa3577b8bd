/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of public key that this process lends to the service.  Their components stay in this table,
 * for the next service: the program has the key anyway.  The table is written under the
 * connection's lock; submits read it without a lock.  A forked child keeps it. */
#define _GNU_SOURCE
#include "../public_key.h"
#include "internal.h"
#include <headrace/classes.h>
#include <headrace/rsa.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_LENT = 256, WAIT_FIRST = 8000 };
/* The components, and the key itself if it is offered for hr_accel_try. */
enum { ROOM = CONTROL_LENT + sizeof(struct hr_rsa_key) };

static struct lent {
    _Atomic uint64_t handle; /* 0: free */
    _Atomic uint64_t number; /* the service's */
    _Atomic uint32_t connection;
    uint32_t generation;
    struct lent_facts facts;
    uint8_t *bytes; /* the components, as in CONTROL_KEY_LEND */
    size_t len;
    bool is_offered;
} lent[MOST_LENT];

static struct lent *find(uint64_t handle)
{
    const uint32_t index = (uint32_t)handle - 1;
    return handle && index < MOST_LENT && atomic_load(&lent[index].handle) == handle ? &lent[index]
                                                                                     : NULL;
}

struct lent_facts *lent_resolve(uint64_t *number, const struct hr_job *job,
                                const struct connection *c)
{
    struct lent *l = find(job->handle);
    if (!l || atomic_load(&l->connection) != c->id || l->facts.alg != job->alg)
        return NULL;
    *number = atomic_load(&l->number);
    return &l->facts;
}

struct lent_facts *lent_offered(const struct hr_rsa_key **key, uint64_t handle)
{
    struct lent *l = find(handle);
    if (!l || !l->is_offered)
        return NULL;
    *key = (const void *)(l->bytes + CONTROL_LENT);
    return &l->facts;
}

/* ---- lending ---- */

/* send_key gives a key to the service.  If that refuses it, jobs run in this process. */
static void send_key(struct lent *l, struct connection *c)
{
    struct {
        struct control_request head;
        uint8_t bytes[CONTROL_LENT];
    } message = { .head = { .magic = CONTROL_MAGIC,
                            .type = CONTROL_KEY_LEND,
                            .alg = l->facts.alg,
                            .key_len = (uint16_t)l->len } };
    struct control_reply reply;
    atomic_store(&l->connection, 0);
    if (!unit_connect(c))
        return;
    memcpy(message.bytes, l->bytes, l->len);
    if (!connection_exchange_long(c, &message.head, l->len, &reply, NULL, 0)) {
        atomic_store(&l->number, reply.handle);
        atomic_store(&l->connection, c->id);
    }
    explicit_bzero(&message, sizeof message);
}

void lent_again(struct connection *c)
{
    for (size_t i = 0; i < MOST_LENT; i++)
        if (atomic_load(&lent[i].handle))
            send_key(&lent[i], c);
}

/* keep copies a key's components to memory that is in no core dump, and not swapped if possible. */
static int keep(struct lent *l, const struct hr_number *parts, size_t num)
{
    size_t len = 0;
    for (size_t i = 0; i < num; i++) {
        if (parts[i].len > CONTROL_LENT || (parts[i].len && !parts[i].bytes))
            return parts[i].len > CONTROL_LENT ? HR_EKEYLEN : HR_EINVAL;
        len += 2 + parts[i].len;
    }
    if (len > CONTROL_LENT)
        return HR_EKEYLEN;
    uint8_t *at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return HR_ESYSTEM;
    (void)mlock(at, ROOM);
    (void)madvise(at, ROOM, MADV_DONTDUMP);
    l->bytes = at;
    l->len = len;
    for (size_t i = 0; i < num; i++) {
        *at++ = (uint8_t)parts[i].len;
        *at++ = (uint8_t)(parts[i].len >> 8);
        if (parts[i].len)
            memcpy(at, parts[i].bytes, parts[i].len);
        at += parts[i].len;
    }
    return 0;
}

static void forget(struct lent *l)
{
    explicit_bzero(l->bytes, ROOM);
    munmap(l->bytes, ROOM);
    l->bytes = NULL;
}

/* struct loan is a key that is to be lent.  `offered` is one that is for hr_accel_try, or NULL. */
struct loan {
    struct lent_facts facts;
    const struct hr_number *parts;
    size_t num;
    const struct hr_rsa_parts *offered;
};

static int make_key(struct lent *l, const struct hr_rsa_parts *parts)
{
    const int error = parts ? hr_rsa_key_init((void *)(l->bytes + CONTROL_LENT), parts) : 0;
    l->is_offered = parts != NULL;
    if (error)
        forget(l);
    return error;
}

static int add(uint64_t *handle, const struct loan *loan)
{
    for (uint32_t i = 0; i < MOST_LENT; i++) {
        struct lent *l = &lent[i];
        if (atomic_load(&l->handle))
            continue;
        int error = keep(l, loan->parts, loan->num);
        if (!error)
            error = make_key(l, loan->offered);
        if (error)
            return error;
        l->facts = loan->facts;
        atomic_store(&l->connection, 0);
        *handle = (uint64_t)++l->generation << 32 | (i + 1);
        atomic_store(&l->handle, *handle);
        return 0;
    }
    return HR_EBUFFER;
}

/* lend waits for a service unless the key is offered.  Another thread may have made a connection
 * before it could know of the key. */
static int lend(uint64_t *handle, const struct loan *loan)
{
    int error = connection_path(NULL);
    if (error)
        return error;
    const int cancel = cancel_later();
    struct connection *c = connection_get(loan->offered ? 0 : WAIT_FIRST);
    connection_lock();
    error = add(handle, loan);
    if (!c)
        c = connection_get(0);
    if (!error && c)
        send_key(find(*handle), c);
    connection_unlock();
    if (c)
        connection_put(c);
    cancel_as_before(cancel);
    return error;
}

/* ---- the calls ---- */

/* rsa_row returns the row of the least size that a modulus does not exceed, or of the largest. */
static const struct hr_algorithm *rsa_row(size_t len)
{
    const struct hr_algorithm *row, *found = NULL;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_RSA && (!found || found->out_len < len))
            found = row;
    return found;
}

static int lend_rsa(uint64_t *handle, const struct hr_rsa_parts *parts, int is_offered)
{
    if (!handle || !parts || !parts->n.bytes || !parts->e.bytes)
        return HR_EINVAL;
    const size_t len = pk_significant(&parts->n);
    const struct loan loan = { .facts = { .alg = (uint16_t)rsa_row(len)->alg,
                                          .result_len = (uint32_t)len,
                                          .is_slow = pk_is_slow(&parts->n, &parts->e) },
                               .parts = &parts->n,
                               .num = parts->p.len ? 8 : 2,
                               .offered = is_offered ? parts : NULL };
    return lend(handle, &loan);
}

int hr_accel_lend_rsa(uint64_t *handle, const struct hr_rsa_parts *parts)
{
    return lend_rsa(handle, parts, 0);
}

int hr_accel_offer_rsa(uint64_t *handle, const struct hr_rsa_parts *parts)
{
    return lend_rsa(handle, parts, 1);
}

int hr_accel_lend(uint64_t *handle, hr_alg alg, const void *ours, size_t ours_len,
                  const void *theirs, size_t theirs_len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    const struct hr_number parts[] = { { ours, ours_len }, { theirs, theirs_len } };
    if (!handle || (!ours_len && !theirs_len))
        return HR_EINVAL;
    if (!row || row->out_len > PK_RESULT ||
        (row->cls != HR_CLASS_SIGN && row->cls != HR_CLASS_AGREE && row->cls != HR_CLASS_KEM))
        return HR_EALG;
    const struct loan loan = { .facts = { .alg = (uint16_t)alg,
                                          .result_len = row->out_len,
                                          .cipher_len = (uint32_t)hr_kem_ciphertext_len(alg) },
                               .parts = parts,
                               .num = 2 };
    return lend(handle, &loan);
}

void hr_accel_take_back(uint64_t handle)
{
    const int cancel = cancel_later();
    struct connection *c = connection_get(0);
    connection_lock();
    struct lent *l = find(handle);
    if (l) {
        const struct control_request request = { .magic = CONTROL_MAGIC,
                                                 .type = CONTROL_KEY_TAKE_BACK,
                                                 .handle = atomic_load(&l->number) };
        struct control_reply reply;
        atomic_store(&l->handle, 0);
        if (c && atomic_load(&l->connection) == c->id)
            (void)connection_exchange(c, &request, &reply, NULL, 0);
        forget(l);
    }
    connection_unlock();
    if (c)
        connection_put(c);
    cancel_as_before(cancel);
}
