/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that `headrace digest` and `headrace mac` share: their options, their output
 * formats, and the check of lists in any of these formats.
 */
#ifndef SUMS_FORMS_H
#define SUMS_FORMS_H

#include "../../cli/tool.h"
#include "sums.h"

struct sums_options {
    const char *algorithm;
    bool list, verbose, tag, check, quiet, status, strict, warn, ignore_missing;
};
extern struct sums_options sums_options;

/* clang-format off */
#define SUMS_FLAG(name, letter, flag, help) { name, letter, NULL, help, &sums_options.flag, NULL }
#define SUMS_OPTIONS                                                                               \
    { "algorithm", 'a', "ALG", "the algorithm; -l lists them", NULL, &sums_options.algorithm },    \
    SUMS_FLAG("list", 'l', list, "list the algorithms"),                                           \
    SUMS_FLAG("verbose", 'v', verbose, "print algorithm and file too: alg (FILE) = HEX"),          \
    SUMS_FLAG("tag", 0, tag, "print in BSD's form: ALG (FILE) = HEX"),                             \
    SUMS_FLAG("check", 'c', check, "FILEs are lists: check the files that they name"),             \
    SUMS_FLAG("ignore-missing", 0, ignore_missing, "with -c: skip files that do not exist"), \
    SUMS_FLAG("quiet", 0, quiet, "with -c: do not print OK for files that match"),                 \
    SUMS_FLAG("status", 0, status, "with -c: print nothing, the exit code tells"),                 \
    SUMS_FLAG("strict", 0, strict, "with -c: fail if a line has the wrong form"),               \
    SUMS_FLAG("warn", 'w', warn, "with -c: name each line that has the wrong form")
/* clang-format on */

/* Checks for options that exclude each other. Returns EXIT_SUCCESS, or an exit code after a
 * message. */
int sums_options_check(const char *command);

/* The names of a row in lists: BSD's "SHA256", "HMAC-SHA256", and Solaris's "sha256",
 * "sha256_hmac". */
struct sums_words {
    char tag[40], solaris[40];
};
struct sums_words sums_words(const struct hr_algorithm *row);

/* Prints the sums of the files, or checks the files as lists; no file means standard input.
 * kind->row may be NULL with --check; then a line may name any row for which `takes` is true.
 * Returns an exit code. */
int sums_files(const struct sums_kind *kind, bool (*takes)(const struct hr_algorithm *row),
               int num_paths, char **paths);

#endif
