/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of keys of every type, for the tests of public key. */
#ifndef HR_TEST_PK_PAIRS_H
#define HR_TEST_PK_PAIRS_H

#include "p11.h"

extern CK_SESSION_HANDLE s;
extern uint8_t text[300];

struct pair {
    CK_OBJECT_HANDLE public_key, private_key;
};

/* What a type of keys is made with. */
struct kind {
    const char *name;
    CK_MECHANISM_TYPE generate;
    CK_ATTRIBUTE_TYPE type; /* of the public template, with a number or bytes */
    CK_ULONG number;
    const uint8_t *bytes;
    size_t len;
};
enum { NUM_KINDS = 15 };
extern const struct kind kinds[NUM_KINDS];
extern struct pair pairs[NUM_KINDS]; /* which make_pairs makes */

void make_pairs(void);
const struct pair *pair_of(const char *name);
CK_RV generate_pair(CK_MECHANISM_TYPE type, struct list public, struct list private,
                    struct pair *pair);
/* template_of returns what the template of a kind's public key has. */
struct list template_of(const struct kind *kind);

/* The attributes that keys are made of; CKA_CLASS is the last one. */
enum { NUM_PARTS = 14, NO_PART = 0x12345 };
extern const CK_ATTRIBUTE_TYPE parts[NUM_PARTS];
/* read_parts reads those that a key has, but one; what it returns is valid until the next call.
 * import makes another key of them. */
struct list read_parts(CK_OBJECT_HANDLE key, CK_ATTRIBUTE_TYPE without);
CK_RV import(CK_OBJECT_HANDLE key, CK_ATTRIBUTE_TYPE without, struct list more,
             CK_OBJECT_HANDLE *out);

void check_uses_of_pairs(int quick); /* pk_use.c */
void check_infos(void);              /* pk_info.c */

#endif
