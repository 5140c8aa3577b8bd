/* SPDX-License-Identifier: Apache-2.0
 *
 * A process from outside: what it maps, its memory, its names; and starting one.
 */
#ifndef TRACE_PROCESS_H
#define TRACE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
    uint64_t start, end, offset;
    uint64_t inode; /* 0: no file */
    uint32_t major, minor;
    bool exec, write;
    char *path; /* "" where anonymous, "[vdso]"; may end in " (deleted)"; owned; hostile */
};

struct maps {
    struct mapping *at; /* sorted by start; all, not only executable ones */
    size_t num;
};

/* Reads /proc/PID/maps.  0, or -1 with errno. */
int maps_read(struct maps *, pid_t);
void maps_free(struct maps *);
const struct mapping *maps_find(const struct maps *, uint64_t address);

/* Opens the very file that is mapped: /proc/PID/map_files; where that is refused /proc/PID/root +
 * path, and then our own path, accepted when device and inode agree (maps.c says what is done where
 * a filesystem has two device numbers).  -1 with *why, a static text.
 */
int mapping_open(pid_t, const struct mapping *, const char **why);

/* Reads a process's memory; how many bytes, or -1.  What is read is secret: wipe it when done. */
ssize_t process_read(pid_t, uint64_t address, void *out, size_t len);

void process_name(char *out, size_t max, pid_t);                    /* comm; "?" when gone */
void process_cgroup(char *out, size_t max, pid_t);                  /* container or unit name; "" */
void process_cgroup_short(char *out, size_t max, const char *path); /* the same of its path */
bool process_is_setuid(pid_t); /* runs with other ids than its real user's */
/* Its threads now; how many, *tids is the caller's to free.  -1 with errno: it is gone. */
ssize_t process_threads(pid_t **tids, pid_t);

/* COMMAND, stopped just before exec so that observers can attach. */
struct launch {
    pid_t pid;
    int go;     /* pipe: a byte lets it exec; its end makes it give up */
    int failed; /* pipe: exec's errno, or its end */
};
/* user: NULL, or whose ids it gets.  0, or -1 with errno (EINVAL: there is no such user). */
int launch_start(struct launch *, char *const argv[], const char *user);
int launch_go(struct launch *);
/* Once it has ended: whether it never ran; then it has said why in one line and its exit status is
 * 127 (not found) or 126, as a shell's, and there is nothing to report.  Closes the pipes. */
bool launch_failed(struct launch *);
/* The shell's exit status of a wait status: 128 + signal, or the code. */
int launch_status(int wait_status);

/* Takes SIGINT, SIGTERM, SIGHUP and SIGQUIT for the length of a trace.  command 0: they end the
 * trace (signals_stop).  Else COMMAND decides when that is: a terminal has sent them to it as well,
 * and one sent to us alone is handed on. */
void signals_take(pid_t command);
bool signals_stop(void);

/* Gives up every capability but those that a running trace needs (privileges.c has the table), and
 * the gain of any by exec.  writes_files: it will yet write files that the user named; uprobes: it
 * will yet open uprobes of perf_event. */
void privileges_drop(bool writes_files, bool uprobes);

#endif
