/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a test as lines of words NAME=VALUE; a file FILE begins with the line "file FILE". */
#ifndef HR_PK_LINES_H
#define HR_PK_LINES_H

#include "test.h"
#include <headrace/number.h>

enum { LINE_BYTES = 4096 };

struct bytes {
    uint8_t p[LINE_BYTES];
    size_t len;
    int given;
};

static inline int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline void read_bytes(struct bytes *out, const char *text)
{
    out->given = 1;
    for (out->len = 0; hex_digit(text[0]) >= 0 && hex_digit(text[1]) >= 0; text += 2)
        if (out->len < sizeof out->p)
            out->p[out->len++] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
    if (*text)
        complain("no bytes in hex: %.20s", text);
}

/* read_part reads the value of a word that is one of the names of parts, which are num. */
static inline void read_part(struct bytes *parts, const char *const *names, size_t num,
                             const char *name, const char *value)
{
    for (size_t i = 0; i < num; i++)
        if (!strcmp(name, names[i]))
            read_bytes(&parts[i], value);
}

static inline struct hr_number number_of(const struct bytes *bytes)
{
    return (struct hr_number){ bytes->len ? bytes->p : NULL, bytes->len };
}

/* What a test does with a line: its first word, and the rest. */
typedef int run_line_fn(const char *op, char *rest); /* returns 0 for a line that it skips */

static inline void end_cases(const char *name, unsigned cases, unsigned skipped)
{
    if (!name[0])
        return;
    if (!cases && !skipped)
        complain("no case in this file");
    if (cases)
        tap(1, "%s: %u cases ran, %u skipped", name, cases, skipped);
    else
        tap_skip("no case of it is for us", "%s", name);
}

static inline void run_lines(FILE *file, run_line_fn *run)
{
    static char text[1 << 16];
    char name[256] = "";
    unsigned cases = 0, skipped = 0;
    while (fgets(text, sizeof text, file)) {
        char *rest = text, *op = strsep(&rest, " \n");
        if (!op[0] || op[0] == '#')
            continue;
        if (!strcmp(op, "file")) {
            end_cases(name, cases, skipped);
            snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "\n"), rest);
            cases = skipped = 0;
        } else if (!strcmp(op, "unread")) {
            complain("%s", rest);
        } else if (run(op, rest)) {
            cases++;
        } else {
            skipped++;
        }
    }
    end_cases(name, cases, skipped);
}

/* Calls `word` with each NAME=VALUE. */
static inline void
for_words(char *rest, void (*word)(void *ctx, const char *name, const char *value), void *ctx)
{
    for (char *text; (text = strsep(&rest, " \n"));) {
        char *value = strchr(text, '=');
        if (!value)
            continue;
        *value++ = '\0';
        word(ctx, text, value);
    }
}

static inline int run_file(const char *name, run_line_fn *run)
{
    FILE *file = strcmp(name, "-") ? fopen(name, "r") : stdin;
    if (!file) {
        printf("Bail out! %s cannot be read\n", name);
        return 1;
    }
    run_lines(file, run);
    if (file != stdin)
        fclose(file);
    return 0;
}

#endif
