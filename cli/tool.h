/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations for all commands of the program `headrace`.  A command is a struct command with its
 * name, summary, options and main function; main.c lists them.  Options are declared beside the
 * variables that they set.
 *
 * Exit codes: 0: done; 1: it failed, or a check found something wrong; 2: wrong usage.
 * Every error is one line on stderr that begins "headrace: ". The functions that print quote what
 * they print (quote.h), so that no name can forge a line or reach a terminal as an escape sequence;
 * tests/layout.sh finds texts that are printed without them.
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
    const char *arg;  /* a word in capitals for its argument; NULL if it has none; "[=WORD]" if the
                       * argument may be left out, which means "" */
    const char *help;
    bool *flag;         /* set to true, if arg is NULL */
    const char **value; /* set to the argument */
};

struct command {
    const char *name;
    const char *operands; /* "[FILE]..." */
    const char *summary;
    const struct tool_option *options;
    int (*main)(int argc, char **argv); /* argv has the operands only; returns the exit code */
    bool no_operands;                   /* operands are an error */
    bool own_options;   /* options after the first operand belong to the operands, which are a
                         * command line */
    bool alone;         /* only as a program of its own, headrace-NAME: not as `headrace NAME` */
    bool is_program;    /* the command also runs if argv[0] has its name, as on Solaris */
    const char *joined; /* an option that may be given several times; its arguments are joined by
                         * commas */
    /* Instead of the members above, for a command that is a program of its own: gets the whole
     * argv. */
    int (*external)(int argc, char **argv);
};

/* tool_error and tool_usage print "headrace: ..." and return EXIT_FAILURE or EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int tool_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) int tool_usage(const char *format, ...);

/* tool_options reads the options of the command argv[0] and returns the index of the first operand.
 * It returns -1, with *exit_code set, after an error and after --help. */
int tool_options(const struct command *cmd, int argc, char **argv, int *exit_code);
/* tool_called tells whether the program was started by this name, as the links of Solaris's names
 * are. */
bool tool_called(const char *name);
void tool_help(const struct command *cmd);

/* tool_command returns the command of this name among `commands`, which NULL ends.  If there is
 * none, it prints an error with similar names and returns NULL. */
const struct command *tool_command(const struct command *const *commands, const char *name);

/* tool_colour tells whether f may get colours: it is a terminal, and NO_COLOR is unset or
 * empty (no-color.org). */
bool tool_colour(FILE *f);
/* tool_progress tells whether progress may be printed: stderr is a terminal. */
bool tool_progress(void);
/* tool_print is fprintf with a colour: "1" bold, "31" red, "32" green, "33" yellow; without one if
 * it is NULL or tool_colour forbids it. Newlines and tabs of the format stay, and whatever else
 * cannot be printed is quoted. */
__attribute__((format(printf, 3, 4))) void tool_print(FILE *f, const char *colour,
                                                      const char *format, ...);
/* tool_say is tool_print on stdout without a colour. */
__attribute__((format(printf, 1, 2))) void tool_say(const char *format, ...);
/* tool_lines prints a text of several lines, such as a file's; its newlines and tabs stay. */
void tool_lines(FILE *f, const char *text);
/* tool_wrap prints a text from column `indent` on, where the line is already, wraps it at column
 * 79, and ends the line. */
void tool_wrap(FILE *out, const char *text, size_t indent);
/* tool_finish flushes stdout and returns `code`; if that fails (a full disk), it prints an error
 * and returns EXIT_FAILURE. */
int tool_finish(int code);

#endif
