/* SPDX-License-Identifier: Apache-2.0 */
/* The flat functions of object.h for keys that stay in the accelerator's service, as native methods
 * of org.headrace.jce.NamedCalls: they wait for the service, so they work on copies of arrays. */
#include "../jni_calls.h"
#include "../pk.h"

/* The most bytes that a call writes beyond those that it reads: a tag, or a block, or both. */
enum { MORE = 64 };

#define OBJECT(address) ((struct object *)(uintptr_t)(address))

/* A piece of memory: a copy of a part of an array, or what lies at an address. */
struct area {
    uint8_t *bytes; /* NULL: there was no memory */
    jbyteArray array;
    jlong at;
    struct copy copy;
};

static void area_read(struct area *a, JNIEnv *env, jbyteArray array, jlong at, jint len)
{
    a->array = array;
    a->bytes = (uint8_t *)(uintptr_t)at;
    if (array) {
        copy_begin(&a->copy, env, array, (jint)at, len);
        a->bytes = a->copy.bytes;
    }
}

static void area_write(struct area *a, jbyteArray array, jlong at, jint room)
{
    a->array = array;
    a->at = at;
    a->bytes = (uint8_t *)(uintptr_t)at;
    if (array) {
        copy_room(&a->copy, room);
        a->bytes = a->copy.bytes;
    }
}

/* area_end gives `written` bytes to the array, if that is more than 0. */
static void area_end(struct area *a, JNIEnv *env, jint written)
{
    if (!a->array)
        return;
    if (a->copy.bytes && written > 0)
        (*env)->SetByteArrayRegion(env, a->array, (jint)a->at, written, (jbyte *)a->copy.bytes);
    copy_end(&a->copy);
}

/* least returns how much of the room a call with `len` bytes can use. */
static jint least(jint room, jint len)
{
    return room - MORE < len ? room : len + MORE;
}

static bool is_there(const struct area *a)
{
    return a->bytes || !a->array;
}

METHOD(jlong, make, jlong key)
{
    return (jlong)(uintptr_t)hrj_accel_object((const struct pk *)(uintptr_t)key);
}

METHOD(jint, start, jlong object, jint op, jbyteArray iv, jint iv_len, jint extra)
{
    struct area nonce;
    area_read(&nonce, env, iv, 0, iv_len);
    const jint rv =
        is_there(&nonce) ? hrj_start(OBJECT(object), op, nonce.bytes, iv_len, extra) : HR_ESYSTEM;
    area_end(&nonce, env, 0);
    return rv;
}

METHOD(jint, update, jlong object, jbyteArray out, jlong out_at, jint room, jbyteArray in,
       jlong in_at, jint len)
{
    struct area from, to;
    if ((room | len) < 0)
        return HR_EINVAL;
    room = least(room, len);
    area_read(&from, env, in, in_at, len);
    area_write(&to, out, out_at, room);
    jint rv = HR_ESYSTEM;
    if (is_there(&from) && is_there(&to))
        rv = hrj_update(OBJECT(object), to.bytes, 0, room, from.bytes, 0, len);
    area_end(&to, env, rv);
    area_end(&from, env, 0);
    return rv;
}

METHOD(jint, finish, jlong object, jbyteArray out, jlong out_at, jint room)
{
    struct area to;
    if (room < 0)
        return HR_EINVAL;
    room = least(room, 0);
    area_write(&to, out, out_at, room);
    const jint rv = is_there(&to) ? hrj_finish(OBJECT(object), to.bytes, 0, room) : HR_ESYSTEM;
    area_end(&to, env, rv);
    return rv;
}

METHOD(jint, once, jlong object, jint op, jbyteArray iv, jint iv_len, jint extra, jbyteArray aad,
       jint aad_len, jbyteArray out, jlong out_at, jint room, jbyteArray in, jlong in_at, jint len)
{
    struct area nonce, more, from, to;
    if ((room | len) < 0)
        return HR_EINVAL;
    room = least(room, len);
    area_read(&nonce, env, iv, 0, iv_len);
    area_read(&more, env, aad, 0, aad_len);
    area_read(&from, env, in, in_at, len);
    area_write(&to, out, out_at, room);
    jint rv = HR_ESYSTEM;
    if (is_there(&nonce) && is_there(&more) && is_there(&from) && is_there(&to))
        rv = hrj_once(OBJECT(object), op, nonce.bytes, iv_len, extra, more.bytes, aad_len, to.bytes,
                      0, room, from.bytes, 0, len);
    area_end(&to, env, rv);
    area_end(&from, env, 0);
    area_end(&more, env, 0);
    area_end(&nonce, env, 0);
    return rv;
}

/* clang-format off */
const JNINativeMethod jni_named_methods[] = {
    { "make", "(J)J", make },
    { "start", "(JI[BII)I", start },
    { "update", "(J[BJI[BJI)I", update },
    { "finish", "(J[BJI)I", finish },
    { "once", "(JI[BII[BI[BJI[BJI)I", once },
};
/* clang-format on */
const jint jni_num_named_methods = COUNT(jni_named_methods);
