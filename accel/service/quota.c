/* SPDX-License-Identifier: Apache-2.0 */
/* Decides who may attach: limits what a user takes of the service's memory and of the accelerators'
 * places, and how often users attach.  A client counts with all of its memory, because it can make
 * the service touch any page, and for as long as its session lasts.
 *
 * Of memory and places alike, a part is kept for root and administrators, and one for those whom
 * the administrator has named, in a section of the policy or in the file of a key.  A user's second
 * client, and later ones, must leave a quarter for the first clients of others, and as much as the
 * user then has.  If a user's first client finds no room, the user who has most loses a client. */
#define _GNU_SOURCE
#include "../ticks.h"
#include "cgroup.h"
#include "headraced.h"
#include <stdlib.h>
#include <string.h>

enum {
    PRIVATE = 384 << 10, /* memory for a client besides rings and windows: keys and descriptors */
    OURS = 32 << 20,     /* memory of the service without clients */
    MOST_USERS = 256,    /* whose attaches are remembered */
    BURST = 2,           /* seconds' worth of attaches that may come at once */
    SECOND = 1000000000, /* ns */
};

void quota_begin(void)
{
    const uint64_t limit = cgroup_memory_limit();
    service.memory = service.options->memory;
    if (limit != UINT64_MAX && service.memory + OURS > limit)
        service.memory = limit > OURS ? limit - OURS : 0;
    log_verbose("clients may take %u MiB", (unsigned)(service.memory >> 20));
}

/* ---- what clients have ---- */

/* What clients have, or what there is for them. */
struct holding {
    uint64_t memory; /* bytes */
    unsigned places, clients;
};

/* holding_of returns what a client of so many parts has. */
static struct holding holding_of(const struct ring_geometry *g, unsigned parts)
{
    return (struct holding){ ring_requests_len(g) + ring_completions_len(g) + parts * PRIVATE,
                             parts, 1 };
}

/* memory_of_unit returns the memory of a ring for public keys, and of the keys that are lent. */
static uint64_t memory_of_unit(const struct ring_geometry *g)
{
    return ring_requests_len(g) + ring_completions_len(g) + LENT_BYTES + sizeof(struct unit_client);
}

static void count(struct holding *h, const struct session *c)
{
    const unsigned parts = c->client.num_parts ? c->client.num_parts : 1; /* 0: not attached yet */
    const struct holding one = holding_of(&c->client.geometry, parts);
    h->memory += one.memory + (c->unit ? memory_of_unit(&c->unit->ring.geometry) : 0);
    h->places += c->attached ? one.places : 0;
    h->clients += c->attached;
}

static struct holding held_by(uint32_t user)
{
    struct holding h = { .memory = 0 };
    for (const struct session *c = service.sessions; c; c = c->next)
        if (!session_is_pending(c) && c->peer.user == user)
            count(&h, c);
    return h;
}

static struct holding held_by_all(void)
{
    struct holding h = { .memory = 0 };
    for (const struct session *c = service.sessions; c; c = c->next)
        if (!session_is_pending(c))
            count(&h, c);
    return h;
}

uint64_t quota_memory(void)
{
    return held_by_all().memory;
}

/* ---- who asks ---- */

enum standing { ANYONE, NAMED, TRUSTED };

static bool names_users(const struct who *who)
{
    return who->num_uids || who->num_gids;
}

static bool owns_key(const struct peer *peer)
{
    for (unsigned i = 0; i < service.keys->num; i++)
        if (peer_is_one_of(peer, &service.keys->at[i].who))
            return true;
    return false;
}

static enum standing standing_of(const struct peer *peer, const struct policy_rule *rule)
{
    if (rule->admin || peer_is_trusted(peer))
        return TRUSTED;
    return names_users(&rule->who) || owns_key(peer) ? NAMED : ANYONE;
}

static bool somebody_is_named(void)
{
    for (unsigned i = 0; i < service.policy.num_rules; i++)
        if (names_users(&service.policy.rules[i].who))
            return true;
    return service.keys->num > 0;
}

/* ---- room ---- */

/* The numbers of one resource, with the client that asks. */
struct resource {
    uint64_t total, all, own, more;
};

/* has_room tells whether a client may have `more` of a resource.  Nothing is kept for others if
 * there is little of it. */
static bool has_room(const struct resource *r, enum standing standing)
{
    const uint64_t sixteenth = r->total / 16 > r->more ? r->total / 16 : r->more;
    const uint64_t part = r->total < 4 * r->more ? 0 : sixteenth;
    const uint64_t kept =
        (standing < TRUSTED ? part : 0) + (standing < NAMED && somebody_is_named() ? part : 0);
    if (r->all > r->total - kept)
        return false;
    return standing == TRUSTED || r->own == r->more ||
           (r->own <= r->total - r->all && r->all <= r->total / 4 * 3);
}

