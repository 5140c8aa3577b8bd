/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, colours, options and names, the same for all commands. */
#define _GNU_SOURCE
#include "tool.h"
#include "near.h"
#include "quote.h"
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char no_memory[] = "out of memory";

static void complain(const char *format, va_list args)
{
    char *text = quote_format(format, args);
    fflush(stdout);
    fprintf(stderr, "headrace: %s\n", text ? text : no_memory);
    free(text);
}

int tool_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return EXIT_FAILURE;
}

int tool_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return EXIT_USAGE;
}

bool tool_colour(FILE *f)
{
    const char *no = getenv("NO_COLOR");
    return !(no && *no) && isatty(fileno(f));
}

bool tool_progress(void)
{
    return isatty(STDERR_FILENO);
}

static void print(FILE *f, const char *format, va_list args)
{
    char *text = quote_format(format, args);
    fputs(text ? text : no_memory, f);
    free(text);
}

void tool_print(FILE *f, const char *colour, const char *format, ...)
{
    const bool on = colour && tool_colour(f);
    va_list args;
    if (on)
        fprintf(f, "\033[%sm", colour);
    va_start(args, format);
    print(f, format, args);
    va_end(args);
    if (on)
        fputs("\033[0m", f);
}

void tool_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(stdout, format, args);
    va_end(args);
}

void tool_lines(FILE *f, const char *text)
{
    char *clean = quote_new(text, QUOTE_KEEP_LINES);
    fputs(clean ? clean : no_memory, f);
    free(clean);
}

/* Prints words, each of which is one line at most, from column `indent` on. */
static void wrap(FILE *out, const char *text, size_t indent)
{
    enum { WIDTH = 79 };
    size_t column = indent;
    while (*text) {
        const size_t len = strcspn(text, " ");
        if (column > indent && column + 1 + len > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)len, text);
        column += len;
        text += len + strspn(text + len, " ");
    }
    fputc('\n', out);
}

void tool_wrap(FILE *out, const char *text, size_t indent)
{
    char *clean = quote_new(text, 0);
    wrap(out, clean ? clean : no_memory, indent);
    free(clean);
}

int tool_finish(int code)
{
    if (fflush(stdout) || ferror(stdout))
        return tool_error("cannot write the output: %s", strerror(errno));
    return code;
}

bool tool_called(const char *name)
{
    return !strcmp(program_invocation_short_name, name);
}

/* ---- options ---- */

static const struct tool_option no_options[] = { { .name = NULL } };

static const struct tool_option *options_of(const struct command *cmd)
{
    return cmd->options ? cmd->options : no_options;
}

/* Whether an option has an argument, as a getopt constant: none, required or optional. */
static int argument(const struct tool_option *option)
{
    return !option->arg ? no_argument : *option->arg == '[' ? optional_argument : required_argument;
}

void tool_help(const struct command *cmd)
{
    printf("usage: headrace%c%s%s%s%s\n%s\n", cmd->alone ? '-' : ' ', cmd->name,
           *options_of(cmd)->name ? " [OPTION]..." : "", cmd->operands ? " " : "",
           cmd->operands ? cmd->operands : "", cmd->summary);
    for (const struct tool_option *o = options_of(cmd); o->name; o++) {
        char left[40];
        const int n = snprintf(left, sizeof left, "%s%.1s%s--%s%s%s", o->letter ? "-" : "   ",
                               &o->letter, o->letter ? ", " : " ", o->name,
                               argument(o) == required_argument ? " " : "", o->arg ? o->arg : "");
        printf("  %-*s  %s\n", n < 24 ? 24 : n, left, o->help);
    }
    printf("See headrace-%.*s(1).\n", (int)strcspn(cmd->name, " "), cmd->name);
}

enum { MAX_OPTIONS = 32, FIRST_LONG = 256, HELP = 'h' };

/* Converts the option table into getopt_long's form. With "+", parsing stops at the first
 * operand; otherwise options may follow operands. */
