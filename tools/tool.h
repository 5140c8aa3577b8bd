/* SPDX-License-Identifier: Apache-2.0
 *
 * What every command of the `headrace` program shares.  A command is a row: name, summary, options,
 * main; main.c lists them.  Options are declared beside the variables that they set.
 *
 * Exit codes: 0 done; 1 it failed, or what was asked about is not fine; 2 usage.
 * Every error is one line on stderr that begins "headrace: ".
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { EXIT_USAGE = 2 };

struct tool_option {
    const char *name; /* long name; NULL ends the list */
    char letter;      /* short name, or 0 */
    const char *arg;  /* what its argument is, in capitals; NULL where it has none; "[=WORD]" where
                       * it may be left out, which is the same as "" */
    const char *help;
    bool *flag;         /* set to true, where arg is NULL */
    const char **value; /* set to the argument */
};

struct command {
    const char *name;
    const char *operands; /* "[FILE]..." */
    const char *summary;
    const struct tool_option *options;
    int (*main)(int argc, char **argv); /* operands only: argv[0] is the first; returns exit code */
    bool no_operands;                   /* refuse any */
    bool own_options;                   /* of the operands: they are a command's words */
    bool alone;         /* a program of its own, headrace-NAME: there is no `headrace NAME` */
    bool is_program;    /* also does its work for a program of its name: the Solaris names */
    const char *joined; /* an option that may be given again: its arguments, joined by commas */
    /* Instead of all that, for a command that is a program of its own: gets argv as it came. */
    int (*external)(int argc, char **argv);
};

/* The rows, in the order of `headrace help`; NULL ends them. */
extern const struct command *const commands[];

/* Print "headrace: ..." and return EXIT_FAILURE or EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int tool_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) int tool_usage(const char *format, ...);

/* Reads the options of argv[0]; returns where operands begin, or -1 with *exit_code set (--help is
 * one such end). */
int tool_options(const struct command *cmd, int argc, char **argv, int *exit_code);
void tool_help(const struct command *cmd);

/* The row of this name; else says so with near matches, and returns NULL. */
const struct command *tool_command(const char *name);

/* Whether colour may be written there: a terminal, and NO_COLOR not set (no-color.org). */
bool tool_colour(FILE *f);
/* Whether progress may be written: stderr is a terminal. */
bool tool_progress(void);
/* printf with a colour: "1" bold, "31" red, "32" green, "33" yellow; plain where not allowed. */
__attribute__((format(printf, 3, 4))) void tool_print(FILE *f, const char *colour,
                                                      const char *format, ...);
/* The words of a text from column `indent` on, where the line stands, wrapped at 79; and a newline.
 */
void tool_wrap(FILE *out, const char *text, size_t indent);
/* Flushes stdout; EXIT_FAILURE with one line where that failed (a full disk), else `code`. */
int tool_finish(int code);

#endif
