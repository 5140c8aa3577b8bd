/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of rows that are built on block ciphers, and Poly1305: MACs, XTS, key wrap. */
#include "object.h"

/* ---- MACs without and with a nonce ---- */

/* MAC_CLASS defines the functions of a class of MACs, whose calls take the nonce last. */
/* clang-format off */
#define MAC_CLASS(name, ...) \
    static int name##_set_key(struct object *o, const uint8_t *bytes, size_t len) \
    { \
        return hr_##name##_key_init(object_key(o), o->alg, bytes, len); \
    } \
    static int name##_start(struct object *o, const struct message *m) \
    { \
        return hr_##name##_init(object_ctx(o), object_key(o) __VA_ARGS__); \
    } \
    static int name##_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, \
                             size_t len) \
    { \
        return hr_##name##_update(object_ctx(o), in, len); \
    } \
    static int name##_finish(struct object *o, uint8_t *out, size_t room) \
    { \
        const int len = hr_algorithm(o->alg)->out_len; \
        if (room < (size_t)len) \
            return HR_EBUFFER; \
        const int rv = hr_##name##_final(object_ctx(o), out); \
        return rv ? rv : len; \
    } \
    static int name##_once(struct object *o, const struct message *m, const uint8_t *aad, \
                           size_t aad_len, uint8_t *out, size_t room, const uint8_t *in, \
                           size_t len) \
    { \
        const int out_len = hr_algorithm(o->alg)->out_len; \
        if (room < (size_t)out_len) \
            return HR_EBUFFER; \
        const int rv = hr_##name(out, in, len, object_key(o) __VA_ARGS__); \
        return rv ? rv : out_len; \
    } \
    static int name##_copy(struct object *o, const struct object *from) \
    { \
        const int rv = hr_##name##_set_key(object_ctx(o), object_key(o)); \
        return rv == HR_ESTATE ? 0 : rv; \
    } \
    const struct message_class name##_messages = { \
        .key_size = hr_##name##_key_size, .ctx_size = hr_##name##_size, .set_key = name##_set_key, \
        .start = name##_start, .update = name##_update, .finish = name##_finish, \
        .once = name##_once, .copy = name##_copy \
    };
MAC_CLASS(cmac)
MAC_CLASS(nmac, , m->iv, m->iv_len)
/* clang-format on */

/* ---- XTS: a message is one data unit ---- */

/* The key of a unit that comes in pieces is advanced behind each, so that a message has its own. */
struct unit {
    struct hr_xts_key key;
    uint8_t iv[16];
};

static size_t unit_size(hr_alg alg)
{
    return sizeof(struct unit);
}

static int xts_set_key(struct object *o, const uint8_t *bytes, size_t len)
{
    return hr_xts_key_init(object_key(o), o->alg, bytes, len);
}

static int xts_start(struct object *o, const struct message *m)
{
    struct unit *unit = object_ctx(o);
    if (m->iv_len != sizeof unit->iv)
        return HR_EIVLEN;
    memcpy(&unit->key, object_key(o), hr_xts_key_size(o->alg));
    memcpy(unit->iv, m->iv, sizeof unit->iv);
    return 0;
}

/* xts_update takes whole blocks, and with the last piece, of 16 bytes and more, what is left. */
static int xts_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    struct unit *unit = object_ctx(o);
    if (room < len)
        return HR_EBUFFER;
    int rv = (o->op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(out, in, len, &unit->key,
                                                                        unit->iv);
    if (!rv && len % 16 == 0)
        rv = hr_xts_key_advance(&unit->key, unit->iv, len / 16);
    return rv ? rv : (int)len;
}

static int xts_finish(struct object *o, uint8_t *out, size_t room)
{
    WIPE((struct unit *)object_ctx(o));
    return 0;
}

static int xts_once(struct object *o, const struct message *m, const uint8_t *aad, size_t aad_len,
                    uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    if (m->iv_len != 16)
        return HR_EIVLEN;
    if (room < len)
        return HR_EBUFFER;
    const int rv = (m->op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(out, in, len,
                                                                              object_key(o), m->iv);
    return rv ? rv : (int)len;
}

const struct message_class xts_messages = {
    .key_size = hr_xts_key_size,
    .ctx_size = unit_size,
    .set_key = xts_set_key,
    .start = xts_start,
    .update = xts_update,
    .finish = xts_finish,
    .once = xts_once,
};

/* ---- key wrap: whole messages only ---- */

static int wrap_set_key(struct object *o, const uint8_t *bytes, size_t len)
{
    return hr_wrap_key_init(object_key(o), o->alg, bytes, len);
}

static int wrap_once(struct object *o, const struct message *m, const uint8_t *aad, size_t aad_len,
                     uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    const bool is_wrap = m->op == HR_OP_WRAP;
    if (m->iv_len != hr_algorithm(o->alg)->iv_len)
        return HR_EIVLEN;
    if (room < (is_wrap ? hr_wrapped_len(o->alg, len) : len < 8 ? 0 : len - 8))
        return HR_EBUFFER;
    size_t out_len = 0;
    const int rv = (is_wrap ? hr_wrap : hr_unwrap)(out, &out_len, in, len, object_key(o), m->iv);
    return rv ? rv : (int)out_len;
}

/* Nothing is wrapped in pieces. */
static int wrap_start(struct object *o, const struct message *m)
{
    return HR_ESTATE;
}

static int wrap_update(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len)
{
    return HR_ESTATE;
}

static int wrap_finish(struct object *o, uint8_t *out, size_t room)
{
    return HR_ESTATE;
}

const struct message_class wrap_messages = {
    .key_size = hr_wrap_key_size,
    .set_key = wrap_set_key,
    .start = wrap_start,
    .update = wrap_update,
    .finish = wrap_finish,
    .once = wrap_once,
};
