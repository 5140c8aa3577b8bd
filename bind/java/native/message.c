/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of rows whose messages Java computes: their keys, messages in pieces, and whole ones.
 * Those built on block ciphers are in message_block.c. */
#include "object.h"

/* tag_fits tells whether `room` holds a text of `len` bytes and its tag. */
static bool tag_fits(size_t room, size_t len, size_t tag_len)
{
    return room >= tag_len && room - tag_len >= len;
}

/* ---- HMAC ---- */

static int hmac_set_key(struct object *o, const uint8_t *bytes, size_t len)
{
    return hr_hmac_key_init(object_key(o), o->alg, bytes, len);
}

static int hmac_start(struct object *o, const struct message *m)
{
    return hr_hmac_init(object_ctx(o), object_key(o));
}

static int hmac_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    return hr_hmac_update(object_ctx(o), in, len);
}

static int hmac_finish(struct object *o, uint8_t *out, size_t room)
{
    const int len = hr_algorithm(o->alg)->out_len;
    if (room < (size_t)len)
        return HR_EBUFFER;
    const int rv = hr_hmac_final(object_ctx(o), out);
    return rv ? rv : len;
}

static int hmac_once(struct object *o, const struct message *m, const uint8_t *aad, size_t aad_len,
                     uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    const int out_len = hr_algorithm(o->alg)->out_len;
    if (room < (size_t)out_len)
        return HR_EBUFFER;
    const int rv = hr_hmac(out, in, len, object_key(o));
    return rv ? rv : out_len;
}

/* The state of a message refers to its key, which a copy has elsewhere. */
static int hmac_copy(struct object *o, const struct object *from)
{
    uint8_t state[HR_HMAC_MAX_EXPORT];
    size_t len;
    const struct hr_hmac_ctx *ctx = object_ctx((struct object *)from);
    int rv = hr_hmac_export(ctx, state, sizeof state, &len);
    if (rv == HR_ESTATE) /* it has no message */
        return 0;
    if (!rv)
        rv = hr_hmac_import(object_ctx(o), object_key(o), state, len);
    WIPE(&state);
    return rv;
}

/* ---- ciphers ---- */

static int cipher_set_key(struct object *o, const uint8_t *bytes, size_t len)
{
    return hr_cipher_key_init(object_key(o), o->alg, bytes, len);
}

static int cipher_start(struct object *o, const struct message *m)
{
    return hr_cipher_init(object_ctx(o), object_key(o), m->op, m->iv, m->iv_len, m->extra);
}

static int cipher_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    size_t out_len;
    const int rv = hr_cipher_update(object_ctx(o), out, room, &out_len, in, len);
    return rv ? rv : (int)out_len;
}

static int cipher_finish(struct object *o, uint8_t *out, size_t room)
{
    size_t out_len;
    const int rv = hr_cipher_final(object_ctx(o), out, room, &out_len);
    return rv ? rv : (int)out_len;
}

/* cipher_once takes the direct call where the message needs no padding. */
static int cipher_once(struct object *o, const struct message *m, const uint8_t *aad,
                       size_t aad_len, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    if (!m->extra) {
        if (room < len)
            return HR_EBUFFER;
        const int rv = (m->op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(
            out, in, len, object_key(o), m->iv, m->iv_len);
        return rv ? rv : (int)len;
    }
    if (!message_begin(o))
        return HR_ESTATE;
    int rv = cipher_start(o, m);
    const int done = rv ? rv : cipher_update(o, out, room, in, len);
    if (done >= 0)
        rv = cipher_finish(o, out + done, room - (size_t)done);
    if (rv == HR_EPADDING)
        wipe_bytes(out, (size_t)done);
    return message_end(o, done < 0 ? done : rv < 0 ? rv : done + rv);
}

static int cipher_copy(struct object *o, const struct object *from)
{
    const int rv = hr_cipher_set_key(object_ctx(o), object_key(o));
    return rv == HR_ESTATE ? 0 : rv;
}

/* ---- AEADs ---- */

static int aead_set_key(struct object *o, const uint8_t *bytes, size_t len)
{
    return hr_aead_key_init(object_key(o), o->alg, bytes, len);
}

static int aead_start(struct object *o, const struct message *m)
{
    o->tag_len = (uint8_t)m->extra;
    return hr_aead_init(object_ctx(o), object_key(o), m->op, m->iv, m->iv_len);
}

static int aead_aad(struct object *o, const uint8_t *aad, size_t len)
{
    return hr_aead_aad(object_ctx(o), aad, len);
}

static int aead_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    if (room < len)
        return HR_EBUFFER;
    const int rv = hr_aead_update(object_ctx(o), out, in, len);
    return rv ? rv : (int)len;
}

