/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads under ptrace(2): see its section "Attaching and detaching" and those on stops.
 *
 * PTRACE_SEIZE stops no thread, and if the tracer dies, the kernel lets all threads run on. A
 * thread that stopped is continued at once, before its sample is reported: with its signal if that
 * stopped it; in a group-stop (SIGSTOP, ^Z) with PTRACE_LISTEN, which leaves it stopped.
 */
#define _GNU_SOURCE
#include "sampler_tracees.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC,
    MAX_ROUNDS = 16, /* how often the list of threads is read */
    RELEASE_MS = 2000,
};
static const int64_t MAPS_AGE = 1000000000; /* ns; after this, mappings are read again, as a library
                                               may have replaced another */

/* ---- the tables ---- */

static struct tracee *find(const struct tracees *t, pid_t tid)
{
    const uint64_t i = idmap_get(&t->index, (uint64_t)tid);
    return i ? &t->at[i - 1] : NULL;
}

static int add(struct tracees *t, pid_t tid, pid_t pid)
{
    struct tracee *known = find(t, tid);
    if (known) {
        known->pid = pid;
        return 0;
    }
    if (t->num == t->room) {
        const size_t room = t->room ? 2 * t->room : 64;
        struct tracee *at = reallocarray(t->at, room, sizeof *at);
        if (!at)
            return -1;
        t->at = at;
        t->room = room;
    }
    if (idmap_set(&t->index, (uint64_t)tid, t->num + 1))
        return -1;
    t->at[t->num++] = (struct tracee){ .tid = tid, .pid = pid };
    return 0;
}

/* Removes a thread from the table; the last one takes its place. */
static void drop(struct tracees *t, pid_t tid)
{
    const uint64_t i = idmap_get(&t->index, (uint64_t)tid);
    if (!i)
        return;
    idmap_set(&t->index, (uint64_t)tid, 0);
    t->at[i - 1] = t->at[--t->num];
    if (i - 1 < t->num)
        idmap_set(&t->index, (uint64_t)t->at[i - 1].tid, i);
}

static struct process *process_of(struct tracees *t, pid_t pid)
{
    const uint64_t i = idmap_get(&t->process_index, (uint64_t)pid);
    if (i)
        return &t->processes[i - 1];
    if (t->num_processes == t->processes_room) {
        const size_t room = t->processes_room ? 2 * t->processes_room : 16;
        struct process *more = reallocarray(t->processes, room, sizeof *more);
        if (!more)
            return NULL;
        t->processes = more;
        t->processes_room = room;
    }
    if (idmap_set(&t->process_index, (uint64_t)pid, t->num_processes + 1))
        return NULL;
    t->processes[t->num_processes] = (struct process){ .pid = pid };
    return &t->processes[t->num_processes++];
}

static void drop_process(struct tracees *t, pid_t pid)
{
    const uint64_t i = idmap_get(&t->process_index, (uint64_t)pid);
    if (!i)
        return;
    maps_free(&t->processes[i - 1].maps);
    idmap_set(&t->process_index, (uint64_t)pid, 0);
    t->processes[i - 1] = t->processes[--t->num_processes];
    if (i - 1 < t->num_processes)
        idmap_set(&t->process_index, (uint64_t)t->processes[i - 1].pid, i);
}

void tracees_free(struct tracees *t)
{
    for (size_t i = 0; i < t->num_processes; i++)
        maps_free(&t->processes[i].maps);
    free(t->processes);
    free(t->at);
    idmap_free(&t->index);
    idmap_free(&t->process_index);
}

/* ---- mappings: new ones are not reported, so they are read when a sample needs them ---- */

static bool was_told(const struct maps *told, const struct mapping *m)
{
    const struct mapping *before = maps_find(told, m->start);
    return before && before->exec && before->start == m->start && before->end == m->end &&
           before->offset == m->offset && before->inode == m->inode && before->major == m->major &&
           before->minor == m->minor;
}

void tracees_tell_maps(struct tracees *t, pid_t pid)
{
    struct maps maps;
    struct process *p = process_of(t, pid);
    if (!p || maps_read(&maps, pid))
        return;
    for (size_t i = 0; i < maps.num; i++)
        if (maps.at[i].exec && !was_told(&p->maps, &maps.at[i]))
            t->sampler->events.map(t->sampler->ctx, pid, &maps.at[i]);
    maps_free(&p->maps);
    p->maps = maps;
    p->told = sampler_now();
}

static void tell_sample(struct tracees *t, const struct sample *sample)
{
    const struct process *p = process_of(t, sample->pid);
    const struct mapping *m = p ? maps_find(&p->maps, sample->ip) : NULL;
    if (!m || !m->exec || sampler_now() - p->told > MAPS_AGE)
        tracees_tell_maps(t, sample->pid);
    sampler_tell_sample(t->sampler, sample);
}

/* ---- stops ---- */

static void resume(struct tracees *t, pid_t tid, int number)
{
    if (!t->detaching) {
        ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)number);
        return;
    }
    ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)number);
    drop(t, tid);
}

static pid_t process_of_thread(pid_t tid)
{
    char path[64], line[256];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    FILE *f = fopen(path, "re");
    while (f && !pid && fgets(line, sizeof line, f))
        if (sscanf(line, "Tgid: %d", &pid) != 1)
            pid = 0;
    if (f)
        fclose(f);
    return pid;
}

