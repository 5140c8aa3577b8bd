/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of files, and other text that somebody else chose, may contain terminal escapes, newlines,
 * invalid UTF-8, or characters that change the direction of text. What people read is printed
 * through tool.h, headraced's log.c or trace's escape.h, all of which quote with these functions.
 */
#ifndef QUOTE_H
#define QUOTE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Flags of quote_text. */
enum {
    QUOTE_BACKSLASHES = 1, /* quote backslashes too, and newlines as \x0a: unambiguous */
    QUOTE_ASCII = 2,       /* quote every character outside ASCII */
    QUOTE_KEEP_LINES = 4,  /* leave newlines and tabs as they are */
};

/* quote_text turns text into printable UTF-8. A newline becomes \n; another control character, a
 * character that is invisible or changes the direction of text, and an invalid byte become \xNN or
 * \u{NNNN}. Text that is too long for `size` bytes, at least 32, is cut and ends in "...". Returns
 * out. */
char *quote_text(char *out, size_t size, const char *text, int flags);

/* quote_new is quote_text into memory that the caller frees, uncut; NULL if there is none. */
char *quote_new(const char *text, int flags);

/* quote_format formats like vasprintf, and quotes everything but the newlines and tabs of `format`
 * itself. The caller frees the result, which is NULL if there is no memory. */
__attribute__((format(printf, 1, 0))) char *quote_format(const char *format, va_list args);

/* quote_decode decodes one character of UTF-8, and returns the number of its bytes, or 0 if they
 * are invalid. It reads no byte behind a NUL. */
size_t quote_decode(uint32_t *out, const char *text);

#endif
