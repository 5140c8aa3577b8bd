/* SPDX-License-Identifier: Apache-2.0 */
/* Key derivation as native methods of org.headrace.jce.DeriveCalls. */
#include "derive.h"
#include "jni_calls.h"

/* Two inputs and an output, as copies. */
struct copies {
    struct copy a, b, out;
};

static bool begin(struct copies *c, JNIEnv *env, jbyteArray a, jbyteArray b, jbyteArray out)
{
    copy_begin(&c->a, env, a, 0, (*env)->GetArrayLength(env, a));
    copy_begin(&c->b, env, b, 0, (*env)->GetArrayLength(env, b));
    copy_room(&c->out, (*env)->GetArrayLength(env, out));
    return c->a.bytes && c->b.bytes && c->out.bytes;
}

static jint end(struct copies *c, JNIEnv *env, jbyteArray out, jint result)
{
    if (result > 0)
        (*env)->SetByteArrayRegion(env, out, 0, result, (const jbyte *)c->out.bytes);
    copy_end(&c->a);
    copy_end(&c->b);
    copy_end(&c->out);
    return result;
}

METHOD(jint, pbkdf2, jint alg, jbyteArray password, jbyteArray salt, jlong iterations,
       jbyteArray out)
{
    struct copies c;
    const bool is_ready = begin(&c, env, password, salt, out);
    return end(&c, env, out,
               is_ready ? hrj_pbkdf2(alg, c.a.bytes, (jint)c.a.size, c.b.bytes, (jint)c.b.size,
                                     iterations, c.out.bytes, (jint)c.out.size)
                        : HR_ESYSTEM);
}

METHOD(jint, hkdf_extract, jint alg, jbyteArray salt, jbyteArray ikm, jbyteArray out)
{
    struct copies c;
    const bool is_ready = begin(&c, env, salt, ikm, out);
    return end(&c, env, out,
               is_ready ? hrj_hkdf_extract(alg, c.a.bytes, (jint)c.a.size, c.b.bytes,
                                           (jint)c.b.size, c.out.bytes, (jint)c.out.size)
                        : HR_ESYSTEM);
}

METHOD(jint, hkdf_expand, jint alg, jbyteArray prk, jbyteArray info, jbyteArray out)
{
    struct copies c;
    const bool is_ready = begin(&c, env, prk, info, out);
    return end(&c, env, out,
               is_ready ? hrj_hkdf_expand(alg, c.a.bytes, (jint)c.a.size, c.b.bytes, (jint)c.b.size,
                                          c.out.bytes, (jint)c.out.size)
                        : HR_ESYSTEM);
}

/* clang-format off */
const JNINativeMethod jni_derive_methods[] = {
    { "pbkdf2", "(I[B[BJ[B)I", pbkdf2 },
    { "hkdfExtract", "(I[B[B[B)I", hkdf_extract },
    { "hkdfExpand", "(I[B[B[B)I", hkdf_expand },
};
/* clang-format on */
const jint jni_num_derive_methods = (jint)COUNT(jni_derive_methods);