/* Handles a new thread. Its first stop, and even its end, may have been seen before. */
static void on_new(struct tracees *t, const struct tracee *parent, pid_t tid)
{
    const pid_t pid = process_of_thread(tid), parent_pid = parent->pid;
    if (!pid || add(t, tid, pid) || pid == parent_pid || t->detaching)
        return;
    t->sampler->events.fork(t->sampler->ctx, parent_pid, pid);
}

static void on_exec(struct tracees *t, pid_t pid, pid_t before)
{
    char comm[32];
    if (before != pid)
        drop(t, before);
    if (t->detaching || add(t, pid, pid))
        return;
    drop_process(t, pid);
    process_name(comm, sizeof comm, pid);
    t->sampler->events.exec(t->sampler->ctx, pid, comm);
}

static void on_event(struct tracees *t, pid_t tid, int event)
{
    unsigned long message = 0;
    const struct tracee *tracee = find(t, tid);
    ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message);
    if (event == PTRACE_EVENT_EXEC)
        on_exec(t, tid, (pid_t)message);
    else if (tracee && message &&
             (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK ||
              event == PTRACE_EVENT_VFORK))
        on_new(t, tracee, (pid_t)message);
    resume(t, tid, 0);
    if (event == PTRACE_EVENT_EXEC && !t->detaching)
        tracees_tell_maps(t, tid);
}

/* Reads the registers for a sample if one was asked for: any stop serves. */
static bool take_sample(struct tracees *t, struct sample *out, pid_t tid)
{
    struct tracee *tracee = find(t, tid);
    if (!tracee || !tracee->asked)
        return false;
    tracee->asked = false;
    *out = (struct sample){ .pid = tracee->pid, .tid = tid };
    return !t->detaching && sampler_read_registers(out, tid);
}

static void on_stop(struct tracees *t, pid_t tid, int status)
{
    struct sample sample;
    const int event = status >> 16, number = WSTOPSIG(status);
    if (!find(t, tid) && add(t, tid, process_of_thread(tid)))
        return;
    const bool sampled = take_sample(t, &sample, tid);
    if (event == PTRACE_EVENT_STOP && number != SIGTRAP && !t->detaching)
        ptrace(PTRACE_LISTEN, tid, NULL, NULL);
    else if (event == PTRACE_EVENT_STOP)
        resume(t, tid, 0);
    else if (event)
        on_event(t, tid, event);
    else
        resume(t, tid, number);
    if (!sampled)
        return;
    tell_sample(t, &sample);
    explicit_bzero(&sample, sizeof sample);
}

/* Handles the end of a thread. A process's main thread is reported last. */
static void on_end(struct tracees *t, pid_t tid, int status)
{
    struct sampler *s = t->sampler;
    const struct tracee *tracee = find(t, tid);
    const bool process = tracee && tracee->pid == tid;
    drop(t, tid);
    if (tid == s->target.pid) {
        s->ended = true;
        s->wait_status = status;
    }
    if (!process)
        return;
    drop_process(t, tid);
    sampler_tell_exit(s, tid);
}

bool tracees_reap(struct tracees *t)
{
    int status;
    pid_t tid;
    bool any = false;
    while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
        any = true;
        if (WIFSTOPPED(status))
            on_stop(t, tid, status);
        else
            on_end(t, tid, status);
    }
    return any;
}

void tracees_ask(struct tracees *t, struct tracee *tracee)
{
    tracee->asked = !ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL);
}

/* ---- the beginning and the end ---- */

static int seize(struct tracees *t, pid_t tid, pid_t pid)
{
    if (find(t, tid))
        return 0;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(uintptr_t)OPTIONS))
        return -1;
    if (add(t, tid, pid))
        return -1;
    char state;
    sampler_thread_time(pid, tid, &find(t, tid)->ns, &state); /* earlier time does not count */
    return 1;
}

/* Seizing a thread fails with EPERM if a seized thread started it: it is traced already, and is
 * added when it first stops. */
int tracees_seize(struct tracees *t, pid_t pid)
{
    bool more = true;
    for (int round = 0; more && round < MAX_ROUNDS; round++) {
        pid_t *tids;
        const ssize_t num = process_threads(&tids, pid);
        more = false;
        for (ssize_t i = 0; i < num; i++)
            more = seize(t, tids[i], pid) > 0 || more;
        const int error = errno;
        free(tids);
        if (!t->num) {
            errno = num < 0 ? ESRCH : error;
            return -1;
        }
    }
    return 0;
}

/* Each thread must stop once more to be detached. One in an uninterruptible sleep may take
 * longer than the time limit, and is detached by the kernel when this process ends. */
void tracees_release(struct tracees *t)
{
    const int64_t deadline = sampler_now() + (int64_t)RELEASE_MS * 1000000;
    t->detaching = true;
    for (size_t i = t->num; i-- > 0;)
        if (ptrace(PTRACE_INTERRUPT, t->at[i].tid, NULL, NULL) && errno == ESRCH)
            drop(t, t->at[i].tid); /* it has ended */
    while (t->num && sampler_now() < deadline) {
        const struct timespec pause = { 0, 200000 };
        if (!tracees_reap(t))
            nanosleep(&pause, NULL);
    }
}
