/* SPDX-License-Identifier: Apache-2.0
 *
 * md5sum -c: compares the files of a checksum list with their digests.
 */
#include "sums.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The path of a line fits into PATH_MAX, or twice that with escapes. Longer lines are skipped as
 * malformed, so that a list's author cannot make memory grow. */
enum { MAX_LINE = 64 * 1024 };

struct counts {
    uintmax_t lines, malformed, formatted, unreadable, matched, wrong;
};

struct list {
    FILE *file;
    const char *path; /* for messages */
    bool standard;
    struct counts counts;
};

enum got { GOT_LINE, GOT_TOO_LONG, GOT_END };

/* Reads a line, drops its newline or CR LF, and puts a NUL behind it. */
static enum got next_line(FILE *in, char line[MAX_LINE + 1], size_t *len)
{
    int c = getc_unlocked(in);
    size_t n = 0;
    if (c == EOF)
        return GOT_END;
    for (; c != EOF && c != '\n'; c = getc_unlocked(in), n++)
        if (n < MAX_LINE)
            line[n] = (char)c;
    if (n > MAX_LINE)
        return GOT_TOO_LONG;
    n -= n > 0 && line[n - 1] == '\r';
    line[n] = '\0';
    *len = n;
    return GOT_LINE;
}

static void report(const char *path, const char *verdict)
{
    const bool escape = strchr(path, '\n') != NULL;
    if (escape)
        putchar('\\');
    sums_put_path(path, escape);
    printf(": %s\n", verdict);
}

/* Compares in constant time: for a MAC, the place of the first difference is secret. */
static bool equal(const uint8_t *x, const uint8_t *y, size_t len)
{
    volatile uint8_t differ = 0;
    for (size_t i = 0; i < len; i++)
        differ |= x[i] ^ y[i];
    return differ == 0;
}

static void check_file(struct counts *counts, const struct sums_line *line,
                       const struct sums_check *how)
{
    struct sums_kind kind = how->kind;
    uint8_t digest[HR_DIGEST_MAX_OUT];
    kind.row = line->row;
    const enum sums_read got = sums_file(digest, &kind, line->path, how->ignore_missing);
    if (got == SUMS_MISSING)
        return;
    const bool same = got == SUMS_READ && equal(digest, line->digest, line->row->out_len);
    counts->unreadable += got == SUMS_FAILED;
    counts->matched += same;
    counts->wrong += got == SUMS_READ && !same;
    if (how->say == SAY_STATUS || (same && how->say == SAY_QUIET))
        return;
    report(line->path, same ? "OK" : got == SUMS_READ ? "FAILED" : "FAILED open or read");
}

static void check_line(struct list *list, char *text, size_t len, enum got got,
                       struct sums_check *how)
{
    struct sums_line line;
    list->counts.lines++;
    if (got == GOT_LINE && (len == 0 || *text == '#'))
        return;
    /* a list that is standard input cannot list standard input */
    if (got == GOT_LINE && sums_parse(&line, &how->format, text, len) &&
        !(list->standard && !strcmp(line.path, "-"))) {
        list->counts.formatted++;
        check_file(&list->counts, &line, how);
        return;
    }
    list->counts.malformed++;
    if (how->say == SAY_WARN)
        sums_complain(list->path, "%" PRIuMAX ": improperly formatted %schecksum line",
                      list->counts.lines, how->label);
}

static void warn(uintmax_t num, const char *one, const char *many)
{
    if (num)
        sums_say("WARNING: %" PRIuMAX " %s", num, num == 1 ? one : many);
}

/* Prints the warnings at the end of a list. Returns whether all is right. */
static bool summary(const struct list *list, const struct sums_check *how)
{
    const struct counts *n = &list->counts;
    if (!n->formatted) {
        sums_complain(list->path, "no properly formatted checksum lines found");
        return false;
    }
    if (how->say != SAY_STATUS) {
        warn(n->malformed, "line is improperly formatted", "lines are improperly formatted");
        warn(n->unreadable, "listed file could not be read", "listed files could not be read");
        warn(n->wrong, "computed checksum did NOT match", "computed checksums did NOT match");
        if (how->ignore_missing && !n->matched)
            sums_complain(list->path, "no file was verified");
    }
    return n->matched && !n->unreadable && !n->wrong && !(how->strict && n->malformed);
}

bool sums_check(struct sums_check *how, const char *path)
{
    static char text[MAX_LINE + 1];
    struct list list = { .path = path, .standard = !strcmp(path, "-") };
    enum got got;
    size_t len = 0;
    if (list.standard)
        list.path = "standard input";
    list.file = list.standard ? stdin : fopen(path, "re");
    if (!list.file) {
        sums_complain(path, "%s", strerror(errno));
        return false;
    }
    while ((got = next_line(list.file, text, &len)) != GOT_END)
        check_line(&list, text, len, got, how);
    const bool failed = ferror(list.file);
    clearerr(list.file);
    if (!list.standard)
        fclose(list.file);
    if (failed)
        sums_complain(list.path, "read error");
    return !failed && summary(&list, how);
}
