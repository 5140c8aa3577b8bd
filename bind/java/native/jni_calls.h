/* SPDX-License-Identifier: Apache-2.0 */
/* The files of native methods share these. */
#ifndef HR_JAVA_JNI_CALLS_H
#define HR_JAVA_JNI_CALLS_H

#include "../../common.h"
#include <jni.h>
#include <stdlib.h>

/* METHOD begins a static native method, with its arguments after those of every method. */
#define METHOD(type, name, ...) \
    static type JNICALL name(JNIEnv *env, jclass cls __VA_OPT__(, ) __VA_ARGS__)

extern const JNINativeMethod jni_pk_methods[], jni_derive_methods[], jni_many_methods[],
    jni_named_methods[];
extern const jint jni_num_pk_methods, jni_num_derive_methods, jni_num_many_methods,
    jni_num_named_methods;

/* A copy of a part of an array; without an array it has no bytes. */
struct copy {
    uint8_t *bytes; /* NULL: there was no memory */
    size_t size;
    uint8_t few[640];
};

/* copy_room makes room for len bytes, and copy_end wipes and frees it. */
static inline void copy_room(struct copy *c, jint len)
{
    c->size = (size_t)len;
    c->bytes = c->size <= sizeof c->few ? c->few : malloc(c->size);
}

static inline void copy_end(struct copy *c)
{
    if (c->bytes)
        wipe_bytes(c->bytes, c->size);
    if (c->bytes != c->few)
        free(c->bytes);
}

/* copy_begin copies len bytes from `at` on. */
static inline void copy_begin(struct copy *c, JNIEnv *env, jbyteArray array, jint at, jint len)
{
    copy_room(c, array ? len : 0);
    if (array && c->bytes)
        (*env)->GetByteArrayRegion(env, array, at, len, (jbyte *)c->bytes);
}

#endif
