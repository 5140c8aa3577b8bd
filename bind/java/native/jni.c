/* SPDX-License-Identifier: Apache-2.0 */
/* The flat functions as native methods of org.headrace.jce.Natives.
 *
 * Arrays are used where they lie (GetPrimitiveArrayCritical), and the collector may have
 * to wait meanwhile: so callers pass at most 16 KiB at a time, and what takes long gets copies. */
#include "jni_calls.h"
#include "object.h"

/* part_begin returns where an array begins, NULL if there is none, and part_end gives it back. */
static uint8_t *part_begin(JNIEnv *env, jarray array)
{
    return array ? (*env)->GetPrimitiveArrayCritical(env, array, NULL) : NULL;
}

static void part_end(JNIEnv *env, jarray array, uint8_t *p, bool is_written)
{
    if (array && p)
        (*env)->ReleasePrimitiveArrayCritical(env, array, p, is_written ? 0 : JNI_ABORT);
}

#define OBJECT(address) ((struct object *)(uintptr_t)(address))

METHOD(jint, version)
{
    return hrj_version();
}

METHOD(jlong, cpu)
{
    return (jlong)hrj_cpu();
}

METHOD(jint, algorithm, jbyteArray name, jint len)
{
    uint8_t *const p = part_begin(env, name);
    const jint rv = p ? hrj_algorithm(p, len) : 0;
    part_end(env, name, p, false);
    return rv;
}

METHOD(jlong, make, jint alg)
{
    return (jlong)(uintptr_t)hrj_new(alg);
}

METHOD(jlong, copy, jlong o)
{
    return (jlong)(uintptr_t)hrj_copy(OBJECT(o));
}

METHOD(void, free_object, jlong o)
{
    hrj_free(OBJECT(o));
}

METHOD(jlong, live)
{
    return hrj_live();
}

METHOD(jint, set_key, jlong o, jbyteArray key, jint len)
{
    uint8_t *const p = part_begin(env, key);
    const jint rv = p ? hrj_set_key(OBJECT(o), p, len) : HR_EINVAL;
    part_end(env, key, p, false);
    return rv;
}

METHOD(jint, start, jlong o, jint op, jbyteArray iv, jint iv_len, jint extra)
{
    uint8_t *const p = part_begin(env, iv);
    const jint rv = iv && !p ? HR_EINVAL : hrj_start(OBJECT(o), op, p, iv_len, extra);
    part_end(env, iv, p, false);
    return rv;
}

METHOD(jint, aad, jlong o, jbyteArray aad, jlong at, jint len)
{
    uint8_t *const p = part_begin(env, aad);
    const jint rv = aad && !p ? HR_EINVAL : hrj_aad(OBJECT(o), p, at, len);
    part_end(env, aad, p, false);
    return rv;
}

METHOD(jint, lengths, jlong o, jlong aad_len, jlong len)
{
    return hrj_lengths(OBJECT(o), aad_len, len);
}

METHOD(jint, update, jlong o, jbyteArray out, jlong out_at, jint room, jbyteArray in, jlong in_at,
       jint len)
{
    uint8_t *const from = part_begin(env, in);
    uint8_t *const to = part_begin(env, out);
    const jint rv = (in && !from) || (out && !to)
                        ? HR_EINVAL
                        : hrj_update(OBJECT(o), to, out_at, room, from, in_at, len);
    part_end(env, out, to, true);
    part_end(env, in, from, false);
    return rv;
}

METHOD(jint, finish, jlong o, jbyteArray out, jlong out_at, jint room)
{
    uint8_t *const p = part_begin(env, out);
    const jint rv = out && !p ? HR_EINVAL : hrj_finish(OBJECT(o), p, out_at, room);
    part_end(env, out, p, true);
    return rv;
}

/* A nonce of ordinary length is copied, and a short message with its result: that takes less time
 * than to hold their arrays. */
enum { NONCE = 32, SHORT = 256, LONGER = 64 };

/* The arrays of a whole message, and what the flat functions take of them. */
struct arrays {
    jbyteArray iv, aad, out, in; /* iv and aad are NULL if they are not held */
    jlong out_at, in_at;
    jint room, len;
    uint8_t *nonce, *more, *to, *from;
    uint8_t nonce_copy[NONCE], in_copy[SHORT], out_copy[SHORT + LONGER];
};