static int aead_finish(struct object *o, uint8_t *out, size_t room)
{
    if (o->op == HR_OP_DECRYPT)
        return hr_aead_verify(object_ctx(o), out, room);
    if (room < o->tag_len)
        return HR_EBUFFER;
    const int rv = hr_aead_final(object_ctx(o), out, o->tag_len);
    return rv ? rv : o->tag_len;
}

static int aead_once(struct object *o, const struct message *m, const uint8_t *aad, size_t aad_len,
                     uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    const size_t tag_len = m->extra;
    const void *key = object_key(o);
    int rv;
    if (m->op == HR_OP_ENCRYPT) {
        if (!tag_fits(room, len, tag_len))
            return HR_EBUFFER;
        rv = hr_aead_encrypt(out, out + len, tag_len, in, len, aad, aad_len, key, m->iv, m->iv_len);
        return rv ? rv : (int)(len + tag_len);
    }
    if (len < tag_len)
        return HR_ETAGLEN;
    len -= tag_len;
    if (room < len)
        return HR_EBUFFER;
    rv = hr_aead_decrypt(out, in + len, tag_len, in, len, aad, aad_len, key, m->iv, m->iv_len);
    return rv ? rv : (int)len;
}

static int aead_copy(struct object *o, const struct object *from)
{
    const int rv = hr_aead_set_key(object_ctx(o), object_key(o));
    return rv == HR_ESTATE ? 0 : rv;
}

static int aead_lengths(struct object *o, uint64_t aad_len, uint64_t len)
{
    return hr_aead_lengths(object_ctx(o), aad_len, len, o->tag_len);
}

/* clang-format off */
#define CLASS_FUNCTIONS(name) \
    .set_key = name##_set_key, .start = name##_start, .update = name##_update, \
    .finish = name##_finish, .once = name##_once, .copy = name##_copy
static const struct message_class
    hmac_messages = { hr_hmac_key_size, hr_hmac_size, CLASS_FUNCTIONS(hmac) },
    cipher_messages = { hr_cipher_key_size, hr_cipher_size, CLASS_FUNCTIONS(cipher) },
    aead_messages = { hr_aead_key_size, hr_aead_size, CLASS_FUNCTIONS(aead),
                      .aad = aead_aad, .lengths = aead_lengths };
/* clang-format on */

static const struct {
    enum hr_class cls;
    const struct message_class *functions;
} message_classes[] = {
    { HR_CLASS_MAC, &hmac_messages },  { HR_CLASS_CIPHER, &cipher_messages },
    { HR_CLASS_AEAD, &aead_messages }, { HR_CLASS_CMAC, &cmac_messages },
    { HR_CLASS_NMAC, &nmac_messages }, { HR_CLASS_XTS, &xts_messages },
    { HR_CLASS_WRAP, &wrap_messages },
};

const struct message_class *message_class_of(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    for (size_t i = 0; row && i < COUNT(message_classes); i++)
        if (message_classes[i].cls == row->cls)
            return message_classes[i].functions;
    return NULL;
}
