/* SPDX-License-Identifier: Apache-2.0 */
#include "object.h"

#define P11_BOOL(type, SYM, classes, flags) { type, KIND_BOOL, flags, BIT_NUMBER_##SYM, classes },
#define P11_ATTRIBUTE(type, kind, classes, flags) { type, KIND_##kind, flags, 0, classes },
static const struct attribute_info infos[] = {
#include "attributes.def"
};

const struct attribute_info *attribute_info(CK_ATTRIBUTE_TYPE type)
{
    for (size_t i = 0; i < COUNT(infos); i++)
        if (infos[i].type == type)
            return &infos[i];
    return NULL;
}

unsigned class_bit(CK_OBJECT_CLASS cls)
{
    static const struct {
        CK_OBJECT_CLASS cls;
        unsigned bit;
    } classes[] = {
        { CKO_DATA, CLASS_DATA },           { CKO_CERTIFICATE, CLASS_CERT },
        { CKO_SECRET_KEY, CLASS_SECRET },   { CKO_PUBLIC_KEY, CLASS_PUBLIC },
        { CKO_PRIVATE_KEY, CLASS_PRIVATE },
    };
    for (size_t i = 0; i < COUNT(classes); i++)
        if (classes[i].cls == cls)
            return classes[i].bit;
    return 0;
}
