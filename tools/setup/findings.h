/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of headrace doctor, printed as lines for people or as JSON. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum level { FINE, NOTE, PROBLEM };

struct finding {
    enum level level;
    const char *about; /* one word */
    char text[2048];
    char advice[256]; /* what to do, or "" */
};

struct findings {
    size_t num;
    struct finding all[32];
};

/* Adds a finding; it is dropped if there is no more room. */
__attribute__((format(printf, 4, 5))) struct finding *
findings_add(struct findings *f, enum level level, const char *about, const char *format, ...);
/* Sets the advice of a finding. */
__attribute__((format(printf, 2, 3))) void finding_advise(struct finding *finding,
                                                          const char *format, ...);
size_t findings_problems(const struct findings *f);
void findings_print(const struct findings *f, FILE *out);
json_t *findings_json(const struct findings *f);

#endif
