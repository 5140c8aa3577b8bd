/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of a new object, with the memory of their values. */
#ifndef TOOLS_TOKEN_TEMPLATE_H
#define TOOLS_TOKEN_TEMPLATE_H

#include "token.h"
#include <stdint.h>

struct token_template {
    CK_ATTRIBUTE list[40];
    CK_ULONG num;
    size_t used;
    bool is_full; /* something did not fit */
    CK_BYTE bytes[80 << 10];
};

/* template_room adds an attribute and returns the memory for its value; NULL if there is none. */
CK_BYTE *template_room(struct token_template *t, CK_ATTRIBUTE_TYPE type, size_t len);
void template_add(struct token_template *t, CK_ATTRIBUTE_TYPE type, const void *value, size_t len);
void template_bool(struct token_template *t, CK_ATTRIBUTE_TYPE type, bool value);
void template_number(struct token_template *t, CK_ATTRIBUTE_TYPE type, CK_ULONG value);

/* ---- token_pem.c: what a file contains, by OpenSSL ---- */

/* The objects of a file: a private key with its public key, or a public key, and certificates. Each
 * has the attributes that come from the file, its class, and CKA_ID. */
enum { TOKEN_MOST_OBJECTS = 16, TOKEN_ID = 20 };
struct token_file {
    struct token_template *objects[TOKEN_MOST_OBJECTS]; /* token_file_free frees them */
    CK_OBJECT_CLASS classes[TOKEN_MOST_OBJECTS];
    CK_KEY_TYPE key_types[TOKEN_MOST_OBJECTS];
    unsigned num;
};
int token_file_parse(struct token_file *out, const char *path, const char *text, size_t len);
/* token_file_add adds an empty object; NULL after an error, which is printed. */
struct token_template *token_file_add(struct token_file *f, CK_OBJECT_CLASS cls, CK_KEY_TYPE type);
void token_file_free(struct token_file *f);

#endif
