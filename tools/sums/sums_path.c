/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints names of files: escaped in lines of digests, quoted for a shell in messages.
 */
#define _GNU_SOURCE
#include "sums.h"
#include <string.h>
#include <wchar.h>
#include <wctype.h>

void sums_put_path(const char *path, bool escape)
{
    if (!escape) {
        fputs(path, stdout);
        return;
    }
    for (; *path; path++) {
        static const char special[] = "\n\r\\", letters[] = "nr\\";
        const char *found = strchr(special, *path);
        if (found)
            putchar('\\');
        putchar(found ? letters[found - special] : *path);
    }
}

/* ---- quotes ---- */

/* The length in bytes of the character at `at`, and whether it can be printed. Each invalid byte
 * counts as a character, and so does an incomplete character at the end. */
static size_t next_character(const char *at, bool *printable)
{
    mbstate_t state = { 0 };
    wchar_t wide;
    const size_t len = mbrtowc(&wide, at, strlen(at), &state);
    *printable = len < (size_t)-2 && iswprint((wint_t)wide);
    if (len == (size_t)-2)
        return strlen(at);
    return len == (size_t)-1 || len == 0 ? 1 : len;
}

struct look {
    bool bare;    /* needs no quotes */
    bool doubles; /* double quotes suffice */
    bool quote;   /* contains a single quote */
    bool code;    /* ends with a character that cannot be printed */
};

/* Examines a character. '#' and '~' are special for a shell only at the start, braces only if
 * they are the whole name. */
static void look_at(struct look *look, const char *path, const char *at)
{
    static const char special[] = " !\"$&'()*:;<=>?[\\^`|", in_doubles[] = " ':";
    const bool first = at == path, whole = first && !at[1];
    if (strchr(special, *at) || (strchr("#~", *at) && first) || (strchr("{}", *at) && whole))
        look->bare = false;
    if ((strchr(special, *at) && !strchr(in_doubles, *at)) || strchr("{}", *at) ||
        (strchr("#~", *at) && !first))
        look->doubles = false;
    look->quote |= *at == '\'';
}

static struct look look_over(const char *path)
{
    struct look look = { .bare = *path != '\0', .doubles = true };
    bool printable;
    for (size_t i = 0, len; path[i]; i += len) {
        len = next_character(path + i, &printable);
        look.code = !printable;
        if (!printable)
            look.bare = look.doubles = false;
        else if (len == 1)
            look_at(&look, path, path + i);
    }
    return look;
}

static void put_code(FILE *out, unsigned char c)
{
    static const char codes[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
    const char *found = memchr(codes, c, sizeof codes - 1);
    if (found)
        fprintf(out, "\\%c", letters[found - codes]);
    else
        fprintf(out, "\\%03o", c);
}

/* Prints 'single quotes', interrupted by '$'codes'' for characters that cannot be printed. If
 * the name contains single quotes and ends with codes, coreutils begins as if codes had
 * preceded, and so does this. */
static void put_single(FILE *out, const char *path, const struct look *look)
{
    bool codes = look->quote && look->code, printable;
    putc('\'', out);
    for (size_t i = 0, len; path[i]; i += len) {
        len = next_character(path + i, &printable);
        const bool quote = path[i] == '\'';
        if (printable == codes && !(codes && quote))
            fputs(codes ? "''" : "'$'", out);
        codes = !printable;
        if (quote)
            fputs("'\\''", out);
        for (size_t k = 0; k < len && !quote; k++) {
            if (codes)
                put_code(out, (unsigned char)path[i + k]);
            else
                putc(path[i + k], out);
        }
    }
    putc('\'', out);
}

void sums_put_quoted(FILE *out, const char *path)
{
    const struct look look = look_over(path);
    if (look.bare)
        fputs(path, out);
    else if (look.quote && look.doubles)
        fprintf(out, "\"%s\"", path);
    else
        put_single(out, path, &look);
}
