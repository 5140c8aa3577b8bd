/* SPDX-License-Identifier: Apache-2.0
 *
 * md5sum and its relatives: parses options and prints digests.
 */
#include "sums.h"
#include "../../cli/tool.h"
#include <errno.h>
#include <getopt.h>
#include <headrace/algorithms.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

static const struct sums_name names[] = {
    { "md5sum", "MD5", HR_MD5 },          { "sha1sum", "SHA1", HR_SHA1 },
    { "sha224sum", "SHA224", HR_SHA224 }, { "sha256sum", "SHA256", HR_SHA256 },
    { "sha384sum", "SHA384", HR_SHA384 }, { "sha512sum", "SHA512", HR_SHA512 },
};

const struct sums_name *sums_named(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(names[i].name, name))
            return &names[i];
    return NULL;
}

/* ---- messages ---- */

static const char *program;

void sums_called(const char *name)
{
    program = name;
}

void sums_complain(const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    sums_put_quoted(stderr, path);
    fputs(": ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void sums_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* Closes standard output. Returns whether everything was written; an earlier failure has no
 * errno any more. */
static bool close_stdout(void)
{
    const bool pending = __fpending(stdout) > 0, failed = ferror(stdout);
    const bool unclosed = fclose(stdout) != 0;
    if (unclosed && (failed || pending || errno != EBADF)) /* EBADF: closed, and nothing to write */
        sums_say("write error: %s", strerror(errno));
    else if (failed)
        sums_say("write error");
    else
        return true;
    return false;
}

/* ---- options ---- */

enum { KIND_DEFAULT, KIND_TEXT, KIND_BINARY, KIND_TAG };
enum { ASKED_HELP = 1, ASKED_VERSION };

struct options {
    const struct sums_name *name;
    int check, ignore_missing, strict, say, zero, kind, asked;
    bool tagged; /* --tag was the last or an earlier option */
};
static struct options o;

/* The options, each of which sets one number; long options in the order in which an ambiguous
 * one is reported. */
static const struct {
    const char *name;
    char letter;
    int *set, value;
} rows[] = {
    { "check", 'c', &o.check, 1 },           { "ignore-missing", 0, &o.ignore_missing, 1 },
    { "quiet", 0, &o.say, SAY_QUIET },       { "status", 0, &o.say, SAY_STATUS },
    { "warn", 'w', &o.say, SAY_WARN },       { "strict", 0, &o.strict, 1 },
    { "tag", 0, &o.kind, KIND_TAG },         { "zero", 'z', &o.zero, 1 },
    { "binary", 'b', &o.kind, KIND_BINARY }, { "text", 't', &o.kind, KIND_TEXT },
    { "help", 0, &o.asked, ASKED_HELP },     { "version", 0, &o.asked, ASKED_VERSION },
};

enum { FIRST_LONG = 256 };

/* Sets an option. Returns false if there is none, which getopt has reported. */
static bool set_option(int code)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (code != FIRST_LONG + (int)i && (!rows[i].letter || code != rows[i].letter))
            continue;
        *rows[i].set = rows[i].value;
        o.tagged |= o.kind == KIND_TAG;
        return true;
    }
    return false;
}

static bool read_options(int argc, char **argv)
{
    struct option longs[COUNT(rows) + 1] = { 0 };
    int code;
    for (size_t i = 0; i < COUNT(rows); i++)
        longs[i] = (struct option){ rows[i].name, no_argument, NULL, FIRST_LONG + (int)i };
    optind = 0; /* start again, even if `headrace help` has parsed its own options */
    while (!o.asked && (code = getopt_long(argc, argv, "bctwz", longs, NULL)) != -1)
        if (!set_option(code))
            return false;
    return true;
}

