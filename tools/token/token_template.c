/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "token_template.h"
#include <stdlib.h>
#include <string.h>

CK_BYTE *template_room(struct token_template *t, CK_ATTRIBUTE_TYPE type, size_t len)
{
    enum { ALIGN = sizeof(CK_ULONG) };
    const size_t from = (t->used + ALIGN - 1) / ALIGN * ALIGN;
    if (t->num == COUNT(t->list) || len > sizeof t->bytes - from) {
        t->is_full = true;
        return NULL;
    }
    t->list[t->num++] = (CK_ATTRIBUTE){ type, t->bytes + from, len };
    t->used = from + len;
    return t->bytes + from;
}

void template_add(struct token_template *t, CK_ATTRIBUTE_TYPE type, const void *value, size_t len)
{
    CK_BYTE *to = template_room(t, type, len);
    if (to && len)
        memcpy(to, value, len);
}

void template_bool(struct token_template *t, CK_ATTRIBUTE_TYPE type, bool value)
{
    template_add(t, type, &(CK_BBOOL){ value ? CK_TRUE : CK_FALSE }, sizeof(CK_BBOOL));
}

void template_number(struct token_template *t, CK_ATTRIBUTE_TYPE type, CK_ULONG value)
{
    template_add(t, type, &value, sizeof value);
}

struct token_template *token_file_add(struct token_file *f, CK_OBJECT_CLASS cls, CK_KEY_TYPE type)
{
    struct token_template *t = f->num < TOKEN_MOST_OBJECTS ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        tool_error("too many objects");
        return NULL;
    }
    f->classes[f->num] = cls;
    f->key_types[f->num] = type;
    f->objects[f->num++] = t;
    template_number(t, CKA_CLASS, cls);
    if (cls != CKO_CERTIFICATE)
        template_number(t, CKA_KEY_TYPE, type);
    return t;
}

void token_file_free(struct token_file *f)
{
    for (unsigned i = 0; i < f->num; i++) {
        explicit_bzero(f->objects[i], sizeof *f->objects[i]);
        free(f->objects[i]);
    }
    f->num = 0;
}
