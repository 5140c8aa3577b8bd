/* SPDX-License-Identifier: Apache-2.0
 *
 * md5sum, sha1sum, sha224sum ... sha512sum: names under which the `headrace` program prints and
 * checks digests of files, with the options, the output and the exit codes of GNU coreutils 9.1.
 * Scripts depend on these, so every error begins with the name by which the program was started,
 * and usage errors have exit code 1.
 */
#ifndef SUMS_H
#define SUMS_H

#include <headrace/classes.h>
#include <stdbool.h>
#include <stdio.h>

struct sums_name {
    const char *name; /* "sha256sum" */
    const char *tag;  /* "SHA256", with which tagged lines begin */
    hr_alg alg;
};

/* The row for a program's name or path, or NULL. */
const struct sums_name *sums_named(const char *path);
/* Runs the program of that name. Returns its exit code. Its messages begin with argv[0]. */
int sums_main(const struct sums_name *name, int argc, char **argv);

/* ---- a file ---- */

/* How a file is processed: by a digest, or by a MAC with a key (depending on the row's class). */
struct sums_kind {
    const struct hr_algorithm *row;
    const union hr_any_key *key;
    const uint8_t *nonce;
    size_t nonce_len;
};

enum sums_read { SUMS_READ, SUMS_MISSING, SUMS_FAILED };

/* Computes the digest of a file; "-" is standard input. Returns SUMS_MISSING, without a message,
 * if there is no such file and `missing_is_fine`; SUMS_FAILED after a message. */
enum sums_read sums_file(uint8_t out[HR_DIGEST_MAX_OUT], const struct sums_kind *kind,
                         const char *path, bool missing_is_fine);
/* sums_file for file i of a command's files, which are requested one after the other. */
enum sums_read sums_file_of(uint8_t out[HR_DIGEST_MAX_OUT], const struct sums_kind *kind,
                            char **paths, int num, int i);
void sums_hex(char hex[2 * HR_DIGEST_MAX_OUT + 1], const uint8_t *digest, size_t len);

/* ---- a line of a checksum list ---- */

/* The format of the lines of a list; the first line without a tag determines `spaces`. */
struct sums_format {
    /* The row of lines that name none; NULL: each line has to name one. */
    const struct hr_algorithm *row;
    const char *tag; /* the only tag that lines may have, as in coreutils; NULL: see `tagged` */
    /* If `tag` is NULL: finds the row that a tag means (which does not end with a NUL); NULL: no
     * row that is wanted. The list may also contain Solaris's lines. */
    const struct hr_algorithm *(*tagged)(const struct sums_format *format, const char *tag,
                                         size_t tag_len);
    enum sums_spaces { SPACES_UNKNOWN, SPACES_TWO, SPACES_ONE } spaces;
};

struct sums_line {
    const struct hr_algorithm *row;
    uint8_t digest[HR_DIGEST_MAX_OUT]; /* row->out_len bytes */
    const char *path;                  /* points into the line, which was changed */
};

/* Splits a line in place; line[len] is NUL, without the newline. Returns whether it is
 * well-formed. */
bool sums_parse(struct sums_line *out, struct sums_format *format, char *line, size_t len);

/* ---- a list ---- */

struct sums_check {
    const char *label;         /* for messages about malformed lines: "SHA256 " */
    struct sums_kind kind;     /* without a row if lines may name it */
    struct sums_format format; /* format of all lists */
    enum sums_say { SAY_ALL, SAY_WARN, SAY_QUIET, SAY_STATUS } say;
    bool ignore_missing, strict;
};

/* Checks the files that a list names, and prints the results. Returns whether all are right. */
bool sums_check(struct sums_check *how, const char *path);

/* ---- names in output ---- */

/* Prints a path. With `escape`, newlines, carriage returns and backslashes are escaped, because
 * they would break the line. */
void sums_put_path(const char *path, bool escape);
/* Prints a path quoted as a shell needs it. */
void sums_put_quoted(FILE *out, const char *path);

/* Sets the program name with which messages begin. */
void sums_called(const char *program);
/* Print "PROGRAM: PATH: ..." and "PROGRAM: ..." on stderr. */
__attribute__((format(printf, 2, 3))) void sums_complain(const char *path, const char *format, ...);
__attribute__((format(printf, 1, 2))) void sums_say(const char *format, ...);

#endif
