/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of texts whose columns fit what is in them, and the terminal where there is one.
 */
#ifndef TRACE_REPORT_TABLE_H
#define TRACE_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 10 };

/* How a text is shown on this FILE: by its terminal, the locale, and NO_COLOR (no-color.org). */
struct table_style {
    bool colour, ascii;
    size_t columns; /* of the terminal; 0: there is none, nothing is cut */
};
struct table_style table_style(FILE *);

struct table_column {
    const char *title;
    bool right;
    size_t least; /* may be cut to so many columns; 0: never cut */
};

struct table_cell {
    char *text;         /* clean, owned */
    const char *colour; /* "32", or NULL */
};

struct table {
    const struct table_column *columns;
    size_t num_columns, num_rows, max_rows;
    struct table_cell (*rows)[TABLE_COLUMNS];
    bool failed;
};

/* The cells of a new row, to be filled; NULL: no memory, and failed is set. */
struct table_cell *table_row(struct table *);
/* A cell's text, by printf; what cannot be allocated stays empty. */
__attribute__((format(printf, 3, 4))) void table_cell(struct table_cell *, const char *colour,
                                                      const char *format, ...);
void table_print(FILE *, const struct table *, const struct table_style *);
void table_free(struct table *);

/* Prints a paragraph behind a title, or none (""): on a terminal wrapped, and indented by the
 * title's width. */
void table_paragraph(FILE *, const char *title, const char *colour, const char *text,
                     const struct table_style *);

#endif
