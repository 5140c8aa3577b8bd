/* SPDX-License-Identifier: Apache-2.0 */
/* The format of the service's files, policy and keys:
 *
 *   # a comment, on a line of its own
 *   [kind name]
 *   word = value
 *
 * The functions read a buffer.  They open no file and keep no state. */
#ifndef HR_LINES_H
#define HR_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_MAX_LEN = 1024, LINES_ERROR = 160 };

/* A position in a text, and the error that was found there. */
struct lines {
    const char *at, *end;
    unsigned number;         /* of the line, from 1 */
    uint32_t said;           /* bits of words in this section: see lines_once */
    char error[LINES_ERROR]; /* "line 3: ..." */
};

/* A line that is neither empty nor a comment.  A line of a key file may contain a key, so
 * keyfile_parse wipes it. */
struct line {
    char text[LINE_MAX_LEN];
    const char *section; /* "client", with `value` its name; or NULL */
    const char *word, *value;
};

void lines_begin(struct lines *l, const char *text, size_t text_len);
/* lines_next reads the next line.  Returns 1; 0 at the end; -1: l->error says why. */
int lines_next(struct lines *l, struct line *line);
/* lines_error writes l->error, with the line's number before it, and returns -1. */
__attribute__((format(printf, 2, 3))) int lines_error(struct lines *l, const char *format, ...);

/* lines_once returns 0, or -1 with l->error if the section has set word number `which` before: one
 * of the two lines must be a mistake. */
int lines_once(struct lines *l, const struct line *line, unsigned which);

/* ---- values ----  Each but lines_word returns 0, or -1 with l->error. */

/* lines_word copies the next word of a list, between spaces and commas, to `out`.  It returns 0 at
 * the end of the list, else 1. */
int lines_word(const char **list, char *out, size_t out_len);
int lines_bool(struct lines *l, const struct line *line, bool *out);
/* lines_number reads a number such as 12, 64K, 2M or 1G (K is 1024). */
int lines_number(struct lines *l, const struct line *line, uint64_t min, uint64_t max,
                 uint64_t *out);

/* ---- who ---- */

enum { WHO_MAX = 16 };

struct who_range {
    uint32_t from, to;
};

/* Users and groups; if neither is given, everyone. */
struct who {
    unsigned num_uids, num_gids;
    struct who_range uids[WHO_MAX], gids[WHO_MAX];
};

/* A who_lookup returns the number of a user or group, or -1 if there is none of this name. */
typedef int64_t who_lookup(const char *name, bool group);
who_lookup file_who; /* file_who.c: in /etc/passwd or /etc/group */

/* lines_who reads a list such as 0, 1000-1999, www-data.  `lookup` NULL: numbers only. */
int lines_who(struct lines *l, const struct line *line, struct who *who, bool group,
              who_lookup *lookup);
/* lines_who_has tells whether `who` contains the uid or one of the gids. */
bool lines_who_has(const struct who *who, uint32_t uid, const uint32_t *gids, size_t num_gids);

#endif
