/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: reading, and replacing in one step. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a file of at most 64 MiB into malloc'd memory and puts a NUL behind it. On failure prints
 * one line and returns NULL. */
char *file_read(const char *path, size_t *len);

/* Replaces a file by the text, or creates it: readers see the old text or the new one, and a
 * failure leaves the old one. Follows symbolic links. Keeps the mode and, if permitted,
 * the owner; a new file gets those of the file `like` (NULL: mode 0644). SIGKILL may leave a file
 * PATH.headrace-new, which the next call removes. Prints one line on failure; returns an exit
 * code. */
int file_replace(const char *path, const char *text, size_t len, const char *like);

/* Removes what a killed file_replace has left beside this file, if that is possible. */
void file_remove_left(const char *path);

/* Checks before long work whether file_replace could write the file; with_parents: after
 * file_make_parents has created its directories. Returns EXIT_SUCCESS, or prints one line and
 * returns another exit code. */
int file_may_replace(const char *path, bool with_parents);

/* Creates the directories that lead to a file. Returns an exit code; prints one line on failure. */
int file_make_parents(const char *path);

#endif
