/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launcher_report.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1 << 20 };

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Parses a text that consists of one number only. Returns 0, or -1 for any other text. */
static int number(const char *text, int base, uint64_t *value)
{
    char *end;
    if (!isxdigit((unsigned char)*text))
        return -1;
    *value = strtoull(text, &end, base);
    return *end ? -1 : 0;
}

/* Replaces \xHH in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        const char digits[3] = { from[1] == 'x' ? from[2] : 0,
                                 from[1] == 'x' && from[2] ? from[3] : 0, 0 };
        const int escaped = *from == '\\' && isxdigit((unsigned char)digits[0]) &&
                            isxdigit((unsigned char)digits[1]) && strcmp(digits, "00") != 0;
        *to = escaped ? (char)strtol(digits, NULL, 16) : *from;
        from += escaped ? 4 : 1;
    }
    *to = '\0';
}

static void add(struct counts *counts, const char *file, uint64_t offset, const char *name,
                uint64_t count)
{
    if (counts->len == counts->room) {
        const size_t room = counts->room ? 2 * counts->room : 64;
        struct count *rows =
            room > MAX_ROWS ? NULL : realloc(counts->rows, room * sizeof *counts->rows);
        if (!rows)
            return;
        counts->rows = rows;
        counts->room = room;
    }
    struct count *row = &counts->rows[counts->len];
    *row = (struct count){ file ? strdup(file) : NULL, offset, name ? strdup(name) : NULL, count };
    if ((file && !row->file) || (name && !row->name)) {
        free(row->file);
        free(row->name);
        return;
    }
    counts->len++;
}

static void read_line(struct counts *places, struct counts *opcodes, char *line)
{
    char *save, *words[5];
    size_t n = 0;
    for (char *word = strtok_r(line, " \n", &save); word && n < 5;
         word = strtok_r(NULL, " \n", &save))
        words[n++] = word;
    uint64_t count, offset;
    if (n == 3 && !strcmp(words[0], "process"))
        places->processes++;
    else if (n == 3 && !strcmp(words[0], "opcode") && !number(words[2], 10, &count))
        add(opcodes, NULL, 0, words[1], count);
    else if (n == 4 && !strcmp(words[0], "at") && !number(words[3], 10, &count)) {
        char *plus = strrchr(words[1], '+');
        if (!plus || strncmp(plus, "+0x", 3) || number(plus + 3, 16, &offset))
            return;
        *plus = '\0';
        unescape(words[1]);
        add(places, words[1], offset, NULL, count);
    }
}

void counts_read(struct counts *places, struct counts *opcodes, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    while ((len = getline(&line, &size, in)) > 0)
        if (strlen(line) == (size_t)len)
            read_line(places, opcodes, line);
    free(line);
}

void counts_free(struct counts *counts)
{
    for (size_t i = 0; i < counts->len; i++) {
        free(counts->rows[i].file);
        free(counts->rows[i].name);
    }
    free(counts->rows);
    *counts = (struct counts){ 0 };
}

static int by_text(const char *a, const char *b)
{
    return !a || !b ? (b == NULL) - (a == NULL) : strcmp(a, b);
}

/* Orders by file, then by name; rows of a file without a name count as one unknown function. */
static int by_name(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    const int files = by_text(x->file, y->file);
    return files ? files : by_text(x->name, y->name);
}

static int by_count(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : by_name(a, b);
}

static void sort(struct counts *counts, int (*order)(const void *, const void *))
{
    if (counts->len)
        qsort(counts->rows, counts->len, sizeof *counts->rows, order);
}

void counts_merge(struct counts *counts)
{
    size_t kept = 0;
    sort(counts, by_name);
    for (size_t i = 0; i < counts->len; i++) {
        struct count *row = &counts->rows[i];
        if (kept && !by_name(&counts->rows[kept - 1], row)) {
            counts->rows[kept - 1].count = sum(counts->rows[kept - 1].count, row->count);
            free(row->file);
            free(row->name);
        } else
            counts->rows[kept++] = *row;
    }
    counts->len = kept;
    sort(counts, by_count);
}
