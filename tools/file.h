/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: read, and replaced at once or not at all. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The file's text, a zero after it, from malloc; NULL with one line printed. */
char *file_read(const char *path, size_t *len);

/* Puts the text in place of the file, or makes it: a reader sees the old one or the new one, and a
 * failure leaves the old one.  Follows symbolic links; keeps mode and owner, of `like` for a file
 * that is new (NULL: 0644).  Prints one line where it fails; returns an exit code. */
int file_replace(const char *path, const char *text, size_t len, const char *like);

/* Whether file_replace could, after file_make_parents or without: to be asked before what takes
 * long.  Exit code, one line printed. */
int file_may_replace(const char *path, bool with_parents);

/* The directories that lead to a file. */
int file_make_parents(const char *path);

#endif
