/* SPDX-License-Identifier: Apache-2.0
 *
 * The known processes: their names, their parents, and which of them this program started.
 *
 * A process may have ended before its first sample is examined, and /proc has no name for it then.
 * So names are also taken from the sampler's records; a child has its parent's name at first.
 */
#define _GNU_SOURCE
#include "../budget.h"
#include "../report/waste.h"
#include "attribute_internal.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY_PROCS = 4096 }; /* from this number on, slots of processes without samples are reused */

static struct index_key key_of(pid_t pid)
{
    return (struct index_key){ (uint64_t)pid, 0, 0 };
}

/* ---- this program's own processes, in a trace of the whole system ---- */

bool attribute_is_own(const struct attribution *a, pid_t pid)
{
    return index_get(&a->own, key_of(pid)) == 1;
}

static void set_own(struct attribution *a, pid_t pid, bool own)
{
    if (own || attribute_is_own(a, pid))
        index_put(&a->own, key_of(pid), own);
}

void attribute_leave_out(struct attribution *a)
{
    set_own(a, getpid(), true);
}

/* ---- the table ---- */

/* The slot of a process that ended without a sample and to which nothing refers, or NULL. */
static struct proc *idle_proc(struct attribution *a)
{
    while (a->num_procs >= MANY_PROCS && a->idle != (uint32_t)NO_VALUE) {
        struct proc *p = &a->procs[a->idle];
        a->idle = p->next_idle;
        if (p->alive || p->samples)
            continue;
        attribute_free_proc(p);
        return p;
    }
    return NULL;
}

/* name: NULL if no record gave one. */
static struct proc *add_proc(struct attribution *a, pid_t pid, const char *name)
{
    struct proc *p = idle_proc(a);
    if (!p) {
        struct proc *procs = a->num_procs < MAX_PROCS ? attribute_grow(a->procs, a->num_procs,
                                                                       &a->max_procs, sizeof *procs)
                                                      : NULL;
        if (!procs)
            return NULL;
        a->procs = procs;
        p = &procs[a->num_procs++];
    }
    *p = (struct proc){ .pid = pid, .serial = ++a->serials, .alive = true };
    if (name)
        attribute_name(p, name);
    else
        process_name(p->name, sizeof p->name, pid);
    return index_put(&a->proc_of, key_of(pid), (uint32_t)(p - a->procs)) ? p : NULL;
}

struct proc *attribute_known(const struct attribution *a, pid_t pid)
{
    const uint32_t at = index_get(&a->proc_of, key_of(pid));
    return at < a->num_procs && a->procs[at].pid == pid ? &a->procs[at] : NULL;
}

struct proc *attribute_proc(struct attribution *a, pid_t pid)
{
    struct proc *p = attribute_known(a, pid);
    return p ? p : add_proc(a, pid, NULL);
}

/* ---- the life of a process ---- */

void attribute_name(struct proc *p, const char *comm)
{
    snprintf(p->name, sizeof p->name, "%s", comm);
}

static void copy_regions(struct proc *child, const struct proc *parent)
{
    child->is_jvm = parent->is_jvm;
    if (!parent->num_regions)
        return;
    child->regions = budget_take(parent->num_regions * sizeof *child->regions)
                         ? calloc(parent->num_regions, sizeof *child->regions)
                         : NULL;
    if (!child->regions)
        return;
    memcpy(child->regions, parent->regions, parent->num_regions * sizeof *child->regions);
    child->num_regions = child->max_regions = parent->num_regions;
}

/* Handles a fork. The pid may have belonged to an earlier process. */
void attribute_fork(struct attribution *a, pid_t parent, pid_t pid)
{
    set_own(a, pid, attribute_is_own(a, parent));
    if (attribute_is_own(a, pid))
        return;
    const struct proc *old = attribute_proc(a, parent);
    if (!old)
        return;
    const struct proc from = *old; /* adding a process may move the table */
    struct proc *child = attribute_known(a, pid);
    if (!child || !child->alive)
        child = add_proc(a, pid, from.name);
    if (!child || child->num_regions)
        return;
    old = attribute_known(a, parent);
    copy_regions(child, old ? old : &from);
    memcpy(child->cgroup, from.cgroup, sizeof child->cgroup);
    child->clues = from.clues; /* its environment and mappings are its parent's */
}

void attribute_forget(struct proc *p)
{
    p->num_regions = 0;
    p->is_jvm = false;
    p->described = false;
    p->clues = 0;
    p->perfmap_next = p->reread_next = 0;
    perfmap_free(&p->perfmap);
    p->perfmap = (struct perfmap){ .at = NULL };
}

static void end(struct proc *p)
{
    p->alive = false;
    budget_give(p->max_regions * sizeof *p->regions);
    free(p->regions);
    p->regions = NULL;
    p->num_regions = p->max_regions = 0;
}

void attribute_exit(struct attribution *a, pid_t pid)
{
    if (pid != getpid())
        set_own(a, pid, false);
    struct proc *p = attribute_known(a, pid);
    if (!p || !p->alive)
        return;
    end(p);
    if (p->samples)
        return;
    p->next_idle = a->idle;
    a->idle = (uint32_t)(p - a->procs);
}

void attribute_free_proc(struct proc *p)
{
    end(p);
    perfmap_free(&p->perfmap);
    p->perfmap = (struct perfmap){ .at = NULL };
}

/* Reads name, cgroup and clues of a process from /proc; if it has ended, what records gave is
 * kept. */
void attribute_describe(struct proc *p)
{
    char name[sizeof p->name];
    if (p->described)
        return;
    p->described = true;
    process_name(name, sizeof name, p->pid);
    if (!strcmp(name, "?"))
        return;
    attribute_name(p, name);
    process_cgroup(p->cgroup, sizeof p->cgroup, p->pid);
    p->clues |= waste_clues(p->pid);
}

void attribute_drop_dead(struct attribution *a)
{
    size_t kept = 0;
    index_clear(&a->proc_of);
    a->idle = NO_VALUE;
    for (size_t i = 0; i < a->num_procs; i++) {
        struct proc *p = &a->procs[i];
        if (!p->alive || (kill(p->pid, 0) && errno == ESRCH) ||
            !index_put(&a->proc_of, key_of(p->pid), (uint32_t)kept)) {
            attribute_free_proc(p);
            continue;
        }
        p->samples = p->unknown = p->perfmap_next = p->reread_next = 0;
        a->procs[kept++] = *p;
    }
    a->num_procs = kept;
}