static bool fits(const struct holding *all, const struct holding *own, const struct holding *more,
                 enum standing standing)
{
    const struct resource memory = { service.memory, all->memory + more->memory,
                                     own->memory + more->memory, more->memory };
    const struct resource places = { (uint64_t)service.options->num_accelerators *
                                         ACCELERATOR_CLIENTS,
                                     all->places + more->places, own->places + more->places,
                                     more->places };
    return has_room(&memory, standing) && has_room(&places, standing);
}

/* newest_of_heaviest returns the newest client of the user who has most memory, or NULL if no user
 * has two clients more than `user`, so that nobody can take from another in turn. */
static struct session *newest_of_heaviest(uint32_t user, const struct holding *own)
{
    struct session *found = NULL;
    struct holding most = { .memory = 0 };
    for (struct session *c = service.sessions; c; c = c->next) { /* the newest first */
        if (!c->attached || c->peer.user == user || (found && found->peer.user == c->peer.user))
            continue;
        const struct holding h = held_by(c->peer.user);
        if (h.clients > own->clients + 1 && h.memory > most.memory) {
            found = c;
            most = h;
        }
    }
    return found;
}

/* make_room takes a client from the user who has most, for one who has none, at most once a second.
 * It returns why there is no room yet: the client's memory is free when it has hung up, so that the
 * one who asks has to come again. */
static const char *make_room(uint32_t user, const struct holding *own, enum standing standing)
{
    static uint64_t last;
    const uint64_t now = ticks_clock();
    struct session *c = NULL;
    if ((!own->places || standing == TRUSTED) && now - last > SECOND)
        c = newest_of_heaviest(user, own);
    if (!c)
        return "there is no room for it";
    last = now;
    log_info("client %u of user %u is revoked, because that user has most", c->client.number,
             c->peer.uid);
    session_revoke(c);
    return "room is being made for it";
}

/* ---- a user's own limits ---- */

/* may_have_one_more tells whether the user has fewer clients, and less memory, than the rule
 * allows.  As many clients may linger, so that each that was revoked can attach again before it
 * hangs up. */
static bool may_have_one_more(const struct policy_rule *rule, uint32_t user,
                              const struct holding *own, const struct holding *more)
{
    unsigned all = 0;
    for (const struct session *c = service.sessions; c; c = c->next)
        all += !session_is_pending(c) && c->peer.user == user;
    return own->places < rule->clients && all < 2 * rule->clients &&
           (!rule->memory || own->memory + more->memory <= rule->memory);
}

/* ---- attaches ---- */

static struct user_rate {
    uint32_t user;
    uint64_t until; /* ns: when the allowed rate will have caught up */
} users[MOST_USERS];

/* rate_of returns the user's place, or else the place of the user who has attached least. */
static struct user_rate *rate_of(uint32_t user)
{
    struct user_rate *least = users;
    for (size_t i = 0; i < MOST_USERS; i++) {
        if (users[i].until && users[i].user == user)
            return &users[i];
        if (users[i].until < least->until)
            least = &users[i];
    }
    *least = (struct user_rate){ user, 0 };
    return least;
}

static bool has_time(const struct policy_rule *rule, uint32_t user)
{
    if (!rule->attaches)
        return true;
    struct user_rate *u = rate_of(user);
    const uint64_t now = ticks_clock(), cost = SECOND / rule->attaches;
    const uint64_t until = (u->until > now ? u->until : now) + cost;
    if (until - now > (uint64_t)BURST * SECOND)
        return false;
    u->until = until;
    return true;
}

bool quota_allows_move(const struct policy_rule *rule, const struct peer *peer)
{
    return has_time(rule, peer->user);
}

/* ---- */

bool quota_allows(const struct policy_rule *rule, const struct peer *peer)
{
    const enum standing standing = standing_of(peer, rule);
    const struct holding all = held_by_all(), own = held_by(peer->user);
    const struct holding more = holding_of(&rule->geometry, rule->spread);
    const char *why = NULL;
    if (!may_have_one_more(rule, peer->user, &own, &more))
        why = "it has as many clients, or as much memory, as the policy allows";
    else if (!has_time(rule, peer->user))
        why = "it attaches too often";
    else if (!fits(&all, &own, &more, standing))
        why = make_room(peer->user, &own, standing);
    if (why)
        log_denial("user %u may not attach now: %s", peer->uid, why);
    return !why;
}

bool quota_allows_unit(const struct policy_rule *rule, const struct peer *peer,
                       const struct ring_geometry *geometry)
{
    const struct holding all = held_by_all(), own = held_by(peer->user);
    const struct holding more = { .memory = memory_of_unit(geometry) };
    const bool allowed = (!rule->memory || own.memory + more.memory <= rule->memory) &&
                         fits(&all, &own, &more, standing_of(peer, rule));
    if (!allowed)
        log_denial("user %u may not use the unit for public keys now: its memory is used up",
                   peer->uid);
    return allowed;
}
