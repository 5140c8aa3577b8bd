/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads /proc/kallsyms, which has lines "ffffffff81000000 T name\t[module]". If the reader may not
 * know the addresses, they are zeros.
 */
#define _GNU_SOURCE
#include "kernel.h"
#include "kernel_names.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TEXT = 64 << 20, MAX_SYMBOLS = 1 << 21, FURTHEST = 1 << 20 };

struct symbol {
    uint64_t start;
    uint32_t name, module; /* offsets in the text */
};
struct kernel_symbols {
    char *text;
    struct symbol *at;
    size_t num, max;
};

static int compare(const void *left, const void *right)
{
    const struct symbol *x = left, *y = right;
    return (x->start > y->start) - (x->start < y->start);
}

static bool add(struct kernel_symbols *k, struct symbol s)
{
    if (k->num == k->max) {
        const size_t max = k->max ? 2 * k->max : 1 << 15;
        struct symbol *more = reallocarray(k->at, max, sizeof *more);
        if (!more)
            return false;
        k->at = more;
        k->max = max;
    }
    k->at[k->num++] = s;
    return true;
}

/* Splits a line in place by NULs behind its words. The last byte of the text is a NUL, to which
 * the name of an absent module refers. */
static bool take_line(struct kernel_symbols *k, char *line, uint32_t empty)
{
    char *end;
    const uint64_t start = strtoull(line, &end, 16);
    if (!start || end == line || end[0] != ' ' || !strchr("tTwW", end[1]) || !end[1] ||
        end[2] != ' ')
        return true;
    char *name = end + 3, *module = name + strcspn(name, "\t ");
    struct symbol s = { start, (uint32_t)(name - k->text), empty };
    if (*module) {
        *module++ = '\0';
        module += strspn(module, "\t [");
        module[strcspn(module, "]")] = '\0';
        s.module = (uint32_t)(module - k->text);
    }
    return add(k, s);
}

struct kernel_symbols *kernel_symbols_parse(const char *text, size_t len)
{
    struct kernel_symbols *k = calloc(1, sizeof *k);
    bool well = k && len <= MAX_TEXT && (k->text = malloc(len + 1));
    if (well) {
        memcpy(k->text, text, len);
        k->text[len] = '\0';
    }
    for (size_t at = 0; well && at < len && k->num < MAX_SYMBOLS;) {
        char *line = k->text + at;
        const char *newline = memchr(line, '\n', len - at);
        const size_t line_len = newline ? (size_t)(newline - line) : len - at;
        line[line_len] = '\0';
        well = take_line(k, line, (uint32_t)len);
        at += line_len + 1;
    }
    if (!well) {
        kernel_symbols_free(k);
        return NULL;
    }
    if (k->num)
        qsort(k->at, k->num, sizeof *k->at, compare);
    return k;
}

const char *kernel_symbols_find(const struct kernel_symbols *k, uint64_t ip, const char **module)
{
    size_t low = 0, high = k->num;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->at[middle].start <= ip)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || ip - k->at[low - 1].start > FURTHEST)
        return NULL;
    *module = k->text + k->at[low - 1].module;
    return k->text + k->at[low - 1].name;
}

void kernel_symbols_free(struct kernel_symbols *k)
{
    if (!k)
        return;
    free(k->text);
    free(k->at);
    free(k);
}

/* ---- the running kernel's symbols ---- */

static struct kernel_symbols *read_symbols(void)
{
    char *text = NULL;
    size_t len = 0, max = 0;
    ssize_t n = 1;
    const int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n > 0 && len < MAX_TEXT) {
        if (len == max) {
            max = max ? 2 * max : 1 << 20;
            char *more = realloc(text, max);
            if (!more)
                break;
            text = more;
        }
        n = read(fd, text + len, max - len);
        len += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    struct kernel_symbols *k = n == 0 ? kernel_symbols_parse(text, len) : NULL;
    free(text);
    return k;
}

const char *kernel_function(uint64_t ip, const char **module)
{
    static struct kernel_symbols *symbols;
    static bool asked;
    *module = "";
    if (!asked)
        symbols = read_symbols();
    asked = true;
    return symbols ? kernel_symbols_find(symbols, ip, module) : NULL;
}
