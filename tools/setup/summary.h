/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics file (headrace/stats.h) from the side of its creator. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <headrace/headrace.h>
#include <stdbool.h>
#include <stdio.h>

struct hr_stats_file;

/* Creates an empty statistics file. Returns its descriptor, or -1 with errno. */
int summary_make(const char *path);
/* Reads a copy of the file into malloc'd memory, which programs that have the file cannot
 * change. Missing bytes of a truncated file read as 0. Returns NULL without memory. */
struct hr_stats_file *summary_read(int fd);
/* Whether any process took a slot. */
bool summary_any(const struct hr_stats_file *file);
/* Whether any call was served. */
bool summary_served(const struct hr_stats_file *file);
/* Prints a table for people: the calls that were served in each process. */
void summary_print(FILE *out, const struct hr_stats_file *file);
/* Writes the calls of each process as JSON into a file, with the reason why there are none, or
 * NULL. Returns an exit code. */
int summary_json(const char *path, const struct hr_stats_file *file, const char *reason);

#endif
