/* SPDX-License-Identifier: Apache-2.0 */
/* Any list of digests: a line is parsed within its own bytes, and the line that md5sum would print
 * of the result is parsed to the same result. */
#include "../tools/sums/sums.h"
#include "fuzz.h"
#include <headrace/algorithms.h>
#include <string.h>

/* Finds the row that a tag names; any row is allowed, as for `headrace digest -c` without -a. */
static const struct hr_algorithm *tagged(const struct sums_format *format, const char *tag,
                                         size_t tag_len)
{
    char name[24];
    if (tag_len >= sizeof name)
        return NULL;
    memcpy(name, tag, tag_len);
    name[tag_len] = '\0';
    const struct hr_algorithm *row = hr_algorithm_by_name(name);
    return row && row->out_len && (!format->row || row == format->row) ? row : NULL;
}

/* The kinds of lists: of md5sum and similar programs, of `headrace digest`, and lists in which each
 * line names its row. */
static const struct {
    const char *tag;
    hr_alg alg;
} kinds[] = { { "MD5", HR_MD5 },
              { "SHA1", HR_SHA1 },
              { "SHA512", HR_SHA512 },
              { NULL, HR_SHA1 },
              { NULL, HR_ALG_NONE } };

static size_t print_line(char *out, const struct sums_line *line, size_t digest_len)
{
    size_t n = 0;
    out[n++] = '\\';
    for (size_t i = 0; i < digest_len; i++) {
        static const char digits[] = "0123456789abcdef";
        out[n++] = digits[line->digest[i] >> 4];
        out[n++] = digits[line->digest[i] & 15];
    }
    out[n++] = ' ';
    out[n++] = '*';
    for (const char *at = line->path; *at; at++) {
        static const char special[] = "\n\r\\", letters[] = "nr\\";
        const char *found = strchr(special, *at);
        if (found)
            out[n++] = '\\';
        out[n++] = found ? letters[found - special] : *at;
    }
    out[n] = '\0';
    return n;
}

static void check_again(const struct sums_line *line, const struct sums_format *format, size_t len)
{
    struct sums_format fresh = { .row = line->row, .tag = format->tag, .tagged = tagged };
    char *text = malloc(2 * len + 2 * HR_DIGEST_MAX_OUT + 8);
    struct sums_line again;
    CHECK(text != NULL);
    if (*line->path) { /* only a line with a tag can have an empty name */
        CHECK(sums_parse(&again, &fresh, text, print_line(text, line, line->row->out_len)));
        CHECK(!strcmp(again.path, line->path));
        CHECK(!memcmp(again.digest, line->digest, line->row->out_len));
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    const size_t kind = take_byte(&in) % (sizeof kinds / sizeof *kinds);
    struct sums_format format = { .row = hr_algorithm(kinds[kind].alg),
                                  .tag = kinds[kind].tag,
                                  .tagged = tagged };
    while (in.len) {
        const uint8_t *newline = memchr(in.p, '\n', in.len);
        const size_t len = newline ? (size_t)(newline - in.p) : in.len;
        char *text = malloc(len + 1);
        struct sums_line line;
        memcpy(text, in.p, len);
        text[len] = '\0';
        if (sums_parse(&line, &format, text, len)) {
            CHECK(line.path > text && line.path + strlen(line.path) <= text + len);
            check_again(&line, &format, len);
        }
        free(text);
        in.p += len + (newline != NULL);
        in.len -= len + (newline != NULL);
    }
    return 0;
}
