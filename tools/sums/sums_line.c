/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses a line of a checksum list, which anybody may have written. Its forms:
 *
 *   DIGEST, blank, ' ' or '*', NAME        as md5sum prints
 *   DIGEST, blank, NAME                    as BSD's md5 -r prints; NAME may begin with a space, so
 *                                          the first such line of a list decides for all of it
 *   TAG (NAME) = DIGEST                    as md5sum --tag, BSD's md5, `openssl dgst` and
 *                                          Solaris's digest -v print
 *   (NAME) = DIGEST                        as Solaris's digest prints for several files
 *
 * A backslash at the beginning says that NAME is escaped. The parser makes one pass and allocates
 * nothing.
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

/* Reads the digest. Returns the place behind it, or NULL if there is none. It stays within the
 * line, because the NUL at the end is no digit. */
static char *read_digest(struct sums_line *out, char *at)
{
    for (size_t i = 0; i < out->row->out_len; i++, at += 2) {
        const int high = hex_value(at[0]);
        const int low = high < 0 ? -1 : hex_value(at[1]);
        if (low < 0)
            return NULL;
        out->digest[i] = (uint8_t)(high << 4 | low);
    }
    return at;
}

/* Unescapes in place. [path, end) then contains no NUL, but ends with one. */
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

/* Takes [path, end) as the name; a NUL ends it earlier. */
static bool take_path(struct sums_line *out, char *path, char *end, bool escaped)
{
    *end = '\0';
    out->path = path;
    return !escaped || unescape(path, end);
}

/* Parses "NAME) = DIGEST"; NAME ends before the last parenthesis. */
static bool parse_tagged(struct sums_line *out, char *at, char *end, bool escaped)
{
    char *close = memrchr(at, ')', (size_t)(end - at));
    if (!close || !take_path(out, at, close, escaped))
        return false;
    at = skip_blanks(close + 1);
    if (*at != '=')
        return false;
    at = read_digest(out, skip_blanks(at + 1));
    return at && *at == '\0';
}

static bool parse_plain(struct sums_line *out, struct sums_format *format, char *at, char *end,
                        bool escaped)
{
    at = out->row ? read_digest(out, at) : NULL;
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

/* If the line begins with the list's tag, returns the place of the '(' behind it, or `end` if
 * something else follows, which is an error; else NULL. */
static char *read_tag(struct sums_line *out, const struct sums_format *format, char *at, char *end)
{
    const size_t len = strlen(format->tag);
    if (strncmp(at, format->tag, len))
        return NULL;
    at += len;
    at += *at == ' ';
    return *at == '(' ? at : end;
}

/* read_tag for lists with any tags: the text before the first '(' is a tag if `tagged` finds its
 * row. Without any text, the list's own row is meant. */
static char *read_any_tag(struct sums_line *out, const struct sums_format *format, char *at,
                          char *end)
{
    char *open = memchr(at, '(', (size_t)(end - at));
    if (!open || open == at)
        return open;
    const size_t len = (size_t)(open - at);
    const struct hr_algorithm *row = format->tagged(format, at, len - (open[-1] == ' '));
    if (!row)
        return NULL;
    out->row = row;
    return open;
}

bool sums_parse(struct sums_line *out, struct sums_format *format, char *line, size_t len)
{
    char *const end = line + len;
    char *at = skip_blanks(line);
    const bool escaped = *at == '\\';
    at += escaped;
    out->row = format->row;
    char *open = (format->tag ? read_tag : read_any_tag)(out, format, at, end);
    if (!open)
        return parse_plain(out, format, at, end, escaped);
    return open < end && out->row && parse_tagged(out, open + 1, end, escaped);
}
