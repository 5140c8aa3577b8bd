/* SPDX-License-Identifier: Apache-2.0
 *
 * A line of a checksum list, which anybody may have written. Its forms:
 *
 *   DIGEST, blank, ' ' or '*', NAME        what md5sum prints
 *   DIGEST, blank, NAME                    what BSD's md5 -r prints; NAME may begin with a space,
 * so the first such line of a list decides for all of it TAG (NAME) = DIGEST what md5sum --tag,
 * BSD's md5 and `openssl dgst` print
 *
 * A backslash in front says that NAME is escaped. One pass over the line; nothing is allocated.
 */
#define _GNU_SOURCE
#include "sums.h"
#include <string.h>

static char *skip_blanks(char *at)
{
    return at + strspn(at, " \t");
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Past the digest, or NULL where there is none. A NUL is no digit: this stays within the line. */
static char *read_digest(struct sums_line *out, const struct sums_format *format, char *at)
{
    for (size_t i = 0; i < format->digest_len; i++, at += 2) {
        const int high = hex_value(at[0]);
        const int low = high < 0 ? -1 : hex_value(at[1]);
        if (low < 0)
            return NULL;
        out->digest[i] = (uint8_t)(high << 4 | low);
    }
    return at;
}

/* In place; [path, end) has no NUL then but the one that is put behind. */
static bool unescape(char *path, char *end)
{
    char *to = path;
    for (const char *from = path; from < end; from++) {
        static const char escaped[] = "\\nr", plain[] = "\\\n\r";
        if (*from == '\0')
            return false;
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        if (++from == end || *from == '\0')
            return false;
        const char *found = strchr(escaped, *from);
        if (!found)
            return false;
        *to++ = plain[found - escaped];
    }
    *to = '\0';
    return true;
}

/* [path, end): the name, until a NUL if there is one. */
static bool take_path(struct sums_line *out, char *path, char *end, bool escaped)
{
    *end = '\0';
    out->path = path;
    return !escaped || unescape(path, end);
}

/* NAME) = DIGEST; NAME ends before the last parenthesis. */
static bool parse_tagged(struct sums_line *out, const struct sums_format *format, char *at,
                         char *end, bool escaped)
{
    char *close = memrchr(at, ')', (size_t)(end - at));
    if (!close || !take_path(out, at, close, escaped))
        return false;
    at = skip_blanks(close + 1);
    if (*at != '=')
        return false;
    at = read_digest(out, format, skip_blanks(at + 1));
    return at && *at == '\0';
}

static bool parse_plain(struct sums_line *out, struct sums_format *format, char *at, char *end,
                        bool escaped)
{
    at = read_digest(out, format, at);
    if (!at || (*at != ' ' && *at != '\t') || ++at == end)
        return false;
    const bool two = end - at > 1 && (*at == ' ' || *at == '*');
    if (!two && format->spaces == SPACES_TWO)
        return false;
    if (format->spaces == SPACES_UNKNOWN || !two)
        format->spaces = two ? SPACES_TWO : SPACES_ONE;
    at += format->spaces == SPACES_TWO;
    return take_path(out, at, end, escaped);
}

bool sums_parse(struct sums_line *out, struct sums_format *format, char *line, size_t len)
{
    const size_t tag_len = strlen(format->tag);
    char *const end = line + len;
    char *at = skip_blanks(line);
    const bool escaped = *at == '\\';
    at += escaped;
    if (strncmp(at, format->tag, tag_len))
        return parse_plain(out, format, at, end, escaped);
    at += tag_len;
    at += *at == ' ';
    return *at == '(' && parse_tagged(out, format, at + 1, end, escaped);
}
