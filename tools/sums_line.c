/* SPDX-License-Identifier: Apache-2.0
 *
 * A line of a checksum list, which anybody may have written. Its forms:
 *
 *   DIGEST, blank, ' ' or '*', NAME        what md5sum prints
 *   DIGEST, blank, NAME                    what BSD's md5 -r prints; NAME may begin with a space,
 *                                          so the first such line of a list decides for all of it
 *   TAG (NAME) = DIGEST                    what md5sum --tag, BSD's md5, `openssl dgst` and
 *                                          Solaris's digest -v print
 *   (NAME) = DIGEST                        what Solaris's digest prints of several files
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

/* Where a line begins with a tag, past it and at '('; sets the row that it means. A tag that is not
 * followed so is found, and wrong: end. */
static char *read_tag(struct sums_line *out, const struct sums_format *format, char *at, char *end)
{
    const size_t len = strlen(format->tag);
    if (strncmp(at, format->tag, len))
        return NULL;
    at += len;
    at += *at == ' ';
    return *at == '(' ? at : end;
}

/* The same where lines may have many tags: what stands before the first '(' is one if it means
 * something, and nothing is one that means the list's own row. */
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
