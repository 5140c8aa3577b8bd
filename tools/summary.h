/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics file (headrace/stats.h), seen by who made it. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

enum { SUMMARY_SLOTS = 1024 };

/* Makes an empty file for SUMMARY_SLOTS processes; returns its mapping, or NULL with errno set. */
const struct hr_stats_file *summary_make(const char *path);
/* Whether any process took a slot. */
bool summary_any(const struct hr_stats_file *file);
/* A table for people: what each process had served. */
void summary_print(FILE *out, const struct hr_stats_file *file);
/* The same as JSON, in a file; exit code. */
int summary_json(const char *path, const struct hr_stats_file *file);

#endif
