/* SPDX-License-Identifier: Apache-2.0
 *
 * The output formats of `headrace digest` and `headrace mac`: those of Solaris's commands, which
 * depend on the number of files, and BSD's.
 */
#include "sums_forms.h"
#include "../../cli/algorithm.h"
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

struct sums_options sums_options;

int sums_options_check(const char *command)
{
    const struct sums_options *o = &sums_options;
    const struct {
        bool given;
        const char *name;
    } of_check[] = { { o->ignore_missing, "ignore-missing" },
                     { o->quiet, "quiet" },
                     { o->status, "status" },
                     { o->strict, "strict" },
                     { o->warn, "warn" } };
    if (o->check && (o->tag || o->verbose))
        return tool_usage("%s: --check finds out the form of each line: no --%s", command,
                          o->tag ? "tag" : "verbose");
    if (o->tag && o->verbose)
        return tool_usage("%s: --tag and --verbose are two forms: one of them", command);
    for (size_t i = 0; i < COUNT(of_check); i++)
        if (of_check[i].given && !o->check)
            return tool_usage("%s: --%s is meaningful only with --check", command,
                              of_check[i].name);
    return EXIT_SUCCESS;
}

/* ---- names of rows ---- */

/* "SHA512/224" and "SHA3-256", as openssl and coreutils write them. */
static void upper(char *tag, const char *symbol)
{
    const char between = strncmp(symbol, "sha3_", 5) ? '/' : '-';
    for (; *symbol; symbol++)
        *tag++ = *symbol == '_' ? between : (char)toupper((unsigned char)*symbol);
    *tag = '\0';
}

struct sums_words sums_words(const struct hr_algorithm *row)
{
    const bool hmac = row->digest != HR_ALG_NONE;
    const char *symbol = hmac ? hr_algorithm(row->digest)->symbol : row->symbol;
    struct sums_words words;
    char name[sizeof row->symbol];
    upper(name, symbol);
    if (tool_is_mac(row) && !hmac)
        snprintf(words.tag, sizeof words.tag, "%s", row->name);
    else
        snprintf(words.tag, sizeof words.tag, "%s%s", hmac ? "HMAC-" : "", name);
    snprintf(words.solaris, sizeof words.solaris, "%s%s", symbol, hmac ? "_hmac" : "");
    return words;
}

/* ---- printing ---- */

/* Prints "tag (path) = " or "(path) = ". */
static void put_front(const char *tag, const char *path)
{
    const bool escape = strpbrk(path, "\\\n\r") != NULL;
    printf("%s%s%s(", escape ? "\\" : "", tag, *tag ? " " : "");
    sums_put_path(path, escape);
    fputs(") = ", stdout);
}

static bool standard_input_only; /* no operand was given */

static bool print_one(const struct sums_kind *kind, char **paths, int num, int i)
{
    const char *path = paths[i];
    const struct sums_words words = sums_words(kind->row);
    uint8_t digest[HR_DIGEST_MAX_OUT];
    char hex[2 * HR_DIGEST_MAX_OUT + 1];
    if (sums_file_of(digest, kind, paths, num, i) != SUMS_READ)
        return false;
    if (sums_options.verbose && standard_input_only)
        printf("%s ", words.solaris); /* as Solaris's programs: there is no name */
    else if (sums_options.tag || sums_options.verbose)
        put_front(sums_options.tag ? words.tag : words.solaris, path);
    else if (num > 1)
        put_front("", path);
    sums_hex(hex, digest, kind->row->out_len);
    puts(hex);
    return true;
}

/* ---- lists ---- */

static bool (*takes_row)(const struct hr_algorithm *row);

/* The row that a line's tag means. If the user named a row, lines for other rows are not
 * checked. */
static const struct hr_algorithm *tagged(const struct sums_format *format, const char *tag,
                                         size_t tag_len)
{
    char name[40];
    if (tag_len >= sizeof name)
        return NULL;
    memcpy(name, tag, tag_len);
    name[tag_len] = '\0';
    const struct hr_algorithm *row = algorithm_find(name);
    return row && takes_row(row) && (!format->row || row == format->row) ? row : NULL;
}

static enum sums_say how_loud(void)
{
    const struct sums_options *o = &sums_options;
    return o->status ? SAY_STATUS : o->quiet ? SAY_QUIET : o->warn ? SAY_WARN : SAY_ALL;
}

int sums_files(const struct sums_kind *kind, bool (*takes)(const struct hr_algorithm *row),
               int num_paths, char **paths)
{
    static char *standard[] = { "-", NULL };
    char label[sizeof(struct sums_words)] = "";
    struct sums_check check = {
        .label = label,
        .kind = *kind,
        .format = { .row = kind->row, .tagged = tagged },
        .say = how_loud(),
        .ignore_missing = sums_options.ignore_missing,
        .strict = sums_options.strict,
    };
    bool good = true;
    takes_row = takes;
    sums_called("headrace");
    setlocale(LC_CTYPE, ""); /* determines which characters of a name can be printed */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* whole lines: several may write at once */
    if (kind->row)
        snprintf(label, sizeof label, "%s ", sums_words(kind->row).tag);
    if (!num_paths) {
        standard_input_only = tool_called("digest") || tool_called("mac");
        num_paths = 1;
        paths = standard;
    }
    for (int i = 0; i < num_paths; i++)
        good &= sums_options.check ? sums_check(&check, paths[i])
                                   : print_one(kind, paths, num_paths, i);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
