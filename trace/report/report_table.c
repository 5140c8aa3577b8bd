/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report_table.h"
#include "../escape.h"
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { GAP = 2, NARROWEST = 40 };

static bool is_utf8(void)
{
    const locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    const bool yes = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
    if (locale)
        freelocale(locale);
    return yes;
}

struct table_style table_style(FILE *f)
{
    const char *no = getenv("NO_COLOR");
    const bool terminal = isatty(fileno(f));
    struct winsize size;
    struct table_style style = { .colour = terminal && !(no && *no), .ascii = !is_utf8() };
    if (terminal && !ioctl(fileno(f), TIOCGWINSZ, &size) && size.ws_col >= NARROWEST)
        style.columns = size.ws_col;
    return style;
}

/* ---- building ---- */

struct table_cell *table_row(struct table *t)
{
    if (t->num_rows == t->max_rows) {
        const size_t max = t->max_rows ? 2 * t->max_rows : 32;
        struct table_cell(*more)[TABLE_COLUMNS] = reallocarray(t->rows, max, sizeof *more);
        t->failed |= !more;
        if (!more)
            return NULL;
        t->rows = more;
        t->max_rows = max;
    }
    memset(t->rows[t->num_rows], 0, sizeof *t->rows);
    return t->rows[t->num_rows++];
}

void table_cell(struct table_cell *cell, const char *colour, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (vasprintf(&cell->text, format, args) < 0)
        cell->text = NULL;
    va_end(args);
    cell->colour = colour;
}

void table_free(struct table *t)
{
    for (size_t i = 0; i < t->num_rows; i++)
        for (size_t c = 0; c < t->num_columns; c++)
            free(t->rows[i][c].text);
    free(t->rows);
}

/* ---- printing ---- */

static const char *text_of(const struct table_cell *cell)
{
    return cell->text ? cell->text : "";
}

static bool is_empty(const struct table *t, size_t column)
{
    for (size_t i = 0; i < t->num_rows; i++)
        if (strcmp(text_of(&t->rows[i][column]), "-") != 0)
            return false;
    return true;
}

/* Sets the width of each column to that of its widest cell. On a terminal, columns without
 * information disappear (0), and if necessary those that may be cut shrink, the widest first. */
static void measure(size_t widths[TABLE_COLUMNS], const struct table *t,
                    const struct table_style *style)
{
    size_t sum = 0;
    for (size_t c = 0; c < t->num_columns; c++) {
        widths[c] = strlen(t->columns[c].title);
        for (size_t i = 0; i < t->num_rows; i++) {
            const size_t width = escape_columns(text_of(&t->rows[i][c]));
            widths[c] = width > widths[c] ? width : widths[c];
        }
        sum += widths[c] + (c ? GAP : 0);
    }
    for (size_t c = 1; style->columns && sum > style->columns && c < t->num_columns; c++)
        if (is_empty(t, c)) {
            sum -= widths[c] + GAP;
            widths[c] = 0;
        }
    while (style->columns && sum > style->columns) {
        size_t widest = t->num_columns;
        for (size_t c = 0; c < t->num_columns; c++)
            if (t->columns[c].least && widths[c] > t->columns[c].least &&
                (widest == t->num_columns || widths[c] > widths[widest]))
                widest = c;
        if (widest == t->num_columns)
            return;
        widths[widest]--;
        sum--;
    }
}

static void pad(FILE *f, size_t n)
{
    fprintf(f, "%*s", (int)n, "");
}

static void print_cell(FILE *f, const struct table_cell *cell, size_t width, bool right, bool last,
                       const struct table_style *style)
{
    const char *text = text_of(cell), *more = style->ascii ? "." : "…";
    const size_t all = escape_columns(text);
    const size_t columns = all > width ? width : all;
    const size_t bytes = all > width ? escape_fit(text, width - 1) : strlen(text);
    if (right)
        pad(f, width - columns);
    if (style->colour && cell->colour)
        fprintf(f, "\033[%sm", cell->colour);
    fwrite(text, 1, bytes, f);
    if (all > width)
        fputs(more, f);
    if (style->colour && cell->colour)
        fputs("\033[0m", f);
    if (!right && !last)
        pad(f, width - columns);
}

static void print_row(FILE *f, const struct table *t, const struct table_cell *cells,
                      const size_t *widths, const struct table_style *style)
{
    for (size_t c = 0; c < t->num_columns; c++) {
        if (!widths[c])
            continue;
        pad(f, c ? GAP : 0);
        print_cell(f, &cells[c], widths[c], t->columns[c].right, c + 1 == t->num_columns, style);
    }
    fputc('\n', f);
}

void table_print(FILE *f, const struct table *t, const struct table_style *style)
{
    size_t widths[TABLE_COLUMNS];
    struct table_cell titles[TABLE_COLUMNS];
    measure(widths, t, style);
    for (size_t c = 0; c < t->num_columns; c++)
        titles[c] = (struct table_cell){ (char *)t->columns[c].title, "1" };
    print_row(f, t, titles, widths, style);
    for (size_t i = 0; i < t->num_rows; i++)
        print_row(f, t, t->rows[i], widths, style);
}

void table_paragraph(FILE *f, const char *title, const char *colour, const char *text,
                     const struct table_style *style)
{
    const size_t gap = *title ? GAP : 0, indent = strlen(title) + gap;
    size_t column = indent;
    fprintf(f, style->colour && colour ? "\033[%sm" : "%.0s", colour ? colour : "");
    fprintf(f, "%s%s%*s", title, style->colour && colour ? "\033[0m" : "", (int)gap, "");
    while (*text) {
        const size_t blanks = strspn(text, " "), len = strcspn(text + blanks, " ");
        char word[ESCAPE_MAX];
        snprintf(word, sizeof word, "%.*s", (int)len, text + blanks);
        const size_t width = escape_columns(word);
        const bool wrap =
            style->columns && column > indent && column + blanks + width > style->columns;
        fprintf(f, wrap ? "\n%*s" : "%*s", (int)(wrap ? indent : blanks), "");
        fputs(word, f);
        column = (wrap ? indent : column + blanks) + width;
        text += blanks + len;
    }
    fputc('\n', f);
}
