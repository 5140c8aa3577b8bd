/* SPDX-License-Identifier: Apache-2.0 */
/* Near matches of a misspelt name. */
#ifndef NEAR_H
#define NEAR_H

#include <stddef.h>

struct near {
    const char *word;
    size_t word_len;
    struct {
        const char *name;
        size_t distance;
    } best[4]; /* nearest first; name NULL where there is none */
};

/* Offers one candidate: `spelling` (spelling_len bytes) is compared, `name` is what is shown. */
void near_offer(struct near *near, const char *name, const char *spelling, size_t spelling_len);
struct near near_begin(const char *word);
/* "; near: A, B", or "" where nothing is near. */
void near_text(const struct near *near, char *out, size_t out_len);

#endif
