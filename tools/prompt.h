/* SPDX-License-Identifier: Apache-2.0 */
/* A secret typed on the terminal. */
#ifndef PROMPT_H
#define PROMPT_H

#include <stddef.h>

/* Asks on the terminal, whatever standard input is, without echo: the length of the line, which has
 * no newline and no NUL behind. -1 with errno: ENXIO or ENOTTY where there is no terminal,
 * EMSGSIZE, ENODATA (end of file). A signal ends or stops the program as it always does, with the
 * terminal's echo back on. The caller wipes `out`. */
int prompt_secret(char *out, size_t out_size, const char *words);

#endif
