/* SPDX-License-Identifier: Apache-2.0
 *
 * Names from ELF files, perf maps and /proc are hostile: they may contain terminal escapes, invalid
 * UTF-8, quotes, or markup. Every such name is printed through one of these functions.
 */
#ifndef TRACE_ESCAPE_H
#define TRACE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The longest text that one name becomes, with its NUL; a longer one is cut and ends in "...". */
enum { ESCAPE_MAX = 2048 };

/* Turns text into printable UTF-8 (with `ascii`: ASCII). Invalid bytes, control characters,
 * characters that are invisible or change the direction of text, and the backslash become \xNN
 * or \u{NNNN}. Returns out. */
char *escape_clean(char out[ESCAPE_MAX], const char *text, bool ascii);
/* The number of terminal columns that clean text takes. */
size_t escape_columns(const char *clean);
/* The length in bytes of the longest beginning of clean text that fits into so many columns. */
size_t escape_fit(const char *clean, size_t columns);

void escape_html(FILE *, const char *text);  /* escaped for content and quoted attributes of HTML */
void escape_label(FILE *, const char *text); /* escaped for the value of a Prometheus label */

#endif
