/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the unit's time, by start-time fair queuing (Goyal, Vin and Chen, 1997).  The virtual
 * time of a user, and of a client within, is the time that it had, divided by its weight.  Who had
 * least is next.  Who had no requests for a while begins where the unit is now. */
#include "unit_parts.h"
#include <stdlib.h>

enum { BURST = 50000000, SECOND = 1000000000 }; /* BURST: ns that a client may be ahead of a rate */

/* forget frees the users that have no clients, and owe nothing for their keys: a user cannot come
 * again as a new one. */
static void forget(struct unit *u, uint64_t now)
{
    for (struct unit_user **at = &u->users; *at;) {
        struct unit_user *user = *at;
        if (user->num_clients || user->keys_until > now) {
            at = &user->next;
            continue;
        }
        *at = user->next;
        free(user);
    }
}

int unit_share_join(struct unit *u, struct unit_client *c, uint32_t uid)
{
    forget(u, unit_now(u));
    struct unit_user *user = u->users;
    while (user && user->uid != uid)
        user = user->next;
    if (!user) {
        user = calloc(1, sizeof *user);
        if (!user)
            return HR_ESYSTEM;
        *user = (struct unit_user){ .next = u->users, .uid = uid, .had = u->virtual };
        u->users = user;
    }
    user->num_clients++;
    c->user = user;
    c->had = 0;
    return 0;
}

void unit_share_leave(struct unit *u, struct unit_client *c)
{
    c->user->num_clients--;
    forget(u, unit_now(u));
}

void unit_share_end(struct unit *u)
{
    forget(u, UINT64_MAX);
}

bool unit_share_before(const struct unit_client *a, const struct unit_client *b)
{
    return a->user != b->user ? a->user->had < b->user->had : a->had < b->had;
}

void unit_share_wake(const struct unit *u, struct unit_client *c)
{
    if (c->user->had < u->virtual)
        c->user->had = u->virtual;
}

static uint64_t by_weight(const struct unit_client *c, uint64_t ns)
{
    const uint32_t weight = atomic_load_explicit(&c->limits->weight, memory_order_relaxed);
    return ns * LIMIT_WEIGHT / (weight ? weight : LIMIT_WEIGHT);
}

static void charge_rate(uint64_t *until, _Atomic uint64_t *limit, uint64_t n, uint64_t now)
{
    const uint64_t rate = atomic_load_explicit(limit, memory_order_relaxed);
    if (rate)
        *until = (*until > now ? *until : now) + (uint64_t)((unsigned __int128)n * SECOND / rate);
}

void unit_share_first(struct unit *u, const struct unit_client *c)
{
    if (u->virtual < c->user->had)
        u->virtual = c->user->had;
}

void unit_share_take(struct unit_client *c, uint64_t ns, uint64_t bytes, uint64_t now)
{
    const uint64_t more = by_weight(c, ns);
    c->user->had += more;
    c->had += more;
    charge_rate(&c->requests_until, &c->limits->rate, 1, now);
    charge_rate(&c->bytes_until, &c->limits->bytes, bytes, now);
}

static void correct(uint64_t *had, uint64_t charged, uint64_t took)
{
    *had += took;
    *had -= charged < *had ? charged : *had;
}

void unit_share_done(struct unit_client *c, uint64_t charged, uint64_t ns)
{
    correct(&c->user->had, by_weight(c, charged), by_weight(c, ns));
    correct(&c->had, by_weight(c, charged), by_weight(c, ns));
}

static bool over(uint64_t until, _Atomic uint64_t *limit, uint64_t now)
{
    return atomic_load_explicit(limit, memory_order_relaxed) && until > now + BURST;
}

bool unit_share_throttled(const struct unit_client *c, uint64_t now)
{
    return over(c->requests_until, &c->limits->rate, now) ||
           over(c->bytes_until, &c->limits->bytes, now);
}
