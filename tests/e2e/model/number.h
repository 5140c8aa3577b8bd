/* SPDX-License-Identifier: Apache-2.0 */
/* The models of keys that are numbers share these: RSA, DSA, DH. */
#ifndef HR_TEST_MODEL_NUMBER_H
#define HR_TEST_MODEL_NUMBER_H

#include "pkey.h"

enum { MAX_NUMBER = 512, MAX_NUMBERS = 11, MAX_LISTS = 2 };

/* struct asked is a parameter that is asked for: NULL for its memory if not `with`. */
struct asked {
    const char *name;
    unsigned type;
    size_t len;
    int with;
};

/* struct number_source is what a model imports keys from: the parts of two keys. */
struct number_source {
    const char *type;
    const char *const *names;
    const size_t *counts; /* 6 numbers of parts, of which one is drawn */
    OSSL_PARAM *const *pair;
    unsigned odd; /* one part of so many is the other key's */
    int whole;    /* no part is left out */
};

/* struct choice is some lists, set one after the other. */
struct choice {
    struct random_params memory[MAX_LISTS];
    size_t num;
};

/* ---- keys ---- */

/* number_import imports a key, some of whose parts are wrong, and returns it, or NULL. */
EVP_PKEY *number_import(struct run *r, struct result *out, const struct number_source *from,
                        int *selection);
void do_number_dup(struct run *r, struct result *out);
void number_get(struct run *r, struct result *out, EVP_PKEY *key, const struct asked *a);
/* number_export exports a key, and says the parts that have these names. */
void number_export(struct run *r, struct result *out, const char *const names[], size_t num);
/* ---- contexts ---- */

void number_choose(struct run *r, struct choice *c, const struct kind kinds[]);
void number_set(struct result *out, EVP_PKEY_CTX *ctx, const struct choice *c);
/* number_begin makes a context of a key. */
EVP_PKEY_CTX *number_begin(struct run *r, EVP_PKEY *key);
/* number_duplicate puts a copy in a context's place, sometimes; it returns 0 if none can be made.
 */
int number_duplicate(struct run *r, EVP_PKEY_CTX **ctx);
/* say_list says the keys and types of a list. */
void say_list(struct result *out, const OSSL_PARAM *list);

#endif
