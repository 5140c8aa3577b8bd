/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of commands, such as `headrace accel status`. */
#ifndef TOOLS_GROUP_H
#define TOOLS_GROUP_H

#include "../cli/tool.h"

struct group {
    const char *name;                      /* "accel" */
    const struct command *const *commands; /* "accel status" and so on; NULL ends them */
    const char *page;                      /* the manual page */
};

/* group_main runs the command that argv[1] names, prints the list of them, or words for shell
 * completion. */
int group_main(const struct group *group, int argc, char **argv);

#endif
