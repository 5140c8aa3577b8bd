/* SPDX-License-Identifier: Apache-2.0 */
#include "escape.h"
#include "quote.h"
#include <stdint.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct range {
    uint32_t first, last;
};

/* The main blocks of East Asian Wide and Fullwidth characters (UAX #11). */
static const struct range wide[] = {
    { 0x1100, 0x115f },   { 0x2e80, 0xa4cf },   { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
    { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f },
    { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};
/* Some blocks of combining marks, which stand over the preceding character and take no column. */
static const struct range combining[] = {
    { 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x064b, 0x065f },
    { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff }, { 0xfe20, 0xfe2f },
};

static bool is_in(uint32_t c, const struct range *ranges, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

char *escape_clean(char out[ESCAPE_MAX], const char *text, bool ascii)
{
    return quote_text(out, ESCAPE_MAX, text, QUOTE_BACKSLASHES | (ascii ? QUOTE_ASCII : 0));
}

static size_t columns_of(uint32_t c)
{
    if (is_in(c, combining, COUNT(combining)))
        return 0;
    return is_in(c, wide, COUNT(wide)) ? 2 : 1;
}

size_t escape_fit(const char *clean, size_t columns)
{
    size_t at = 0, used = 0;
    while (clean[at]) {
        uint32_t c = 0;
        const size_t len = quote_decode(&c, clean + at);
        used += columns_of(c);
        if (used > columns)
            break;
        at += len ? len : 1;
    }
    return at;
}

size_t escape_columns(const char *clean)
{
    size_t columns = 0;
    for (size_t at = 0; clean[at];) {
        uint32_t c = 0;
        const size_t len = quote_decode(&c, clean + at);
        columns += columns_of(c);
        at += len ? len : 1;
    }
    return columns;
}

/* Writes clean text; each character in `special` is replaced by the text at the same index in
 * `as`. */
static void replace(FILE *f, const char *text, const char *special, const char *const as[])
{
    char clean[ESCAPE_MAX];
    for (const char *p = escape_clean(clean, text, false); *p; p++) {
        const char *hit = strchr(special, *p);
        if (hit)
            fputs(as[hit - special], f);
        else
            fputc(*p, f);
    }
}

void escape_html(FILE *f, const char *text)
{
    static const char *const as[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
    replace(f, text, "&<>\"'", as);
}

void escape_label(FILE *f, const char *text)
{
    static const char *const as[] = { "\\\\", "\\\"" };
    replace(f, text, "\\\"", as);
}
