/* SPDX-License-Identifier: Apache-2.0 */
/* Limits what users take of the service's memory, and how often they attach.  A client counts with
 * all of its memory, because it can make the service touch any page, and for as long as its session
 * lasts.  What is left after a user's second or later client must be at least what that user has,
 * so that a user cannot take the memory that the first clients of others need. */
#define _GNU_SOURCE
#include "../ticks.h"
#include "headraced.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRIVATE = 384 << 10, /* memory for a client besides rings and windows: keys and descriptors */
    OURS = 32 << 20,     /* memory of the service without clients */
    MOST_USERS = 256,    /* whose attaches are remembered */
    BURST = 2,           /* seconds' worth of attaches that may come at once */
    SECOND = 1000000000, /* ns */
};

/* ---- the limit of the control group ---- */

/* The two versions of cgroups(7): how the line of /proc/self/cgroup begins after its number, where
 * the hierarchy is mounted, and what the limit's file is called. */
static const struct version {
    const char *begin, *mount, *file;
} versions[] = {
    { "::/", "/sys/fs/cgroup", "memory.max" },
    { ":memory:/", "/sys/fs/cgroup/memory", "memory.limit_in_bytes" },
};

static uint64_t read_limit(const struct version *v, const char *group)
{
    char path[600];
    unsigned long long limit;
    snprintf(path, sizeof path, "%s%s/%s", v->mount, group, v->file);
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    const int num = fscanf(file, "%llu", &limit); /* or "max" */
    fclose(file);
    return num == 1 ? limit : UINT64_MAX;
}

/* limit_of returns the smallest limit of a group such as "/a/b" and of those around it. */
static uint64_t limit_of(const struct version *v, char *group)
{
    uint64_t least = read_limit(v, group);
    for (char *slash; (slash = strrchr(group, '/'));) {
        *slash = '\0';
        const uint64_t limit = read_limit(v, group);
        least = limit < least ? limit : least;
    }
    return least;
}

static uint64_t limit_of_groups(void)
{
    uint64_t least = UINT64_MAX;
    char line[512];
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *at = line + strcspn(line, ":");
        for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
            const size_t len = strlen(versions[i].begin);
            if (strncmp(at, versions[i].begin, len))
                continue;
            const uint64_t limit = limit_of(&versions[i], at + len - 1);
            least = limit < least ? limit : least;
        }
    }
    if (file)
        fclose(file);
    return least;
}

void quota_begin(void)
{
    const uint64_t limit = limit_of_groups();
    service.memory = service.options->memory;
    if (limit != UINT64_MAX && service.memory + OURS > limit)
        service.memory = limit > OURS ? limit - OURS : 0;
    log_verbose("clients may take %u MiB", (unsigned)(service.memory >> 20));
}

/* ---- memory ---- */

static uint64_t memory_of(const struct ring_geometry *g)
{
    return ring_requests_len(g) + ring_completions_len(g) + PRIVATE;
}

static bool has_memory(const struct policy_rule *rule, uint32_t uid)
{
    const uint64_t more = memory_of(&rule->geometry);
    uint64_t all = more, own = more;
    for (const struct session *c = service.sessions; c; c = c->next) {
        const uint64_t len = session_is_pending(c) ? 0 : memory_of(&c->client.geometry);
        all += len;
        own += c->peer.uid == uid ? len : 0;
    }
    return all <= service.memory && (own == more || own <= service.memory - all) &&
           (!rule->memory || own <= rule->memory);
}

/* ---- attaches ---- */

static struct user_rate {
    uint32_t uid;
    uint64_t until; /* ns: when the allowed rate will have caught up */
} users[MOST_USERS];

/* rate_of returns the user's place, or else the place of the user who has attached least. */
static struct user_rate *rate_of(uint32_t uid)
{
    struct user_rate *least = users;
    for (size_t i = 0; i < MOST_USERS; i++) {
        if (users[i].until && users[i].uid == uid)
            return &users[i];
        if (users[i].until < least->until)
            least = &users[i];
    }
    *least = (struct user_rate){ uid, 0 };
    return least;
}

static bool has_time(const struct policy_rule *rule, uint32_t uid)
{
    if (!rule->attaches)
        return true;
    struct user_rate *u = rate_of(uid);
    const uint64_t now = ticks_clock(), cost = SECOND / rule->attaches;
    const uint64_t until = (u->until > now ? u->until : now) + cost;
    if (until - now > (uint64_t)BURST * SECOND)
        return false;
    u->until = until;
    return true;
}

bool quota_allows(const struct policy_rule *rule, uint32_t uid)
{
    const char *why = NULL;
    if (!has_memory(rule, uid))
        why = "no memory is left for it";
    else if (!has_time(rule, uid))
        why = "it attaches too often";
    if (why)
        log_denial("user %u may not attach now: %s", uid, why);
    return !why;
}
