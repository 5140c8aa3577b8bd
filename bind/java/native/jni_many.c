/* SPDX-License-Identifier: Apache-2.0 */
/* Batches as native methods of org.headrace.jce.ManyCalls. */
#include "jni_calls.h"
#include "many.h"

#define AT(type, address) ((type)(uintptr_t)(address))

METHOD(jint, digest, jint alg, jlong in, jlong len, jint num, jlong out)
{
    return hrj_digest_many(alg, AT(const void *const *, in), AT(const size_t *, len), num,
                           AT(uint8_t *, out));
}

METHOD(jint, mac, jlong o, jlong in, jlong len, jint num, jlong out)
{
    return hrj_mac_many(AT(struct object *, o), AT(const void *const *, in),
                        AT(const size_t *, len), num, AT(uint8_t *, out));
}

METHOD(jint, verify, jint op, jint padding, jint digest, jint mgf_digest, jint salt_len,
       jlong label, jint label_len, jlong checks, jint num, jlong results)
{
    return hrj_verify_many(op, padding, digest, mgf_digest, salt_len, AT(const uint8_t *, label),
                           label_len, AT(const struct many_check *, checks), num,
                           AT(int32_t *, results));
}

METHOD(void, wipe, jlong at, jlong len)
{
    hrj_wipe(AT(uint8_t *, at), len);
}

/* clang-format off */
const JNINativeMethod jni_many_methods[] = {
    { "digest", "(IJJIJ)I", digest },
    { "mac", "(JJJIJ)I", mac },
    { "verify", "(IIIIIJIJIJ)I", verify },
    { "wipe", "(JJ)V", wipe },
};
/* clang-format on */
const jint jni_num_many_methods = (jint)COUNT(jni_many_methods);
