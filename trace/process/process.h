/* SPDX-License-Identifier: Apache-2.0
 *
 * A process seen from outside (its mappings, its memory, its names), and starting one.
 */
#ifndef TRACE_PROCESS_H
#define TRACE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
    uint64_t start, end, offset;
    uint64_t inode; /* 0: no file is mapped */
    uint32_t major, minor;
    bool exec, write;
    char *path; /* malloc'd and hostile; "" if anonymous; "[vdso]"; may end in " (deleted)" */
};

struct maps {
    struct mapping *at; /* all mappings, not only executable ones, sorted by start */
    size_t num;
};

/* Reads /proc/PID/maps. Returns 0, or -1 with errno. */
int maps_read(struct maps *, pid_t);
void maps_free(struct maps *);
const struct mapping *maps_find(const struct maps *, uint64_t address);

/* Opens exactly the file that is mapped, through /proc/PID/map_files. Where that is refused, it
 * tries /proc/PID/root + path, and then the path in our own root; such a file is accepted if
 * device and inode agree (maps_open.c says what is done for filesystems with two device
 * numbers). Returns a descriptor, or -1 with *why, a static text. */
int mapping_open(pid_t, const struct mapping *, const char **why);

/* Reads a process's memory. Returns the number of bytes, or -1. The contents may be secret: the
 * caller wipes them. */
ssize_t process_read(pid_t, uint64_t address, void *out, size_t len);

void process_name(char *out, size_t max, pid_t);   /* comm; "?" when the process is gone */
void process_cgroup(char *out, size_t max, pid_t); /* name of its container or unit, or "" */
/* Gets the same name from a path as in /proc/PID/cgroup. */
void process_cgroup_short(char *out, size_t max, const char *path);
/* Moves the calling process into the control groups of another one, as far as they differ. Returns
 * false where that was not possible. */
bool process_join_cgroups(pid_t);
bool process_is_setuid(pid_t); /* its effective user or group id differs from the real one */
/* Lists the threads that a process has now. Returns how many, or -1 with errno if the process is
 * gone or there is no memory. The caller frees *tids. */
ssize_t process_threads(pid_t **tids, pid_t);

/* The process of COMMAND, which waits before exec so that the tracer can attach to it. */
struct launch {
    pid_t pid;
    int go;     /* pipe: a byte lets it exec; end of file makes it give up */
    int failed; /* pipe: carries the errno of a failed exec */
};
/* user: the user to run as, or NULL. Returns 0, or -1 with errno (EINVAL: there is no such
 * user). */
int launch_start(struct launch *, char *const argv[], const char *user);
int launch_go(struct launch *);
/* To be called once the process has ended: whether exec failed. Then the process has printed the
 * reason in one line, its exit status is 127 (not found) or 126 as in a shell, and there is
 * nothing to report. Closes the pipes. */
bool launch_failed(struct launch *);
/* The exit status that a shell reports for a wait status: 128 + signal, or the exit code. */
int launch_status(int wait_status);

/* Handles SIGINT, SIGTERM, SIGHUP and SIGQUIT during a trace. If command is 0, they end the
 * trace (signals_stop returns true). Otherwise COMMAND decides when to end: a signal from the
 * terminal reached it as well, and one sent to us alone is forwarded to it. */
void signals_take(pid_t command);
bool signals_stop(void);
/* Whether the trace is to end: signals_stop(), or a signal came that COMMAND was to decide about,
 * and COMMAND has ended. */
bool signals_ending(void);

/* Drops every capability except those that a running trace needs (privileges.c has the table), and
 * forbids gaining any by exec. writes_files: the caller will still create files that the user
 * named. uprobes: it will still open uprobes of perf_event. */
void privileges_drop(bool writes_files, bool uprobes);

#endif
