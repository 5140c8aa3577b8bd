/* SPDX-License-Identifier: Apache-2.0 */
/* Objects and digests; the classes of rows are in message.c. */
#define _GNU_SOURCE
#include "object.h"
#include "../../secret.h"
#include <headrace/algorithms.h>
#include <sched.h>
#include <stdlib.h>

enum row_index index_of(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row ? (enum row_index)(row - hr_algorithm_at(0)) : NUM_ROWS;
}

/* The example "abc" of FIPS 180-4. */
static bool knows_sha256(void)
{
    static const uint8_t want[] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                    0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                    0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad };
    uint8_t out[sizeof want];
    return !hr_digest(out, HR_SHA256, "abc", 3) && !memcmp(out, want, sizeof want);
}

int32_t hrj_version(void)
{
    return knows_sha256() ? HRJ_VERSION : HR_EFAULT;
}

uint64_t hrj_cpu(void)
{
    return hr_cpu_features();
}

int32_t hrj_algorithm(const uint8_t *name, int32_t len)
{
    char text[sizeof((struct hr_algorithm *)0)->name];
    if (len < 0 || (size_t)len >= sizeof text)
        return 0;
    memcpy(text, name, (size_t)len);
    text[len] = 0;
    const struct hr_algorithm *row = hr_algorithm_by_name(text);
    return row ? (int32_t)row->alg : 0;
}

/* ---- objects ---- */

/* secrets is not ended with the process: a JVM may still compute when it unloads its libraries. */
static struct secret_pool secrets = { .lock = PTHREAD_MUTEX_INITIALIZER };

void *memory_new(size_t size)
{
    return secret_pool_new(&secrets, size);
}

void memory_free(void *p)
{
    secret_pool_free(&secrets, p);
}

void memory_end(void)
{
    spares_end();
    secret_pool_end(&secrets);
}

int64_t hrj_live(void)
{
    pthread_mutex_lock(&secrets.lock);
    const size_t num = secrets.num_used;
    pthread_mutex_unlock(&secrets.lock);
    return (int64_t)num;
}

struct object *hrj_new(int32_t alg)
{
    const hr_alg row = (hr_alg)alg;
    const struct message_class *cls = message_class_of(row);
    if (!cls)
        return NULL;
    const size_t ctx_at = OBJECT_KEY_AT + (cls->key_size(row) + 63) / 64 * 64;
    const size_t size = ctx_at + (cls->ctx_size ? cls->ctx_size(row) : 0);
    struct object *o = memory_new(size);
    if (!o)
        return NULL;
    *o = (struct object){
        .cls = cls, .alg = row, .size = (uint32_t)size, .ctx_at = (uint32_t)ctx_at
    };
    served_init(&o->served, index_of(row));
    return o;
}

struct object *hrj_copy(struct object *from)
{
    struct object *o = memory_new(from->size);
    if (!o)
        return NULL;
    /* Threads may clone one MAC that none of them uses; each holds it for the copy only. */
    while (!message_begin(from))
        sched_yield();
    memcpy(o, from, from->size);
    served_init(&o->served, o->served.index);
    const int rv = message_end(o, o->cls->copy ? o->cls->copy(o, from) : 0);
    if (message_end(from, rv)) {
        memory_free(o);
        return NULL;
    }
    return o;
}

void hrj_free(struct object *o)
{
    if (!o)
        return;
    if (o->served.calls)
        stats_fold(&o->served);
    memory_free(o);
}

/* is_key tells, in a time that does not depend on them, whether the key has these bytes. */
static bool is_key(const struct object *o, const uint8_t *key, size_t len)
{
    const uint8_t *raw = (const uint8_t *)o + OBJECT_RAW_AT;
    uint8_t differs = 0;
    for (size_t i = 0; i < o->raw_len && i < len; i++)
        differs |= raw[i] ^ key[i];
    return len && len == o->raw_len && !differs;
}

int32_t hrj_set_key(struct object *o, const uint8_t *key, int32_t len)
{
    if (is_key(o, key, (size_t)len))
        return 1;
    o->raw_len = 0;
    const int rv = o->cls->set_key(o, key, (size_t)len);
    if (!rv && len <= OBJECT_KEY_AT - OBJECT_RAW_AT) {
        memcpy((uint8_t *)o + OBJECT_RAW_AT, key, (size_t)len);
        o->raw_len = (uint8_t)len;
    }
    return rv;
}

