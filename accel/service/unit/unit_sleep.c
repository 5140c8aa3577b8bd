/* SPDX-License-Identifier: Apache-2.0 */
/* Tells clients for which requests they have to ring the doorbell.  That changes with every batch,
 * so only the clients that had requests lately are told: their words are few lines of the cache.
 * All others ring always. */
#include "unit_parts.h"

enum { ALWAYS = RING_ASLEEP_SHORT | RING_ASLEEP_LONG };

static void tell(const struct unit_client *c, uint32_t asleep)
{
    struct ring_service_words *words = c->ring.completions;
    atomic_store_explicit(&words->asleep, asleep, memory_order_relaxed);
}

bool unit_say_asleep(struct unit *u)
{
    const bool nobody_looks = u->sleeping && !u->looking;
    const bool takes_long = u->num_long < u->most_long && !u->gathering;
    const uint32_t asleep =
        !nobody_looks ? 0 : RING_ASLEEP_SHORT | (takes_long ? RING_ASLEEP_LONG : 0u);
    const bool more = (asleep & ~u->asleep) != 0;
    if (asleep == u->asleep)
        return false;
    u->asleep = asleep;
    for (uint32_t i = 0; i < UNIT_WARM; i++)
        if (u->warm[i])
            tell(u->warm[i], asleep);
    ring_fence(); /* orders `asleep` before the look that follows */
    return more;
}

void unit_warm(struct unit *u, struct unit_client *c)
{
    if (c->is_warm)
        return;
    struct unit_client **place = &u->warm[u->next_warm++ % UNIT_WARM];
    if (*place) {
        (*place)->is_warm = false;
        tell(*place, ALWAYS);
    }
    *place = c;
    c->is_warm = true;
    tell(c, u->asleep);
}

void unit_cool(struct unit *u, struct unit_client *c)
{
    for (uint32_t i = 0; c->is_warm && i < UNIT_WARM; i++)
        if (u->warm[i] == c)
            u->warm[i] = NULL;
    c->is_warm = false;
    tell(c, ALWAYS);
}
