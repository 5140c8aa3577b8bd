/* SPDX-License-Identifier: Apache-2.0 */
/* Ciphers and AEADs whose keys stay in the accelerator's service: objects as those of object.h, in
 * which the key is a handle.  Calls wait for the service, so that Java must not make them where the
 * garbage collector waits for it (jni_named.c). */
#include "../pk.h"
#include "client.h"

static uint64_t handle_of(const struct object *o)
{
    return *(const uint64_t *)object_key((struct object *)o);
}

/* ---- ciphers ---- */

static int cipher_start(struct object *o, const struct message *m)
{
    return client_get()->hr_accel_cipher_init(object_ctx(o), o->alg, handle_of(o), m->op, m->iv,
                                              m->iv_len, m->extra);
}

static int cipher_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    size_t out_len;
    const int rv =
        client_get()->hr_accel_cipher_update(object_ctx(o), out, room, &out_len, in, len);
    return rv ? rv : (int)out_len;
}

static int cipher_finish(struct object *o, uint8_t *out, size_t room)
{
    size_t out_len;
    const int rv = client_get()->hr_accel_cipher_final(object_ctx(o), out, room, &out_len);
    return rv ? rv : (int)out_len;
}

static int cipher_once(struct object *o, const struct message *m, const uint8_t *aad,
                       size_t aad_len, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    const struct client *client = client_get();
    struct hr_accel_cipher_ctx ctx;
    size_t done = 0, last = 0;
    int rv =
        client->hr_accel_cipher_init(&ctx, o->alg, handle_of(o), m->op, m->iv, m->iv_len, m->extra);
    if (!rv)
        rv = client->hr_accel_cipher_update(&ctx, out, room, &done, in, len);
    if (!rv)
        rv = client->hr_accel_cipher_final(&ctx, out + done, room - done, &last);
    if (rv == HR_EPADDING)
        wipe_bytes(out, done);
    WIPE(&ctx);
    return rv ? rv : (int)(done + last);
}

/* ---- whole messages only: AEADs and XTS ---- */

static struct hr_job job_of(const struct object *o, const struct message *m)
{
    return (struct hr_job){ .alg = (uint16_t)o->alg,
                            .op = m->op == HR_OP_ENCRYPT ? HR_JOB_ENCRYPT : HR_JOB_DECRYPT,
                            .key_form = HR_KEY_HANDLE,
                            .handle = handle_of(o),
                            .iv = m->iv,
                            .iv_len = (uint32_t)m->iv_len };
}

/* aead_once takes the tag behind the text, in `out` or, decrypting, in `in`. */
static int aead_once(struct object *o, const struct message *m, const uint8_t *aad, size_t aad_len,
                     uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    const bool encrypts = m->op == HR_OP_ENCRYPT;
    const size_t tag_len = m->extra;
    if (!encrypts && len < tag_len)
        return HR_ETAGLEN;
    const size_t text_len = encrypts ? len : len - tag_len;
    if (room < text_len || (encrypts && room - text_len < tag_len))
        return HR_EBUFFER;
    struct hr_job job = job_of(o, m);
    job.aad = aad;
    job.aad_len = (uint32_t)aad_len;
    job.tag = encrypts ? out + text_len : (uint8_t *)in + text_len;
    job.tag_len = m->extra;
    job.in = in;
    job.out = out;
    job.len = text_len;
    const int rv = client_get()->hr_accel_run(&job);
    return rv ? rv : (int)(encrypts ? text_len + tag_len : text_len);
}

static int unit_once(struct object *o, const struct message *m, const uint8_t *aad, size_t aad_len,
                     uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    if (room < len)
        return HR_EBUFFER;
    struct hr_job job = job_of(o, m);
    job.in = in;
    job.out = out;
    job.len = len;
    const int rv = client_get()->hr_accel_run(&job);
    return rv ? rv : (int)len;
}

static int whole_start(struct object *o, const struct message *m)
{
    return HR_ESTATE;
}

static int whole_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    return HR_ESTATE;
}

static int whole_finish(struct object *o, uint8_t *out, size_t room)
{
    return HR_ESTATE;
}

/* ---- objects ---- */

/* A context and a key have no pointers, so that the bytes of an object are its copy. */
static const struct message_class cipher_messages = { .start = cipher_start,
                                                      .update = cipher_update,
                                                      .finish = cipher_finish,
                                                      .once = cipher_once },
                                  aead_messages = { .start = whole_start,
                                                    .update = whole_update,
                                                    .finish = whole_finish,
                                                    .once = aead_once },
                                  unit_messages = { .start = whole_start,
                                                    .update = whole_update,
                                                    .finish = whole_finish,
                                                    .once = unit_once };

static const struct {
    enum hr_class cls;
    const struct message_class *functions;
} named_classes[] = {
    { HR_CLASS_CIPHER, &cipher_messages },
    { HR_CLASS_AEAD, &aead_messages },
    { HR_CLASS_XTS, &unit_messages },
};

struct object *hrj_accel_object(const struct pk *pk)
{
    enum { CTX_AT = OBJECT_KEY_AT + 64, SIZE = CTX_AT + sizeof(struct hr_accel_cipher_ctx) };
    const struct hr_algorithm *row = hr_algorithm(pk->alg);
    const struct message_class *cls = NULL;
    for (size_t i = 0; i < COUNT(named_classes); i++)
        if (row && named_classes[i].cls == row->cls)
            cls = named_classes[i].functions;
    struct object *o = cls && pk->is_named ? memory_new(SIZE) : NULL;
    if (!o)
        return NULL;
    *o = (struct object){ .cls = cls, .alg = pk->alg, .size = SIZE, .ctx_at = CTX_AT };
    served_init(&o->served, (enum row_index)pk->index);
    *(uint64_t *)object_key(o) = pk->handle;
    return o;
}
