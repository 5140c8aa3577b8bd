/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of native methods share. */
#ifndef HR_JAVA_JNI_CALLS_H
#define HR_JAVA_JNI_CALLS_H

#include <jni.h>

/* METHOD begins a static native method, with its arguments after those of every method. */
#define METHOD(type, name, ...) \
    static type JNICALL name(JNIEnv *env, jclass cls __VA_OPT__(, ) __VA_ARGS__)

extern const JNINativeMethod jni_pk_methods[];
extern const jint jni_num_pk_methods;

#endif
