/* SPDX-License-Identifier: Apache-2.0 */
/* What PKCS#11 does beside messages: sessions, and finding objects. */
#ifndef MEASURE_P11_OTHER_H
#define MEASURE_P11_OTHER_H

#include "../race.h"
#include "token.h"

enum { NUM_OBJECTS = 1000, NUM_OTHERS = 3 };

/* A call, or the calls for one thing, as a contender of race.h. */
struct p11_other {
    const char *name, *json;
    void (*run)(void *token, uint64_t n);
    bool needs_objects;
};
extern const struct p11_other p11_others[NUM_OTHERS];

/* p11_objects_make makes NUM_OBJECTS keys with a label and an id each.  They end with the token's
 * session.  It returns an exit code. */
int p11_objects_make(const struct token *token);

#endif
