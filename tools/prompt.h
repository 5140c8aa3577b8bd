/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for a secret on the terminal. */
#ifndef PROMPT_H
#define PROMPT_H

#include <stddef.h>

/* Asks on the terminal, whatever standard input is, without echo. Returns the length of the
 * line, which has no newline and no NUL at its end; or -1 with errno: ENXIO, ENOTTY or ENOENT
 * (no terminal), EMSGSIZE (longer than out_size), ENODATA (end of file). A signal ends or stops the
 * program as usual, with the terminal's echo restored. The caller wipes `out`. */
int prompt_secret(char *out, size_t out_size, const char *words);

#endif
