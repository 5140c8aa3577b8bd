/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics file (headrace/stats.h), seen by who made it. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <headrace/headrace.h>
#include <stdbool.h>
#include <stdio.h>

struct hr_stats_file;

/* Makes an empty file; a descriptor of it, or -1 with errno set. */
int summary_make(const char *path);
/* A copy of it, from malloc: programs that have the file cannot change it any more, and one that
 * was cut short reads as empty.  NULL where there is no memory. */
struct hr_stats_file *summary_read(int fd);
/* Whether any process took a slot. */
bool summary_any(const struct hr_stats_file *file);
/* A table for people: what each process had served. */
void summary_print(FILE *out, const struct hr_stats_file *file);
/* The same as JSON, in a file; exit code. */
int summary_json(const char *path, const struct hr_stats_file *file);

#endif
