/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that sign and verify, right ones and refused ones, made of recipes: two sets of one recipe
 * are equal, and share no memory. */
#ifndef HR_SIGN_MANY_H
#define HR_SIGN_MANY_H

#include "rsa_keys.h"
#include <headrace/queue.h>

enum {
    MOST_JOBS = 2 * RSA_MANY + 1,
    MOST_TAG = 640,
    NUM_PADDINGS = 4,
    NUM_OTHERS = 2,
    LONG_KEY = 2
};

struct recipe {
    uint8_t key;     /* below num_keys: RSA; then a key of NUM_OTHERS other rows */
    uint8_t verify;  /* else: sign */
    uint8_t padding; /* below NUM_PADDINGS */
    uint8_t defect;  /* below num_defects; 0: none */
    uint8_t strict;
};

/* The memory of a job. */
struct room {
    uint8_t in[RSA_PRIVATE_BYTES], tag[MOST_TAG];
    struct hr_rsa_options options;
    struct hr_rsa_key key;
    struct hr_job next;
};

struct set {
    struct recipe recipe[MOST_JOBS];
    struct hr_job job[MOST_JOBS];
    struct room room[MOST_JOBS];
};

extern const size_t num_defects;
const char *recipe_name(const struct recipe *recipe);
/* recipe_is_fault is whether a key of RSA has parts that do not fit. */
int recipe_is_fault(const struct recipe *recipe);

/* make_signatures makes keys of other rows, and a signature of each key and padding; returns an
 * error. */
int make_signatures(void);
const uint8_t *right_signature(const struct recipe *recipe);
void make_set(struct set *set, const struct recipe *recipes, size_t num);

#endif
