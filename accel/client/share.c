/* SPDX-License-Identifier: Apache-2.0 */
/* The queue that threads share for which no sub-ring is left.  Each thread has a sub-ring of its
 * own as long as there are some, and so needs no lock.  The last one of each ring is kept: it
 * belongs to one more queue, the host, behind a lock.  A queue without a sub-ring is its guest: it
 * gives the host its jobs for the service, and computes the others itself.
 *
 * One of the guests that wait, the leader, looks for completions.  It holds the lock while it takes
 * them, and not while it waits.  It hands the jobs of other guests to them, and wakes them; when it
 * has what it waited for, the next one leads. */
#define _GNU_SOURCE
#include "share.h"
#include "../relax.h"
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOK = 10000, NAP = 50000, FOLLOW = 2000000 }; /* nanoseconds */
enum { HELD = QUEUE_JOBS / 2 }; /* jobs of the host; it computes those that the service refuses */

/* struct given is a job that the host has, and the queue that gave it. */
struct given {
    struct hr_job *job;
    struct accel_queue *guest;
};

static struct {
    pthread_mutex_t lock;
    struct accel_queue *host; /* NULL: there are no guests */
    uint32_t num_guests, num_given;
    struct given given[QUEUE_JOBS];
    struct accel_queue *followers; /* guests that wait and do not lead */
    bool is_led;
} share = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* left_behind is the host of the process that this one was forked from, which is not freed. */
static struct accel_queue *left_behind;

static int enter(void)
{
    const int cancel = cancel_later();
    pthread_mutex_lock(&share.lock);
    return cancel;
}

static void leave(int cancel)
{
    pthread_mutex_unlock(&share.lock);
    cancel_as_before(cancel);
}

/* ---- under the lock ---- */

/* join makes q a guest.  It returns 0 if there is no host and no memory for one. */
static int join(struct accel_queue *q)
{
    if (!q->is_counted && !share.host) {
        share.host = queue_new();
        if (!share.host)
            return 0;
        share.host->is_host = 1;
        share.host->ring.kept = 1;
        share.host->unit[0].kept = 1;
        share.host->unit[1].kept = 2;
    }
    share.num_guests += !q->is_counted;
    q->is_counted = 1;
    return 1;
}

/* connect_host gives the host a sub-ring if it has none, or one of a service that has gone. */
static void connect_host(void)
{
    struct accel_queue *host = share.host;
    if (host->ring.connection && !connection_live(host->ring.connection))
        recover_lost(host, 0);
    if (!host->ring.connection)
        recover_connect(host, 0);
}