static void to_getopt(const struct command *cmd, struct option longs[], char shorts[])
{
    const struct tool_option *table = options_of(cmd);
    size_t n = 0;
    if (cmd->own_options)
        *shorts++ = '+';
    *shorts++ = ':';
    *shorts++ = HELP;
    for (; table[n].name && n < MAX_OPTIONS - 2; n++) {
        longs[n] = (struct option){ table[n].name, argument(&table[n]), NULL, FIRST_LONG + (int)n };
        if (table[n].letter)
            *shorts++ = table[n].letter;
        for (int colons = argument(&table[n]); table[n].letter && colons; colons--)
            *shorts++ = ':';
    }
    longs[n] = (struct option){ "help", 0, NULL, HELP };
    longs[n + 1] = (struct option){ 0 };
    *shorts = '\0';
}

static const struct tool_option *found(const struct tool_option *table, int code)
{
    for (int i = 0; table[i].name; i++)
        if (code == FIRST_LONG + i || (table[i].letter && code == table[i].letter))
            return &table[i];
    return NULL;
}

/* Sets an option's value. Joined arguments are never freed. */
static void set_value(const struct command *cmd, const struct tool_option *option, const char *arg)
{
    char *text;
    const bool again = *option->value && cmd->joined && !strcmp(cmd->joined, option->name);
    if (again && asprintf(&text, "%s,%s", *option->value, arg) >= 0)
        arg = text;
    *option->value = arg;
}

/* Reports an unknown option: a letter in optopt, or `last`, the long option that getopt has just
 * passed. */
static int bad_option(const struct command *cmd, const char *last)
{
    const char letter[] = { '-', (char)optopt, '\0' };
    const char *word = optopt > 0 && optopt < FIRST_LONG ? letter : last;
    struct near near = near_begin(word + strspn(word, "-"));
    char names[128];
    for (const struct tool_option *o = options_of(cmd); o->name; o++)
        near_offer(&near, o->name, o->name, strlen(o->name));
    near_text(&near, names, sizeof names);
    return tool_usage("%s: unknown option %s%s (see headrace%c%s --help)", cmd->name, word, names,
                      cmd->alone ? '-' : ' ', cmd->name);
}

/* Whether the long option that getopt_long has just passed was abbreviated: a script that says
 * --no would mean another option after an update. */
static bool is_abbreviated(const char *name, char **argv)
{
    const bool separate = optarg && optarg == argv[optind - 1];
    const char *word = argv[optind - 1 - separate];
    return !strncmp(word, "--", 2) && strcspn(word + 2, "=") < strlen(name);
}

int tool_options(const struct command *cmd, int argc, char **argv, int *exit_code)
{
    const struct tool_option *table = options_of(cmd);
    struct option longs[MAX_OPTIONS];
    char shorts[2 * MAX_OPTIONS + 4];
    int code, i = -1;
    to_getopt(cmd, longs, shorts);
    opterr = 0;
    for (; (code = getopt_long(argc, argv, shorts, longs, &i)) != -1; i = -1) {
        const struct tool_option *option = found(table, code);
        if (i >= 0 && code != ':' && code != '?' && is_abbreviated(longs[i].name, argv)) {
            *exit_code = tool_usage("%s: --%s must be written in full", cmd->name, longs[i].name);
            return -1;
        }
        if (option && option->arg)
            set_value(cmd, option, optarg ? optarg : "");
        else if (option)
            *option->flag = true;
        else {
            *exit_code = EXIT_SUCCESS;
            if (code == HELP)
                tool_help(cmd);
            else if (code == ':')
                *exit_code =
                    tool_usage("%s: option %s needs an argument", cmd->name, argv[optind - 1]);
            else
                *exit_code = bad_option(cmd, argv[optind - 1]);
            return -1;
        }
    }
    if (cmd->no_operands && optind < argc) {
        *exit_code = tool_usage("%s: unexpected operand %s", cmd->name, argv[optind]);
        return -1;
    }
    return optind;
}

/* ---- names ---- */

const struct command *tool_command(const struct command *const *commands, const char *name)
{
    struct near near = near_begin(name);
    char names[128];
    for (const struct command *const *cmd = commands; *cmd; cmd++) {
        if (!strcmp((*cmd)->name, name))
            return *cmd;
        near_offer(&near, (*cmd)->name, (*cmd)->name, strlen((*cmd)->name));
    }
    near_text(&near, names, sizeof names);
    tool_usage("unknown command %s%s (see headrace help)", name, names);
    return NULL;
}
