/* SPDX-License-Identifier: Apache-2.0
 *
 * tracefs_run STATE COMMAND...: runs it where tracefs is mounted, unmounted or refused.  Exit
 * status 77: that cannot be had here.
 */
#include "tracefs_state.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { USAGE = 2, IMPOSSIBLE = 77, NOT_RUN = 127 };

int main(int argc, char **argv)
{
    int state = 0;
    while (argc > 2 && state < NUM_TRACEFS_STATES && strcmp(argv[1], tracefs_states[state]) != 0)
        state++;
    if (argc <= 2 || state == NUM_TRACEFS_STATES)
        return USAGE;
    if (tracefs_enter((enum tracefs_state)state)) {
        perror("tracefs_run");
        return IMPOSSIBLE;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return NOT_RUN;
}
