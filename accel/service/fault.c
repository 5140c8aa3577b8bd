/* SPDX-License-Identifier: Apache-2.0 */
/* The handler looks the address up in a table without locks: a place whose version is odd, or
 * changes meanwhile, is of a client that comes or goes, so that no accelerator touches its memory.
 * Both memories are replaced by maps of the sink, whose pages are there since the start, because at
 * that moment there may be no memory for others.  Clients that fault at the same time share the
 * sink, so nothing that is written to it may reach one of them: therefore both memories. */
#define _GNU_SOURCE
#include "fault.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLACES = 2048, SINK = 2 << 20 };

static struct place {
    _Atomic uint32_t version; /* 0: no place from here on was ever used */
    _Atomic bool hit;
    _Atomic uintptr_t begin[FAULT_MEMORIES];
    _Atomic size_t len[FAULT_MEMORIES]; /* 0: no memory */
} places[PLACES];

static int sink = -1, bell = -1;
static void *sink_map;

/* ---- the handler ---- */

struct range {
    uintptr_t begin;
    size_t len;
};

/* find returns the place of the memories that the address lies in, or NULL. */
static struct place *find(uintptr_t at, struct range found[FAULT_MEMORIES])
{
    for (struct place *p = places; p < places + PLACES; p++) {
        const uint32_t version = atomic_load(&p->version);
        bool inside = false;
        if (!version)
            break;
        for (int i = 0; i < FAULT_MEMORIES; i++) {
            found[i] = (struct range){ atomic_load(&p->begin[i]), atomic_load(&p->len[i]) };
            inside |= at - found[i].begin < found[i].len;
        }
        if (inside && !(version & 1) && atomic_load(&p->version) == version)
            return p;
    }
    return NULL;
}

static bool replace(struct range r)
{
    for (size_t at = 0; at < r.len; at += SINK) {
        const size_t len = r.len - at < SINK ? r.len - at : SINK;
        if (mmap((void *)(r.begin + at), len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, sink,
                 0) == MAP_FAILED)
            return false;
    }
    return true;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    static const uint64_t one = 1;
    const int error = errno;
    struct range ranges[FAULT_MEMORIES];
    struct place *p = info->si_code > 0 ? find((uintptr_t)info->si_addr, ranges) : NULL;
    if (p && replace(ranges[0]) && replace(ranges[1])) {
        atomic_store(&p->hit, true);
        (void)!write(bell, &one, sizeof one);
        errno = error;
        return;
    }
    signal(number, SIG_DFL); /* which ends the process, when this function has returned */
    raise(number);
}

int fault_begin(void)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigemptyset(&action.sa_mask);
    sink = memfd_create("headrace-sink", MFD_CLOEXEC);
    bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (sink < 0 || bell < 0 || fallocate(sink, 0, 0, SINK))
        return -1;
    sink_map = mmap(NULL, SINK, PROT_READ | PROT_WRITE, MAP_SHARED, sink, 0);
    return sink_map == MAP_FAILED || sigaction(SIGBUS, &action, NULL) ? -1 : bell;
}

/* ---- the table ---- */

static void set(struct place *p, const struct memory *memories)
{
    atomic_fetch_add(&p->version, 1);
    for (int i = 0; i < FAULT_MEMORIES; i++) {
        atomic_store(&p->begin[i], memories ? (uintptr_t)memories[i].map : 0);
        atomic_store(&p->len[i], memories ? memories[i].len : 0);
    }
    atomic_store(&p->hit, false);
    atomic_fetch_add(&p->version, 1);
}

int fault_watch(const struct memory memories[FAULT_MEMORIES])
{
    for (int i = 0; i < PLACES; i++)
        if (!atomic_load(&places[i].len[0])) {
            set(&places[i], memories);
            return i;
        }
    return -1;
}

bool fault_happened(int number)
{
    return atomic_load(&places[number].hit);
}

void fault_undo(const struct memory memories[FAULT_MEMORIES])
{
    explicit_bzero(sink_map, SINK);
    for (int i = 0; i < FAULT_MEMORIES; i++) {
        const struct memory *m = &memories[i];
        (void)mmap(m->map, m->len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m->fd, 0);
    }
}

void fault_forget(int number)
{
    set(&places[number], NULL);
}
