/* SPDX-License-Identifier: Apache-2.0 */
/* Finds running programs that use an older state of openssl.cnf than the one on disk. */
#ifndef RUNNING_H
#define RUNNING_H

#include <stdbool.h>
#include <stddef.h>

enum { RUNNING_MAX = 64, RUNNING_NAME = 64 };

/* Programs that have a libcrypto with providers mapped, and headrace.so or not. */
struct running {
    struct {
        char name[RUNNING_NAME]; /* of the systemd unit, or else of the program */
        bool is_unit;
        unsigned num; /* processes */
    } all[RUNNING_MAX];
    size_t num;
    unsigned unread; /* processes whose maps this user may not read */
};

/* Lists the processes that have libcrypto mapped, but for this one: `served` those that have
 * headrace.so mapped too, else those that have not. Names above RUNNING_MAX are left out. */
void running_find(struct running *out, bool served);
/* Prints which services to restart, and how; nothing if there are none. `state` says what they
 * do: "are not served". */
void running_print(const struct running *r, const char *state);

#endif