static bool is_copied(const struct arrays *a, jbyteArray array)
{
    return array && (uint32_t)a->len <= SHORT;
}

/* arrays_copy copies what is short.  That must be before an array is held. */
static void arrays_copy(JNIEnv *env, struct arrays *a, jint iv_len)
{
    a->nonce = a->nonce_copy;
    if (a->iv && iv_len <= NONCE) {
        (*env)->GetByteArrayRegion(env, a->iv, 0, iv_len, (jbyte *)a->nonce_copy);
        a->iv = NULL;
    }
    if (is_copied(a, a->in)) {
        (*env)->GetByteArrayRegion(env, a->in, (jint)a->in_at, a->len, (jbyte *)a->in_copy);
        a->from = piece(a->in_copy, -a->in_at);
    }
    if (is_copied(a, a->out)) {
        a->room = a->room < SHORT + LONGER ? a->room : SHORT + LONGER;
        a->to = piece(a->out_copy, -a->out_at);
    }
}

static bool arrays_begin(JNIEnv *env, struct arrays *a, jbyteArray iv, jint iv_len, jbyteArray aad,
                         jint aad_len, jbyteArray out, jlong out_at, jint room, jbyteArray in,
                         jlong in_at, jint len)
{
    a->iv = iv;
    a->aad = aad_len ? aad : NULL;
    a->out = out;
    a->out_at = out_at;
    a->room = room;
    a->in = in;
    a->in_at = in_at;
    a->len = len;
    arrays_copy(env, a, iv_len);
    if (a->iv)
        a->nonce = part_begin(env, a->iv);
    a->more = part_begin(env, a->aad);
    if (!is_copied(a, in))
        a->from = part_begin(env, in);
    if (!is_copied(a, out))
        a->to = in == out ? a->from : part_begin(env, out);
    return a->nonce && (!a->aad || a->more) && (!in || a->from) && (!out || a->to);
}

static void arrays_end(JNIEnv *env, struct arrays *a, jint rv)
{
    const bool is_in_copied = is_copied(a, a->in), is_out_copied = is_copied(a, a->out);
    if (!is_out_copied && a->in != a->out)
        part_end(env, a->out, a->to, true);
    if (!is_in_copied)
        part_end(env, a->in, a->from, a->in == a->out);
    part_end(env, a->aad, a->more, false);
    part_end(env, a->iv, a->nonce, false);
    if (is_out_copied && rv > 0)
        (*env)->SetByteArrayRegion(env, a->out, (jint)a->out_at, rv, (jbyte *)a->out_copy);
    if (is_out_copied) /* what fails has perhaps written text, too */
        wipe_bytes(a->out_copy, rv > 0 ? (size_t)rv : (size_t)a->len + LONGER);
    if (is_in_copied)
        wipe_bytes(a->in_copy, (size_t)a->len);
}

METHOD(jint, once, jlong o, jint op, jbyteArray iv, jint iv_len, jint extra, jbyteArray aad,
       jint aad_len, jbyteArray out, jlong out_at, jint room, jbyteArray in, jlong in_at, jint len)
{
    struct arrays a;
    jint rv = HR_EINVAL;
    if (arrays_begin(env, &a, iv, iv_len, aad, aad_len, out, out_at, room, in, in_at, len))
        rv = hrj_once(OBJECT(o), op, a.nonce, iv_len, extra, a.more, aad_len, a.to, out_at, a.room,
                      a.from, in_at, len);
    arrays_end(env, &a, rv);
    return rv;
}

METHOD(jlong, seal, jbyteArray key, jint len)
{
    uint8_t *const p = part_begin(env, key);
    const jlong rv = p ? hrj_seal(p, len) : HR_EINVAL;
    part_end(env, key, p, true);
    return rv;
}

METHOD(jint, set_sealed, jlong o, jbyteArray sealed, jint len, jlong number)
{
    uint8_t *const p = part_begin(env, sealed);
    const jint rv = p ? hrj_set_sealed(OBJECT(o), p, len, number) : HR_EINVAL;
    part_end(env, sealed, p, false);
    return rv;
}

