/* SPDX-License-Identifier: Apache-2.0 */
/* Finds names that are close to a misspelt one. */
#ifndef NEAR_H
#define NEAR_H

#include <stddef.h>

struct near {
    const char *word;
    size_t word_len;
    struct {
        const char *name;
        size_t distance;
    } best[4]; /* nearest first; name is NULL in unused entries */
};

/* Compares one candidate: `spelling` (spelling_len bytes) is compared with the word, `name` is
 * shown. */
void near_offer(struct near *near, const char *name, const char *spelling, size_t spelling_len);
struct near near_begin(const char *word);
/* Writes "; near: A, B", or "" if there is no near name. */
void near_text(const struct near *near, char *out, size_t out_len);

#endif
