/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of texts, whose columns are as wide as their contents, fitted to the terminal if there is
 * one.
 */
#ifndef TRACE_REPORT_TABLE_H
#define TRACE_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 10 };

/* How text is shown on this FILE; depends on the terminal, the locale and NO_COLOR
 * (no-color.org). */
struct table_style {
    bool colour, ascii;
    size_t columns; /* columns of the terminal; 0: no terminal, nothing is cut */
};
struct table_style table_style(FILE *);

struct table_column {
    const char *title;
    bool right;
    size_t least; /* the column may be cut to this width; 0: it is never cut */
};

struct table_cell {
    char *text;         /* escaped, malloc'd */
    const char *colour; /* SGR code such as "32", or NULL */
};

struct table {
    const struct table_column *columns;
    size_t num_columns, num_rows, max_rows;
    struct table_cell (*rows)[TABLE_COLUMNS];
    bool failed;
};

/* The cells of a new row, for the caller to fill. NULL: no memory; then `failed` is set. */
struct table_cell *table_row(struct table *);
/* Sets the text of a cell as printf does. The cell stays empty if there is no memory. */
__attribute__((format(printf, 3, 4))) void table_cell(struct table_cell *, const char *colour,
                                                      const char *format, ...);
void table_print(FILE *, const struct table *, const struct table_style *);
void table_free(struct table *);

/* Prints a paragraph behind a title ("": none). On a terminal it is wrapped and indented by the
 * title's width. */
void table_paragraph(FILE *, const char *title, const char *colour, const char *text,
                     const struct table_style *);

#endif
