/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACE_JCMD_H
#define TRACE_JCMD_H

#include <sys/types.h>

/* Runs jcmd, which asks a JVM to write its perf map. It runs as the JVM's user, whom it must not
 * give anything of ours: in the JVM's control groups, with no descriptors but 0 to 2, which are
 * /dev/null, and without our environment. It is killed after 15 seconds, or soon after the end of
 * the trace. Returns 1 if it succeeded, 0 if it failed, -1 if it was not started. */
int jcmd_run(pid_t, uid_t, gid_t);

#endif
