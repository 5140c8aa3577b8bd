/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *skip_spaces(char *at)
{
    while (is_space(*at))
        at++;
    return at;
}

static void cut_spaces(char *text)
{
    size_t len = strlen(text);
    while (len && is_space(text[len - 1]))
        text[--len] = '\0';
}

void lines_begin(struct lines *l, const char *text, size_t text_len)
{
    *l = (struct lines){ .at = text, .end = text + text_len };
}

int lines_error(struct lines *l, const char *format, ...)
{
    const int n = snprintf(l->error, sizeof l->error, "line %u: ", l->number);
    va_list args;
    va_start(args, format);
    vsnprintf(l->error + n, sizeof l->error - (size_t)n, format, args);
    va_end(args);
    return -1;
}

int lines_once(struct lines *l, const struct line *line, unsigned which)
{
    const uint32_t bit = UINT32_C(1) << which;
    if (l->said & bit)
        return lines_error(l, "%s is set twice", line->word);
    l->said |= bit;
    return 0;
}

/* section reads "[kind name]". */
static int section(struct lines *l, struct line *line, char *at)
{
    l->said = 0;
    char *close = strchr(at, ']');
    if (!close || *skip_spaces(close + 1))
        return lines_error(l, "a section must be [WORD] or [WORD NAME]");
    *close = '\0';
    at = skip_spaces(at + 1);
    line->section = at;
    at += strcspn(at, " \t");
    if (*at)
        *at++ = '\0';
    line->value = skip_spaces(at);
    cut_spaces(skip_spaces(at));
    return 1;
}

/* setting reads "word = value". */
static int setting(struct lines *l, struct line *line, char *at)
{
    char *equals = strchr(at, '=');
    if (!equals)
        return lines_error(l, "neither [WORD NAME] nor WORD = VALUE");
    *equals = '\0';
    cut_spaces(at);
    line->word = at;
    line->value = skip_spaces(equals + 1);
    if (!*line->word || !*line->value)
        return lines_error(l, "the WORD or the VALUE of WORD = VALUE is empty");
    return 1;
}

int lines_next(struct lines *l, struct line *line)
{
    line->section = line->word = line->value = NULL;
    while (l->at < l->end) {
        const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
        const size_t len = (size_t)((newline ? newline : l->end) - l->at);
        l->number++;
        if (len >= sizeof line->text)
            return lines_error(l, "longer than %d bytes", LINE_MAX_LEN - 1);
        memcpy(line->text, l->at, len);
        line->text[len] = '\0';
        l->at += newline ? len + 1 : len;
        if (strlen(line->text) != len)
            return lines_error(l, "a zero byte");
        cut_spaces(line->text);
        char *at = skip_spaces(line->text);
        if (*at && *at != '#')
            return *at == '[' ? section(l, line, at) : setting(l, line, at);
    }
    return 0;
}

/* ---- values ---- */

int lines_word(const char **list, char *out, size_t out_len)
{
    *list += strspn(*list, " \t,");
    const size_t len = strcspn(*list, " \t,"), kept = len < out_len ? len : out_len - 1;
    memcpy(out, *list, kept);
    out[kept] = '\0';
    *list += len;
    return len != 0;
}

int lines_bool(struct lines *l, const struct line *line, bool *out)
{
    *out = !strcmp(line->value, "yes");
    if (!*out && strcmp(line->value, "no"))
        return lines_error(l, "%s must be yes or no", line->word);
    return 0;
}

/* digits reads the number at *at and moves *at behind it.  It returns -1 if there is none, or if it
 * is 2^53 or more. */
static int64_t digits(const char **at)
{
    uint64_t n = 0;
    const char *begin = *at;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        n = n * 10 + (uint64_t)(**at - '0');
        if (n >> 53)
            return -1;
    }
    return *at == begin ? -1 : (int64_t)n;
}

int lines_number(struct lines *l, const struct line *line, uint64_t min, uint64_t max,
                 uint64_t *out)
{
    static const char units[] = "KMG";
    const char *at = line->value;
    int64_t n = digits(&at);
    const char *unit = *at ? strchr(units, *at) : NULL;
    if (unit && n >= 0) {
        const unsigned shift = 10 * (unsigned)(unit - units + 1);
        n = n >> (62 - shift) ? -1 : n << shift;
        at++;
    }
    if (n < 0 || *at || (uint64_t)n < min || (uint64_t)n > max)
        return lines_error(l, "%s must be a number from %llu to %llu", line->word,
                           (unsigned long long)min, (unsigned long long)max);
    *out = (uint64_t)n;
    return 0;
}

/* ---- who ---- */

static bool parse_range(const char *text, struct who_range *range, bool group, who_lookup *lookup)
{
    const char *at = text;
    int64_t from = digits(&at), to = from;
    if (from < 0) {
        from = to = lookup ? lookup(text, group) : -1;
        at = "";
    } else if (*at == '-') {
        at++;
        to = digits(&at);
    }
    if (*at || from < 0 || to < from || to >= UINT32_MAX)
        return false;
    *range = (struct who_range){ (uint32_t)from, (uint32_t)to };
    return true;
}

int lines_who(struct lines *l, const struct line *line, struct who *who, bool group,
              who_lookup *lookup)
{
    struct who_range *ranges = group ? who->gids : who->uids;
    unsigned *num = group ? &who->num_gids : &who->num_uids;
    const unsigned before = *num;
    const char *list = line->value;
    for (char text[64]; lines_word(&list, text, sizeof text);) {
        if (*num == WHO_MAX)
            return lines_error(l, "more than %d of %s", WHO_MAX, line->word);
        if (!parse_range(text, &ranges[*num], group, lookup))
            return lines_error(l, "no such %s: %s: a number, a range, or a name of /etc/%s",
                               group ? "group" : "user", text, group ? "group" : "passwd");
        ++*num;
    }
    /* An empty list would be nobody.  A rule for everybody has no such line. */
    return *num == before ? lines_error(l, "%s must name somebody", line->word) : 0;
}

static bool in_ranges(const struct who_range *ranges, unsigned num, uint32_t id)
{
    for (unsigned i = 0; i < num; i++)
        if (id >= ranges[i].from && id <= ranges[i].to)
            return true;
    return false;
}

bool lines_who_has(const struct who *who, uint32_t uid, const uint32_t *gids, size_t num_gids)
{
    if (!who->num_uids && !who->num_gids)
        return true;
    if (in_ranges(who->uids, who->num_uids, uid))
        return true;
    for (size_t i = 0; i < num_gids; i++)
        if (in_ranges(who->gids, who->num_gids, gids[i]))
            return true;
    return false;
}
