/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 as RFC 3629 defines it: no overlong form, no surrogate, nothing above U+10FFFF.
 */
#include "escape.h"
#include <stdint.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct range {
    uint32_t first, last;
};

/* Characters that nobody sees or that change what stands beside them: UAX #9 (direction), the
 * default ignorable code points of UAX #44, line separators, and what is no character. */
static const struct range hidden[] = {
    { 0x0000, 0x001f },    { 0x007f, 0x009f }, { 0x00ad, 0x00ad },   { 0x034f, 0x034f },
    { 0x061c, 0x061c },    { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
    { 0x200b, 0x200f },    { 0x2028, 0x202e }, { 0x2060, 0x206f },   { 0x3164, 0x3164 },
    { 0xe000, 0xf8ff },    { 0xfdd0, 0xfdef }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
    { 0xffa0, 0xffa0 },    { 0xfff0, 0xffff }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
    { 0xe0000, 0x10ffff },
};
/* East Asian Wide and Fullwidth of UAX #11, as blocks. */
static const struct range wide[] = {
    { 0x1100, 0x115f },   { 0x2e80, 0xa4cf },   { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
    { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f },
    { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};
/* Marks that stand over the character before. */
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

/* One character; how many bytes it takes, 0 where the bytes are none. Reads no byte behind a NUL.
 */
static size_t decode(uint32_t *out, const char *text)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t least;
    } forms[] = {
        { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 }
    };
    const uint8_t *p = (const uint8_t *)text;
    for (size_t len = 1; len <= COUNT(forms); len++) {
        if ((p[0] & forms[len - 1].mask) != forms[len - 1].lead)
            continue;
        uint32_t c = p[0] & (uint8_t)~forms[len - 1].mask;
        for (size_t i = 1; i < len; i++) {
            if ((p[i] & 0xc0) != 0x80)
                return 0;
            c = c << 6 | (p[i] & 0x3f);
        }
        *out = c;
        return c < forms[len - 1].least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : len;
    }
    return 0;
}

char *escape_clean(char out[ESCAPE_MAX], const char *text, bool ascii)
{
    enum { LONGEST = 16 }; /* \u{10ffff}, and room for "..." */
    size_t at = 0;
    while (*text && at < ESCAPE_MAX - LONGEST) {
        uint32_t c = 0;
        const size_t len = decode(&c, text);
        if (!len)
            at += (size_t)sprintf(out + at, "\\x%02x", (unsigned)(uint8_t)*text);
        else if (c < 0x80 && (c == '\\' || is_in(c, hidden, COUNT(hidden))))
            at += (size_t)sprintf(out + at, "\\x%02x", (unsigned)c);
        else if (c >= 0x80 && (ascii || is_in(c, hidden, COUNT(hidden))))
            at += (size_t)sprintf(out + at, "\\u{%x}", (unsigned)c);
        else {
            memcpy(out + at, text, len);
            at += len;
        }
        text += len ? len : 1;
    }
    strcpy(out + at, *text ? "..." : "");
    return out;
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
        const size_t len = decode(&c, clean + at);
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
        const size_t len = decode(&c, clean + at);
        columns += columns_of(c);
        at += len ? len : 1;
    }
    return columns;
}

/* Writes clean text; characters of `special` as the text of the same place in `as`. */
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
