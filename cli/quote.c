/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 as RFC 3629 defines it: no overlong form, no surrogate, nothing above U+10FFFF.
 */
#define _GNU_SOURCE
#include "quote.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Characters that are invisible or change the text beside them: control characters, UAX #9
 * (direction), the default ignorable code points of UAX #44, line separators, characters for
 * private use, and noncharacters of plane 0. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    { 0x0000, 0x001f },    { 0x007f, 0x009f }, { 0x00ad, 0x00ad },   { 0x034f, 0x034f },
    { 0x061c, 0x061c },    { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
    { 0x200b, 0x200f },    { 0x2028, 0x202e }, { 0x2060, 0x206f },   { 0x3164, 0x3164 },
    { 0xe000, 0xf8ff },    { 0xfdd0, 0xfdef }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
    { 0xffa0, 0xffa0 },    { 0xfff0, 0xffff }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
    { 0xe0000, 0x10ffff },
};
static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < COUNT(hidden); i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return true;
    return false;
}

size_t quote_decode(uint32_t *out, const char *text)
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

/* Whether a character is printed as it is. */
static bool is_plain(uint32_t c, int flags)
{
    if ((flags & QUOTE_KEEP_LINES) && (c == '\n' || c == '\t'))
        return true;
    if (((flags & QUOTE_BACKSLASHES) && c == '\\') || ((flags & QUOTE_ASCII) && c >= 0x80))
        return false;
    return !is_hidden(c);
}

/* The most bytes that one character of `len` bytes becomes are 4 * len: \x9b for one, \u{9b} for
 * two, \u{10ffff} for four. */
enum { GROWTH = 4, LONGEST = 16 }; /* \u{10ffff}, and room for "..." */

/* Quotes the character at text. Sets *num_out, and returns the number of its bytes. */
static size_t quote_one(char *out, size_t *num_out, const char *text, int flags)
{
    uint32_t c = 0;
    const size_t len = quote_decode(&c, text);
    if (len && is_plain(c, flags)) {
        memcpy(out, text, len);
        *num_out = len;
    } else if (c == '\n' && len && !(flags & QUOTE_BACKSLASHES)) {
        *num_out = (size_t)sprintf(out, "\\n");
    } else if (len > 1) {
        *num_out = (size_t)sprintf(out, "\\u{%x}", (unsigned)c);
    } else {
        *num_out = (size_t)sprintf(out, "\\x%02x", (unsigned)(uint8_t)*text);
    }
    return len ? len : 1;
}

char *quote_text(char *out, size_t size, const char *text, int flags)
{
    size_t at = 0, num;
    while (*text && at + LONGEST < size) {
        text += quote_one(out + at, &num, text, flags);
        at += num;
    }
    strcpy(out + at, *text ? "..." : "");
    return out;
}

char *quote_new(const char *text, int flags)
{
    const size_t size = GROWTH * strlen(text) + 2 * LONGEST;
    char *out = malloc(size);
    return out ? quote_text(out, size, text, flags) : NULL;
}

/* ---- formats ---- */

/* The length of the text that the first format_len bytes of a format become, or -1. */
static int length_of(const char *format, size_t format_len, va_list args)
{
    char *begin = strndup(format, format_len);
    va_list again;
    va_copy(again, args);
    const int len = begin ? vsnprintf(NULL, 0, begin, again) : -1;
    va_end(again);
    free(begin);
    return len;
}

/* Quotes text, which `format` became, but for the newlines and tabs of the format: where they are
 * in the text is the length of what precedes them. Returns false if there is no memory. */
static bool quote_parts(char *out, size_t size, char *text, const char *format, va_list args)
{
    const char *end = out + size;
    size_t done = 0;
    for (const char *p = format; (p = strpbrk(p, "\n\t")); p++) {
        const int at = length_of(format, (size_t)(p - format), args);
        if (at < 0)
            return false;
        text[at] = '\0';
        out += strlen(quote_text(out, (size_t)(end - out), text + done, 0));
        *out++ = *p;
        done = (size_t)at + 1;
    }
    quote_text(out, (size_t)(end - out), text + done, 0);
    return true;
}

char *quote_format(const char *format, va_list args)
{
    char *text, *out = NULL;
    va_list again;
    va_copy(again, args);
    const int len = vasprintf(&text, format, again);
    va_end(again);
    if (len < 0)
        return NULL;
    const size_t size = GROWTH * (size_t)len + 2 * LONGEST;
    if ((out = malloc(size)) && !quote_parts(out, size, text, format, args)) {
        free(out);
        out = NULL;
    }
    free(text);
    return out;
}
