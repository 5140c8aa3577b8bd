/* SPDX-License-Identifier: Apache-2.0 */
/* What the models of keys that are numbers share: RSA, DSA, DH. */
#ifndef HR_TEST_MODEL_NUMBER_H
#define HR_TEST_MODEL_NUMBER_H

#include "pkey.h"

enum { MAX_NUMBER = 512 };

/* struct asked is a parameter that is asked for: NULL for its memory if not `with`. */
struct asked {
    const char *name;
    unsigned type;
    size_t len;
    int with;
};

void do_number_dup(struct run *r, struct result *out);
void do_number_check(struct run *r, struct result *out);
void number_get(struct run *r, struct result *out, EVP_PKEY *key, const struct asked *a);
/* number_export exports a key, and says the parts that have these names. */
void number_export(struct run *r, struct result *out, const char *const names[], size_t num);
/* say_list says the keys and types of a list. */
void say_list(struct result *out, const OSSL_PARAM *list);

#endif
