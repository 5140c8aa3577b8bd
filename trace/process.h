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
    uint64_t inode;
    uint32_t major, minor;
    bool exec, write;
    char *path; /* "" where anonymous; owned */
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
 * path, and then our own path, accepted when device and inode agree.  -1 with *why, a static text.
 */
int mapping_open(pid_t, const struct mapping *, const char **why);

/* Reads a process's memory; how many bytes, or -1.  What is read is secret: wipe it when done. */
ssize_t process_read(pid_t, uint64_t address, void *out, size_t len);

void process_name(char *out, size_t max, pid_t);   /* comm; "?" when gone */
void process_cgroup(char *out, size_t max, pid_t); /* container or unit name; "" */
bool process_is_setuid(pid_t);                     /* runs with other ids than its real user's */

/* COMMAND, stopped just before exec so that observers can attach. */
struct launch {
    pid_t pid;
    int go; /* pipe */
};
int launch_start(struct launch *, char *const argv[], const char *user);
int launch_go(struct launch *);
/* The shell's exit status of a wait status: 128 + signal, or the code. */
int launch_status(int wait_status);

/* Gives up every capability but those that a running trace needs. */
void privileges_drop(void);

#endif
