/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads that the ptrace back end has seized, and what is done when one of them stops.
 */
#ifndef TRACE_SAMPLER_TRACEES_H
#define TRACE_SAMPLER_TRACEES_H

#include "idmap.h"
#include "sampler_backend.h"

struct tracee {
    pid_t tid, pid;
    bool asked;  /* to stop, for a sample */
    uint64_t ns; /* CPU time when it was last looked at */
};

struct process { /* one of the tracees', with the executable mappings that were told */
    pid_t pid;
    int64_t told; /* when */
    struct maps maps;
};

struct tracees {
    struct sampler *sampler;
    struct tracee *at;
    size_t num, room;
    struct idmap index; /* 1 + place in `at`, by thread */
    struct process *processes;
    size_t num_processes, processes_room;
    struct idmap process_index; /* 1 + place in `processes` */
    bool detaching;
};

/* Seizes every thread of the process, and all that they start.  0, or -1 with errno. */
int tracees_seize(struct tracees *, pid_t);
/* Deals with everything that has happened; whether anything had. */
bool tracees_reap(struct tracees *);
/* Lets one thread stop, so that tracees_reap samples it. */
void tracees_ask(struct tracees *, struct tracee *);
void tracees_tell_maps(struct tracees *, pid_t);
/* Lets all go, in the state in which they would be without us. */
void tracees_release(struct tracees *);
void tracees_free(struct tracees *);

#endif