/* Checks for options that exclude each other, and prints the first such case. */
static bool contradict(void)
{
    const struct {
        bool wrong;
        const char *words;
    } rules[] = {
        { o.tagged && o.kind == KIND_TEXT, "--tag does not support --text mode" },
        { o.check && o.zero, "the --zero option is not supported when verifying checksums" },
        { o.check && o.tagged, "the --tag option is meaningless when verifying checksums" },
        { o.check && o.kind,
          "the --binary and --text options are meaningless when verifying checksums" },
        { !o.check && o.ignore_missing,
          "the --ignore-missing option is meaningful only when verifying checksums" },
        { !o.check && o.say == SAY_STATUS,
          "the --status option is meaningful only when verifying checksums" },
        { !o.check && o.say == SAY_WARN,
          "the --warn option is meaningful only when verifying checksums" },
        { !o.check && o.say == SAY_QUIET,
          "the --quiet option is meaningful only when verifying checksums" },
        { !o.check && o.strict, "the --strict option is meaningful only when verifying checksums" },
    };
    for (size_t i = 0; i < COUNT(rules); i++) {
        if (!rules[i].wrong)
            continue;
        sums_say("%s", rules[i].words);
        return true;
    }
    return false;
}

static int usage(void)
{
    fprintf(stderr, "Try '%s --help' for more information.\n", program);
    return EXIT_FAILURE;
}

static void help(void)
{
    printf(
        "Usage: %s [OPTION]... [FILE]...\n"
        "Print the %s digest of each FILE, or check digests (-c). FILE \"-\", and none: standard\n"
        "input.\n"
        "  -b, --binary          mark names with '*': binary; files are read alike\n"
        "  -c, --check           FILEs are lists of digests: check the files that they name\n"
        "      --tag             print in BSD's form: %s (FILE) = DIGEST\n"
        "  -t, --text            mark names with ' ': text, which is the default\n"
        "  -z, --zero            end lines with NUL, and escape no names\n"
        "      --help            print this and exit\n"
        "      --version         print the version and exit\n"
        "With -c:\n"
        "      --ignore-missing  pass over files that are not there\n"
        "      --quiet           do not print OK for files that match\n"
        "      --status          print nothing: the exit code tells\n"
        "      --strict          fail where a line has the wrong form\n"
        "  -w, --warn            name each line that has the wrong form\n"
        "See headrace-sums(1).\n",
        program, o.name->tag, o.name->tag);
}

/* ---- digests ---- */

static bool print_digest(char **paths, int num, int i)
{
    const char *path = paths[i];
    const bool escape = !o.zero && strpbrk(path, "\\\n\r");
    const struct sums_kind kind = { .row = hr_algorithm(o.name->alg) };
    uint8_t digest[HR_DIGEST_MAX_OUT];
    char hex[2 * HR_DIGEST_MAX_OUT + 1];
    if (sums_file_of(digest, &kind, paths, num, i) != SUMS_READ)
        return false;
    sums_hex(hex, digest, kind.row->out_len);
    fputs(escape ? "\\" : "", stdout);
    if (o.tagged)
        printf("%s (", o.name->tag);
    else
        printf("%s %c", hex, o.kind == KIND_BINARY ? '*' : ' ');
    sums_put_path(path, escape);
    if (o.tagged)
        printf(") = %s", hex);
    putchar(o.zero ? '\0' : '\n');
    return true;
}

static bool each_file(int num, char **paths)
{
    char label[16];
    struct sums_check check = {
        .label = label,
        .format = { .tag = o.name->tag, .row = hr_algorithm(o.name->alg) },
        .say = (enum sums_say)o.say,
        .ignore_missing = o.ignore_missing,
        .strict = o.strict,
    };
    bool good = true, standard = false;
    snprintf(label, sizeof label, "%s ", o.name->tag);
    for (int i = 0; i < num; i++) {
        good &= o.check ? sums_check(&check, paths[i]) : print_digest(paths, num, i);
        standard |= !strcmp(paths[i], "-");
    }
    if (standard && fclose(stdin)) {
        sums_say("standard input: %s", strerror(errno));
        good = false;
    }
    return good;
}

int sums_main(const struct sums_name *name, int argc, char **argv)
{
    static char *standard[] = { "-", NULL };
    bool good = true;
    o.name = name;
    sums_called(argv[0]);
    setlocale(LC_CTYPE, ""); /* determines which characters of a name can be printed */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* whole lines: several may write at once */
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    if (!read_options(argc, argv))
        return usage();
    if (o.asked == ASKED_HELP)
        help();
    else if (o.asked == ASKED_VERSION)
        printf("%s (Headrace) %s\n", name->name, hr_version());
    else if (contradict())
        return usage();
    else if (optind < argc)
        good = each_file(argc - optind, argv + optind);
    else
        good = each_file(1, standard);
    return close_stdout() && good ? EXIT_SUCCESS : EXIT_FAILURE;
}
