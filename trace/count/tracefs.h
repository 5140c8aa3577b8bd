/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's tracepoints as tracefs describes them: their numbers, and what is where in their
 * records.
 */
#ifndef TRACE_TRACEFS_H
#define TRACE_TRACEFS_H

/* A descriptor of the directory that has a folder for each tracepoint; -1 with errno. */
int tracefs_open(void);
/* The number of a tracepoint such as "sched/sched_process_fork"; -1: there is none. */
int tracefs_id(int tracefs, const char *tracepoint);
/* A field's offset in a tracepoint's record, and its size; -1: there is no such field. */
int tracefs_field(int tracefs, const char *tracepoint, const char *field, unsigned *size);

#endif
