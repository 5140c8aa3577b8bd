/* SPDX-License-Identifier: Apache-2.0 */
/* The bindings that a command gets through its dynamic loader: the preloaded library, and libmd. */
#ifndef BINDING_H
#define BINDING_H

#include <limits.h>
#include <stdbool.h>

/* How the loader is told to load a binding. */
struct binding {
    const char *option;    /* "--direct" */
    const char *file;      /* name in the directory of Headrace's libraries */
    const char *built;     /* path relative to the program's directory in a build tree */
    const char *variable;  /* LD_PRELOAD, or LD_LIBRARY_PATH, of which the directory is an entry */
    const char *separates; /* characters that separate entries of the variable */
};

extern const struct binding binding_direct, binding_libmd;

/* Finds the file that execvp(3) would run. Returns false if there is none; execvp reports that
 * later. */
bool binding_command(char out[PATH_MAX], const char *command);
/* Finds a binding in the build tree of this program, or else where it is installed, and writes
 * the entry for the variable. Returns an exit code, with one line printed if the file is
 * missing, if its path cannot be an entry, or if `command` (as execvp(3) finds it) changes user,
 * group or capabilities: the loader ignores the variables then. */
int binding_find(char entry[PATH_MAX], const struct binding *binding, const char *command);
/* Puts the entry in front of the user's own ones in this process's environment. Returns -1 with
 * errno on failure. */
int binding_export(const struct binding *binding, const char *entry);

#endif
