/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the service: policy and keys.
 *
 *   # a comment, on a line of its own
 *   [kind name]
 *   word = value
 *
 * Pure functions over a buffer: nothing is opened, nothing is kept. */
#ifndef HR_LINES_H
#define HR_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_MAX_LEN = 1024, LINES_ERROR = 160 };

/* Where a text was read, and what is wrong with it. */
struct lines {
    const char *at, *end;
    unsigned number;         /* of the line, from 1 */
    uint32_t said;           /* in this section, by lines_once */
    char error[LINES_ERROR]; /* "line 3: ..." */
};

/* A line that says something.  A secret's bytes may be in it: wiped by who has it. */
struct line {
    char text[LINE_MAX_LEN];
    const char *section; /* "client", with `value` its name; or NULL */
    const char *word, *value;
};

void lines_begin(struct lines *l, const char *text, size_t text_len);
/* The next line: 1; 0 at the end; -1: l->error says why. */
int lines_next(struct lines *l, struct line *line);
/* Writes l->error, with the line's number before it; returns -1. */
__attribute__((format(printf, 2, 3))) int lines_error(struct lines *l, const char *format, ...);

/* 0; or -1 where this was asked of the section's word number `which` before: what is said twice is
 * a mistake in one of two places. */
int lines_once(struct lines *l, const struct line *line, unsigned which);

/* ---- values ----  Each returns 0, or -1 with l->error. */

/* Words between spaces and commas: 1 while there is one, which is copied to `out`. */
int lines_word(const char **list, char *out, size_t out_len);
int lines_bool(struct lines *l, const struct line *line, bool *out);
/* 12, 64K, 2M, 1G (of 1024). */
int lines_number(struct lines *l, const struct line *line, uint64_t min, uint64_t max,
                 uint64_t *out);

/* ---- who ---- */

enum { WHO_MAX = 16 };

struct who_range {
    uint32_t from, to;
};

/* Users and groups; where neither is given, everyone. */
struct who {
    unsigned num_uids, num_gids;
    struct who_range uids[WHO_MAX], gids[WHO_MAX];
};

/* The number of a user's or group's name; -1: there is none. */
typedef int64_t who_lookup(const char *name, bool group);
who_lookup file_who; /* file_who.c: in /etc/passwd or /etc/group */

/* 0, 1000-1999, www-data.  `lookup` NULL: numbers only. */
int lines_who(struct lines *l, const struct line *line, struct who *who, bool group,
              who_lookup *lookup);
/* One of the uids, or one of the gids, is theirs. */
bool who_has(const struct who *who, uint32_t uid, const uint32_t *gids, size_t num_gids);

#endif
