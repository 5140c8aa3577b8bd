/* SPDX-License-Identifier: Apache-2.0 */
/* Lets requests gather where CPUs are busy.  A thread that wakes for a request takes the CPU from
 * programs that were about to send more of them, and computes with lanes that are nearly empty.  So
 * before it begins a batch that is not half full, it gives its CPU away once, by sched_yield():
 * where nobody else wants the CPU, that returns at once, and else the programs that run meanwhile
 * fill the lanes.  No clock is involved.
 *
 * Programs that do something else take the CPU too, and bring nothing.  After each time in vain the
 * thread therefore leaves out twice as many batches, up to 2^VAIN_MOST. */
#include "unit_thread.h"
#include <sched.h>

enum { VAIN_MOST = 8 };

bool unit_gather_wants(struct unit_thread *t, const struct unit_waiting *w)
{
    const struct unit_operation *o = w->operation;
    if (t->gathered || 2 * o->waiting >= o->lanes)
        return false;
    if (t->skip) {
        t->skip--;
        return false;
    }
    t->gathered = o->waiting;
    t->gathers = o;
    t->gathers_long = w->is_long;
    return true;
}

void unit_gather(struct unit *u, const struct unit_thread *t)
{
    u->looking--;
    u->gathering += t->gathers_long;
    unit_call_another(u); /* others look after short operations meanwhile */
    pthread_mutex_unlock(&u->lock);
    sched_yield();
    pthread_mutex_lock(&u->lock);
    u->gathering -= t->gathers_long;
    u->looking++;
    (void)unit_say_asleep(u);
}

void unit_gather_taken(struct unit_thread *t, const struct unit_operation *o)
{
    const bool same = t->gathered && o == t->gathers;
    if (same && o->waiting > t->gathered) {
        t->vain = 0;
    } else if (same) {
        t->vain += t->vain < VAIN_MOST;
        t->skip = UINT32_C(1) << t->vain;
    }
    t->gathered = 0;
}