int32_t hrj_start(struct object *o, int32_t op, const uint8_t *iv, int32_t iv_len, int32_t extra)
{
    const struct message m = { (enum hr_op)op, iv, (size_t)iv_len, (uint32_t)extra };
    if (!message_begin(o))
        return HR_ESTATE;
    o->op = (uint8_t)op;
    return message_end(o, o->cls->start(o, &m));
}

int32_t hrj_aad(struct object *o, const uint8_t *aad, int64_t at, int32_t len)
{
    if (!o->cls->aad || !message_begin(o))
        return HR_ESTATE;
    return message_end(o, o->cls->aad(o, piece(aad, at), (size_t)len));
}

int32_t hrj_lengths(struct object *o, int64_t aad_len, int64_t len)
{
    if (!o->cls->lengths || !message_begin(o))
        return HR_ESTATE;
    return message_end(o, o->cls->lengths(o, (uint64_t)aad_len, (uint64_t)len));
}

int32_t hrj_update(struct object *o, uint8_t *out, int64_t out_at, int32_t room, const uint8_t *in,
                   int64_t in_at, int32_t len)
{
    if ((room | len) < 0)
        return HR_EINVAL;
    if (!message_begin(o))
        return HR_ESTATE;
    const int rv =
        o->cls->update(o, piece(out, out_at), (size_t)room, piece(in, in_at), (size_t)len);
    if (LIKELY(rv >= 0))
        served_add(&o->served, (size_t)len);
    return message_end(o, rv);
}

int32_t hrj_finish(struct object *o, uint8_t *out, int64_t out_at, int32_t room)
{
    if (room < 0)
        return HR_EINVAL;
    if (!message_begin(o))
        return HR_ESTATE;
    return message_end(o, o->cls->finish(o, piece(out, out_at), (size_t)room));
}

int32_t hrj_once(struct object *o, int32_t op, const uint8_t *iv, int32_t iv_len, int32_t extra,
                 const uint8_t *aad, int32_t aad_len, uint8_t *out, int64_t out_at, int32_t room,
                 const uint8_t *in, int64_t in_at, int32_t len)
{
    if ((room | len) < 0)
        return HR_EINVAL;
    const struct message m = { (enum hr_op)op, iv, (size_t)iv_len, (uint32_t)extra };
    const int rv = o->cls->once(o, &m, aad, (size_t)aad_len, piece(out, out_at), (size_t)room,
                                piece(in, in_at), (size_t)len);
    if (LIKELY(rv >= 0))
        served_add(&o->served, (size_t)len);
    return rv;
}

/* ---- digests ---- */

struct digest {
    struct hr_digest_ctx ctx;
    struct served served;
};
_Static_assert(sizeof(struct digest) == DIGEST_WORDS * sizeof(uint64_t),
               "the size of Java's array");

int32_t hrj_digest_start(uint64_t *state, int32_t alg)
{
    struct digest *d = (struct digest *)state;
    served_init(&d->served, index_of((hr_alg)alg));
    return hr_digest_init(&d->ctx, (hr_alg)alg);
}

int32_t hrj_digest_update(uint64_t *state, const uint8_t *in, int64_t in_at, int32_t len)
{
    struct digest *d = (struct digest *)state;
    const int rv = hr_digest_update(&d->ctx, piece(in, in_at), (size_t)len);
    if (LIKELY(rv == HR_OK))
        served_add(&d->served, (size_t)len);
    return rv;
}

int32_t hrj_digest_finish(uint64_t *state, int32_t alg, uint8_t *out, int64_t out_at)
{
    struct digest *d = (struct digest *)state;
    const int rv = hr_digest_final(&d->ctx, piece(out, out_at));
    const int again = hr_digest_init(&d->ctx, (hr_alg)alg);
    return rv ? rv : again;
}

/* Statistics live as long as the process: a JVM unloads no library of a class loader that lives. */
__attribute__((constructor)) static void start(void)
{
    stats_open("java", secure_getenv(HR_STATS_ENV));
}

__attribute__((destructor)) static void end(void)
{
    spares_end();
    stats_close();
}
