/* SPDX-License-Identifier: Apache-2.0 */
/* The flat functions of public key as native methods of org.headrace.jce.PkCalls.  They take long,
 * so they work on copies of arrays, which the collector need not wait for. */
#include "jni_calls.h"
#include "pk.h"

static jint length(JNIEnv *env, jbyteArray array)
{
    return array ? (*env)->GetArrayLength(env, array) : 0;
}

/* give_back writes the first len bytes to an array. */
static void give_back(JNIEnv *env, jbyteArray array, const struct copy *c, jint len)
{
    if (len > 0)
        (*env)->SetByteArrayRegion(env, array, 0, len, (const jbyte *)c->bytes);
}

#define PK(address) ((struct pk *)(uintptr_t)(address))

METHOD(jlong, make, jint alg, jint is_private, jbyteArray parts, jint len)
{
    struct copy c;
    copy_begin(&c, env, parts, 0, len);
    const jlong rv = c.bytes ? hrj_pk_new(alg, is_private, c.bytes, len) : HR_ESYSTEM;
    copy_end(&c);
    return rv;
}

METHOD(void, free_key, jlong pk)
{
    hrj_pk_free(PK(pk));
}

METHOD(jint, out_len, jlong pk)
{
    return hrj_pk_out_len(PK(pk));
}

METHOD(jint, run, jlong pk, jint op, jint padding, jint digest, jint mgf_digest, jint salt_len,
       jbyteArray label, jbyteArray out, jbyteArray in, jint at, jint len)
{
    const jint room = length(env, out), label_len = length(env, label);
    struct copy from, to, name;
    copy_begin(&name, env, label, 0, label_len);
    copy_begin(&from, env, in, at, len);
    copy_begin(&to, env, out, 0, room);
    jint rv = HR_ESYSTEM;
    if (from.bytes && to.bytes && name.bytes)
        rv = hrj_pk_run(PK(pk), op, padding, digest, mgf_digest, salt_len, name.bytes, label_len,
                        to.bytes, room, from.bytes, len);
    give_back(env, out, &to, rv);
    copy_end(&to);
    copy_end(&from);
    copy_end(&name);
    return rv;
}

METHOD(jint, generate, jint alg, jint bits, jlong e, jbyteArray out)
{
    const jint room = length(env, out);
    struct copy to;
    copy_room(&to, room);
    const jint rv = to.bytes ? hrj_pk_generate(alg, bits, e, to.bytes, room) : HR_ESYSTEM;
    give_back(env, out, &to, rv);
    copy_end(&to);
    return rv;
}

METHOD(jlong, ephemeral, jint alg)
{
    return hrj_pk_ephemeral(alg);
}

METHOD(jint, generate_in, jint alg, jint bits, jbyteArray group, jbyteArray out)
{
    const jint len = length(env, group), room = length(env, out);
    struct copy from, to;
    copy_begin(&from, env, group, 0, len);
    copy_room(&to, room);
    jint rv = HR_ESYSTEM;
    if (from.bytes && to.bytes)
        rv = hrj_pk_generate_in(alg, bits, from.bytes, len, to.bytes, room);
    give_back(env, out, &to, rv);
    copy_end(&to);
    copy_end(&from);
    return rv;
}

METHOD(jint, named_keys, jbyteArray out)
{
    const jint room = length(env, out);
    struct copy to;
    copy_room(&to, room);
    const jint rv = to.bytes ? hrj_accel_list(to.bytes, room) : HR_ESYSTEM;
    give_back(env, out, &to, rv);
    copy_end(&to);
    return rv;
}

METHOD(jint, named_public, jbyteArray name, jbyteArray out)
{
    const jint name_len = length(env, name), room = length(env, out);
    struct copy from, to;
    copy_begin(&from, env, name, 0, name_len);
    copy_room(&to, room);
    jint rv = HR_ESYSTEM;
    if (from.bytes && to.bytes)
        rv = hrj_accel_public(from.bytes, name_len, to.bytes, room);
    give_back(env, out, &to, rv);
    copy_end(&to);
    copy_end(&from);
    return rv;
}

METHOD(jlong, named_open, jbyteArray name, jint alg, jint out_len)
{
    const jint name_len = length(env, name);
    struct copy c;
    copy_begin(&c, env, name, 0, name_len);
    const jlong rv = c.bytes ? hrj_accel_open(c.bytes, name_len, alg, out_len) : HR_ESYSTEM;
    copy_end(&c);
    return rv;
}

/* clang-format off */
const JNINativeMethod jni_pk_methods[] = {
    { "make", "(II[BI)J", make },
    { "free", "(J)V", free_key },
    { "outLength", "(J)I", out_len },
    { "run", "(JIIIII[B[B[BII)I", run },
    { "generate", "(IIJ[B)I", generate },
    { "ephemeral", "(I)J", ephemeral },
    { "generateIn", "(II[B[B)I", generate_in },
    { "namedKeys", "([B)I", named_keys },
    { "namedPublic", "([B[B)I", named_public },
    { "namedOpen", "([BII)J", named_open },
};
/* clang-format on */
const jint jni_num_pk_methods = COUNT(jni_pk_methods);