METHOD(jint, once_sealed, jint alg, jbyteArray sealed, jint key_len, jlong number, jint op,
       jbyteArray iv, jint iv_len, jint extra, jbyteArray aad, jint aad_len, jbyteArray out,
       jlong out_at, jint room, jbyteArray in, jlong in_at, jint len)
{
    uint8_t key[SEALED_MAX];
    if (key_len > SEALED_MAX)
        return HR_EINVAL;
    (*env)->GetByteArrayRegion(env, sealed, 0, key_len, (jbyte *)key);
    struct arrays a;
    jint rv = HR_EINVAL;
    if (arrays_begin(env, &a, iv, iv_len, aad, aad_len, out, out_at, room, in, in_at, len))
        rv = hrj_once_sealed(alg, key, key_len, number, op, a.nonce, iv_len, extra, a.more, aad_len,
                             a.to, out_at, a.room, a.from, in_at, len);
    arrays_end(env, &a, rv);
    return rv;
}

METHOD(jint, digest_start, jlongArray state, jint alg)
{
    uint8_t *const p = part_begin(env, state);
    const jint rv = p ? hrj_digest_start((uint64_t *)p, alg) : HR_EINVAL;
    part_end(env, state, p, true);
    return rv;
}

METHOD(jint, digest_update, jlongArray state, jbyteArray in, jlong at, jint len)
{
    uint8_t *const s = part_begin(env, state);
    uint8_t *const p = part_begin(env, in);
    const jint rv = !s || (in && !p) ? HR_EINVAL : hrj_digest_update((uint64_t *)s, p, at, len);
    part_end(env, in, p, false);
    part_end(env, state, s, true);
    return rv;
}

METHOD(jint, digest_finish, jlongArray state, jint alg, jbyteArray out, jlong at)
{
    uint8_t *const s = part_begin(env, state);
    uint8_t *const p = part_begin(env, out);
    const jint rv = s && p ? hrj_digest_finish((uint64_t *)s, alg, p, at) : HR_EINVAL;
    part_end(env, out, p, true);
    part_end(env, state, s, true);
    return rv;
}

METHOD(jlong, address, jobject buffer)
{
    return (jlong)(uintptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

/* clang-format off */
static const JNINativeMethod methods[] = {
    { "version", "()I", version },
    { "cpu", "()J", cpu },
    { "algorithm", "([BI)I", algorithm },
    { "make", "(I)J", make },
    { "copy", "(J)J", copy },
    { "free", "(J)V", free_object },
    { "live", "()J", live },
    { "setKey", "(J[BI)I", set_key },
    { "start", "(JI[BII)I", start },
    { "aad", "(J[BJI)I", aad },
    { "lengths", "(JJJ)I", lengths },
    { "update", "(J[BJI[BJI)I", update },
    { "finish", "(J[BJI)I", finish },
    { "once", "(JI[BII[BI[BJI[BJI)I", once },
    { "seal", "([BI)J", seal },
    { "setSealed", "(J[BIJ)I", set_sealed },
    { "onceSealed", "(I[BIJI[BII[BI[BJI[BJI)I", once_sealed },
    { "digestStart", "([JI)I", digest_start },
    { "digestUpdate", "([J[BJI)I", digest_update },
    { "digestFinish", "([JI[BJ)I", digest_finish },
    { "address", "(Ljava/nio/ByteBuffer;)J", address },
};
/* clang-format on */

static bool bind(JNIEnv *env, const char *name, const JNINativeMethod *list, jint num)
{
    jclass cls = (*env)->FindClass(env, name);
    return cls && !(*env)->RegisterNatives(env, cls, list, num);
}

/* JNI_OnUnload is called after the class loader of the jar was collected, and not when the process
 * ends. */
JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *unused)
{
    memory_end();
}

/* JNI_OnLoad is called by System.load, of a class of the jar. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *unused)
{
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) ||
        !bind(env, "org/headrace/jce/Natives", methods, (jint)COUNT(methods)) ||
        !bind(env, "org/headrace/jce/PkCalls", jni_pk_methods, jni_num_pk_methods) ||
        !bind(env, "org/headrace/jce/DeriveCalls", jni_derive_methods, jni_num_derive_methods) ||
        !bind(env, "org/headrace/jce/ManyCalls", jni_many_methods, jni_num_many_methods) ||
        !bind(env, "org/headrace/jce/NamedCalls", jni_named_methods, jni_num_named_methods))
        return JNI_ERR;
    return JNI_VERSION_1_8;
}
