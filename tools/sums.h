/* SPDX-License-Identifier: Apache-2.0
 *
 * md5sum, sha1sum, sha224sum ... sha512sum: names under which the `headrace` program prints and
 * checks digests of files, with the options, the output and the exit codes of GNU coreutils 9.1.
 * Scripts read those, so here every error begins with the name that the program was started by,
 * and usage errors are exit code 1.
 */
#ifndef SUMS_H
#define SUMS_H

#include <headrace/headrace.h>
#include <stdbool.h>
#include <stdio.h>

struct sums_name {
    const char *name; /* "sha256sum" */
    const char *tag;  /* "SHA256": what tagged lines begin with */
    hr_alg alg;
};

/* The row of a program's name or path, or NULL. */
const struct sums_name *sums_named(const char *path);
/* Does all that the name stands for; returns its exit code. argv[0] begins its messages. */
int sums_main(const struct sums_name *name, int argc, char **argv);

/* ---- a file ---- */

/* What is computed of a file: a digest, or a MAC under a key (of the row's class). */
struct sums_kind {
    const struct hr_algorithm *row;
    const struct hr_hmac_key *hmac;
    const struct hr_nmac_key *nmac;
    const uint8_t *nonce;
    size_t nonce_len;
};

enum sums_read { SUMS_READ, SUMS_MISSING, SUMS_FAILED };

/* The digest of a file, of standard input for "-". SUMS_MISSING, without a word, where there is no
 * such file and `missing_is_fine`; SUMS_FAILED after a message. */
enum sums_read sums_file(uint8_t out[HR_DIGEST_MAX_OUT], const struct sums_kind *kind,
                         const char *path, bool missing_is_fine);
/* The same of file i of a command's, which asks for one after the other. */
enum sums_read sums_file_of(uint8_t out[HR_DIGEST_MAX_OUT], const struct sums_kind *kind,
                            char **paths, int num, int i);
void sums_hex(char hex[2 * HR_DIGEST_MAX_OUT + 1], const uint8_t *digest, size_t len);

/* ---- a line of a checksum list ---- */

/* What is known of a list's lines; `spaces` is found out by the first line that is not tagged. */
struct sums_format {
    const struct hr_algorithm *row; /* of lines that name none; NULL: each has to */
    const char *tag;                /* the only one that lines have, as coreutils checks it, or: */
    /* which row a tag means (not ended by a NUL), NULL: none that is wanted here. Such a list may
     * have Solaris lines too. */
    const struct hr_algorithm *(*tagged)(const struct sums_format *format, const char *tag,
                                         size_t tag_len);
    enum sums_spaces { SPACES_UNKNOWN, SPACES_TWO, SPACES_ONE } spaces;
};

struct sums_line {
    const struct hr_algorithm *row;
    uint8_t digest[HR_DIGEST_MAX_OUT]; /* row->out_len */
    const char *path;                  /* within the line, which was changed for it */
};

/* Takes a line apart in place: line[len] is 0, its newline is gone. Whether it is well-formed. */
bool sums_parse(struct sums_line *out, struct sums_format *format, char *line, size_t len);

/* ---- a list ---- */

struct sums_check {
    const char *label;         /* of lines that have the wrong form: "SHA256 " */
    struct sums_kind kind;     /* but for the row, which a line may name */
    struct sums_format format; /* of all lists */
    enum sums_say { SAY_ALL, SAY_WARN, SAY_QUIET, SAY_STATUS } say;
    bool ignore_missing, strict;
};

/* Checks what a list names, and says what came out; whether all is well. */
bool sums_check(struct sums_check *how, const char *path);

/* ---- names in output ---- */

/* With "\n", "\\" and "\r" for what would break a line, where `escape`. */
void sums_put_path(const char *path, bool escape);
/* As a shell would need it. */
void sums_put_quoted(FILE *out, const char *path);

/* What messages begin with. */
void sums_called(const char *program);
/* "PROGRAM: PATH: ..." and "PROGRAM: ..." on stderr. */
__attribute__((format(printf, 2, 3))) void sums_complain(const char *path, const char *format, ...);
__attribute__((format(printf, 1, 2))) void sums_say(const char *format, ...);

#endif
