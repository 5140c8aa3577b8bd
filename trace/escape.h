/* SPDX-License-Identifier: Apache-2.0
 *
 * Names from ELF files, perf maps and /proc are hostile: they may hold terminal escapes, invalid
 * UTF-8, quotes, or markup.  Everything printed goes through one of these.
 */
#ifndef TRACE_ESCAPE_H
#define TRACE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The longest text that one name becomes, with its NUL; what is longer ends in "...". */
enum { ESCAPE_MAX = 2048 };

/* As printable UTF-8 (ascii: as ASCII): bytes that are none, controls, characters that are
 * invisible or turn the direction of text, and the backslash become \\xNN or \\u{NNNN}.  Returns
 * out. */
char *escape_clean(char out[ESCAPE_MAX], const char *text, bool ascii);
/* Columns that clean text takes on a terminal. */
size_t escape_columns(const char *clean);
/* Bytes of the longest beginning of clean text that fits into so many columns. */
size_t escape_fit(const char *clean, size_t columns);

void escape_html(FILE *, const char *text);  /* cleaned, for content and quoted attributes */
void escape_label(FILE *, const char *text); /* cleaned, for a Prometheus label's value */

#endif