static void wake(struct accel_queue *q)
{
    atomic_fetch_add(&q->bell, 1);
    syscall(SYS_futex, &q->bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static struct accel_queue *take_guest(const struct hr_job *job)
{
    uint32_t i = 0;
    while (share.given[i].job != job)
        i++;
    struct accel_queue *guest = share.given[i].guest;
    share.given[i] = share.given[--share.num_given];
    return guest;
}

/* hand_out takes the jobs that the host has finished to their guests, and wakes those except q. */
static void hand_out(const struct accel_queue *q)
{
    struct hr_job *done[64];
    int n;
    if (share.num_given)
        connect_host();
    while (share.num_given && (n = queue_poll(share.host, done, 64)) > 0)
        for (int i = 0; i < n; i++) {
            struct accel_queue *guest = take_guest(done[i]);
            guest->returned[guest->num_returned] = done[i];
            atomic_store(&guest->num_returned, guest->num_returned + 1);
            if (guest != q)
                wake(guest);
        }
}

/* follow waits without the lock until a job of q may have come back. */
static void follow(struct accel_queue *q)
{
    const struct timespec most = { .tv_nsec = FOLLOW };
    const uint32_t bell = atomic_load(&q->bell);
    q->next_follower = share.followers;
    share.followers = q;
    pthread_mutex_unlock(&share.lock);
    syscall(SYS_futex, &q->bell, FUTEX_WAIT_PRIVATE, bell, &most, NULL, 0);
    pthread_mutex_lock(&share.lock);
    struct accel_queue **at = &share.followers;
    while (*at != q)
        at = &(*at)->next_follower;
    *at = q->next_follower;
}

/* Where the next completions of the host will be.  It has references to what it points to. */
struct sight {
    struct connection *connection[3];
    struct ring_completion *slot[3];
    uint32_t seq[3];
};

static void aim(struct sight *sight)
{
    const struct subring *const all[] = { &share.host->ring, &share.host->unit[0],
                                          &share.host->unit[1] };
    for (int i = 0; i < 3; i++) {
        const struct subring *s = all[i];
        sight->connection[i] = subring_outstanding(s) ? s->connection : NULL;
        if (!sight->connection[i])
            continue;
        connection_keep(s->connection);
        sight->slot[i] = &s->completions[s->completed % RING_DEPTH];
        sight->seq[i] = s->completed + 1;
    }
}

/* ---- without the lock ---- */

static int is_seen(const struct sight *sight)
{
    for (int i = 0; i < 3; i++)
        if (sight->connection[i] && ring_look(&sight->slot[i]->seq) == sight->seq[i])
            return 1;
    return 0;
}

static bool look(const struct sight *sight)
{
    const struct timespec nap = { .tv_nsec = NAP };
    const uint64_t start = ticks(), most = wait_ticks(LOOK);
    do {
        for (int i = 0; i < 8; i++) {
            if (is_seen(sight))
                return true;
            RELAX();
        }
    } while (ticks() - start < most);
    nanosleep(&nap, NULL);
    return is_seen(sight);
}

static void lose_sight(const struct sight *sight)
{
    for (int i = 0; i < 3; i++)
        if (sight->connection[i])
            connection_put(sight->connection[i]);
}

/* ---- for guests ---- */

enum shared share_give(struct accel_queue *q, struct hr_job *job)
{
    enum shared shared = SHARED_NONE;
    if (q->is_host)
        return SHARED_NONE;
    const int cancel = enter();
    const int is_guest = join(q);
    struct accel_queue *host = share.host;
    if (is_guest)
        connect_host();
    if (is_guest && host->ring.connection && connection_live(host->ring.connection)) {
        shared = queue_wants(host, job) ? SHARED_FULL : SHARED_HERE;
        if (shared == SHARED_FULL && share.num_given < HELD && queue_submit(host, job) == 1) {
            share.given[share.num_given++] = (struct given){ job, q };
            q->num_shared++;
            shared = SHARED_TAKEN;
        }
    }
    leave(cancel);
    return shared;
}

size_t share_collect(struct accel_queue *q, struct hr_job **done, size_t max)
{
    size_t n = 0;
    if (!q->num_shared || !max)
        return 0;
    const int cancel = enter();
    if (!q->num_returned && !share.is_led)
        hand_out(q);
    uint32_t left = q->num_returned;
    while (left && n < max)
        done[n++] = q->returned[--left];
    atomic_store(&q->num_returned, left);
    q->num_shared -= (uint32_t)n;
    leave(cancel);
    return n;
}

/* lead waits without the lock for completions, unless the host has jobs to compute, and then hands
 * out what is finished.  If there were none, the service may be gone. */
static void lead(struct accel_queue *q)
{
    struct sight sight;
    share.is_led = true;
    aim(&sight);
    const bool computes = share.host->num_local;
    pthread_mutex_unlock(&share.lock);
    const bool goes_on = computes || look(&sight);
    lose_sight(&sight);
    pthread_mutex_lock(&share.lock);
    if (!goes_on)
        queue_look_after(share.host);
    hand_out(q);
    share.is_led = false;
    if (q->num_returned && share.followers)
        wake(share.followers);
}

void share_wait(struct accel_queue *q)
{
    const int cancel = enter();
    if (!q->num_returned)
        (share.is_led ? follow : lead)(q);
    leave(cancel);
}

void share_leave(struct accel_queue *q)
{
    struct accel_queue *host = NULL;
    if (!q->is_counted)
        return;
    const int cancel = enter();
    q->is_counted = 0;
    if (!--share.num_guests) {
        host = share.host;
        share.host = NULL;
        queue_free(host);
    }
    leave(cancel);
}

void share_forget(void)
{
    /* Another thread of the parent may have been changing the host at the fork. */
    if (share.host)
        left_behind = share.host;
    memset(&share, 0, sizeof share);
    share.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
