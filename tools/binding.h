/* SPDX-License-Identifier: Apache-2.0 */
/* The bindings that a command gets through its loader: the library that is preloaded, and libmd. */
#ifndef BINDING_H
#define BINDING_H

#include <limits.h>

/* How the loader is told of one. */
struct binding {
    const char *option;    /* "--direct" */
    const char *file;      /* in the directory of Headrace's libraries */
    const char *built;     /* from the program's directory in a build tree */
    const char *variable;  /* LD_PRELOAD, or LD_LIBRARY_PATH, of which the directory is an entry */
    const char *separates; /* what no entry of the variable can have in it */
};

extern const struct binding binding_direct, binding_libmd;

/* Looks for a binding, in the build tree that this program runs from, then where it is installed,
 * and writes the variable's entry.  Exit code: one line where the file is missing, where its path
 * cannot be told to the loader, or where `command` (as execvp(3) finds it) changes user, group or
 * capabilities: the loader takes no such words then. */
int binding_find(char entry[PATH_MAX], const struct binding *binding, const char *command);
/* Puts the entry in front of the user's own in this process's environment; -1 with errno set. */
int binding_export(const struct binding *binding, const char *entry);

#endif
