/* SPDX-License-Identifier: Apache-2.0
 *
 * A temporary file that does not outlive its program: a signal that ends the program removes it.
 * A program has at most one at a time.
 */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <signal.h>

/* Gets the signals whose default action ends a program, without SIGKILL, which nothing can handle,
 * and without those by which a fault of the program itself is reported, such as SIGSEGV. */
void temporary_signals(sigset_t *set);

/* Gives these signals a handler, except for those that are ignored or have one. It must end the
 * program. */
void temporary_catch(void (*handler)(int number));

/* Makes and opens a file as mkostemp(3) does, with O_CLOEXEC. From now on signals remove it,
 * except for those that are ignored or have a handler. Returns the descriptor, or -1 with errno. */
int temporary_open(char *template);
/* Returns the file's name, or NULL if there is none. */
const char *temporary_name(void);
/* Removes the file, if there is one. */
void temporary_remove(void);
/* Forgets the file, which has its final name now. */
void temporary_forget(void);

#endif
