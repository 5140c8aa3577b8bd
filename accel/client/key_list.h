/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the named keys that this process may use. */
#ifndef HR_KEY_LIST_H
#define HR_KEY_LIST_H

#include "internal.h"
#include <headrace/accel.h>

struct key_list {
    size_t num;
    struct hr_accel_key at[CONTROL_KEYS];
};

/* key_list_ask asks for the whole list, under the connection's lock.  Returns 0 or an error; the
 * connection is lost if an answer is wrong. */
HR_MUST_CHECK int key_list_ask(struct key_list *list, struct connection *c);

#endif
