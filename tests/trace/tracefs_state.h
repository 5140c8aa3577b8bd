/* SPDX-License-Identifier: Apache-2.0
 *
 * tracefs as it is on this machine or that, for one process and those that it starts, so that no
 * test depends on whether it is mounted here.
 */
#ifndef TEST_TRACEFS_STATE_H
#define TEST_TRACEFS_STATE_H

enum tracefs_state {
    TRACEFS_MOUNTED,   /* mounted at /sys/kernel/tracing */
    TRACEFS_UNMOUNTED, /* mounted nowhere, but the caller can mount it */
    TRACEFS_REFUSED,   /* mounted nowhere, and fsopen() is refused, so the tracer learns of no
                        * forks */
    NUM_TRACEFS_STATES
};
extern const char *const tracefs_states[NUM_TRACEFS_STATES];

/* mounts_apart gives the caller a mount namespace of its own, whose mounts nobody else sees. It
 * returns 0, or -1 with errno. */
int mounts_apart(void);
/* tracefs_enter gives the caller a mount namespace of its own with tracefs in this state. It
 * returns 0, or -1 with errno. */
int tracefs_enter(enum tracefs_state);

#endif
