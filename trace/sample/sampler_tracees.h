/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads that the ptrace back end has seized, and how their stops are handled.
 */
#ifndef TRACE_SAMPLER_TRACEES_H
#define TRACE_SAMPLER_TRACEES_H

#include "../idmap.h"
#include "sampler_backend.h"

struct tracee {
    pid_t tid, pid;
    bool asked;  /* was asked to stop for a sample */
    uint64_t ns; /* CPU time when the thread was last examined */
};

struct process { /* a process of the tracees, and its executable mappings that were reported */
    pid_t pid;
    int64_t told; /* time of the last report */
    struct maps maps;
};

struct tracees {
    struct sampler *sampler;
    struct tracee *at;
    size_t num, room;
    struct idmap index; /* thread id to 1 + index in `at` */
    struct process *processes;
    size_t num_processes, processes_room;
    struct idmap process_index; /* process id to 1 + index in `processes` */
    bool detaching;
};

/* Seizes every thread of the process, and all that they start. Returns 0, or -1 with errno. */
int tracees_seize(struct tracees *, pid_t);
/* Handles everything that has happened to the tracees. Returns whether anything had. */
bool tracees_reap(struct tracees *);
/* Makes one thread stop, so that tracees_reap takes a sample of it. */
void tracees_ask(struct tracees *, struct tracee *);
void tracees_tell_maps(struct tracees *, pid_t);
/* Detaches from all threads and leaves each in the state that it would have without us. A thread
 * that does not stop within 2 s stays attached until this process ends. */
void tracees_release(struct tracees *);
void tracees_free(struct tracees *);

#endif
