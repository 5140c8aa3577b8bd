/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the service's files: at its start, at SIGHUP and when an administrator asks.  Either all of
 * them take effect, or none does, but for key files that are sealed and cannot be opened. */
#define _GNU_SOURCE
#include "headraced.h"
#include "sealing.h"
#include "secrets.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { MAX_POLICY = 64 << 10, MAX_CROSSOVER = 256 << 10, MAX_OWNERS = 64 << 10 };

/* policy_read: a policy file was read before.  If it is gone at a reload, the reload fails: without
 * a policy every local user might attach. */
static bool policy_read;

static int read_policy(struct policy *policy, const char *path)
{
    static char text[MAX_POLICY];
    char error[LINES_ERROR];
    bool missing;
    const ssize_t len = file_read(AT_FDCWD, path, text, sizeof text, 0, &missing);
    if (missing && (service.options->policy_named || policy_read)) {
        log_error("%s does not exist", path);
        return -1;
    }
    if (missing) {
        log_info("%s does not exist: every local user may attach", path);
        policy_default(policy);
        return 0;
    }
    if (len < 0)
        return -1;
    if (policy_parse(policy, text, (size_t)len, file_who, error)) {
        log_error("%s: %s", path, error);
        return -1;
    }
    policy_read = true;
    return 0;
}

static int read_crossover(struct crossover *crossover, const char *path)
{
    static char text[MAX_CROSSOVER];
    bool missing;
    const ssize_t len = file_read(AT_FDCWD, path, text, sizeof text, 0, &missing);
    memset(crossover, 0, sizeof *crossover);
    if (len < 0)
        return missing ? 0 : -1;
    const size_t wrong = crossover_parse(crossover, text, (size_t)len);
    if (wrong)
        log_error("%s: line %zu was not written by headrace accel calibrate", path, wrong);
    return wrong ? -1 : 0;
}

/* read_owners reads the system's list of subordinate ids.  Without it, or if it cannot be read,
 * each id counts by itself. */
static void read_owners(struct owners *owners)
{
    static char text[MAX_OWNERS];
    bool missing;
    const ssize_t len = file_read(AT_FDCWD, "/etc/subuid", text, sizeof text, 0, &missing);
    owners_parse(owners, text, len < 0 ? 0 : (size_t)len, file_who);
}

/* The keys before the last reload, for handles_review.  The next reload reads into this memory. */
static struct named_keys *other_keys;

static void swap_keys(void)
{
    struct named_keys *keys = service.keys;
    service.keys = other_keys;
    other_keys = keys;
}

static int have_memory(void)
{
    service.keys = secrets_alloc(sizeof *service.keys);
    other_keys = secrets_alloc(sizeof *other_keys);
    if (service.keys && other_keys)
        return 0;
    log_error("cannot lock memory: %s (RLIMIT_MEMLOCK, or LimitMEMLOCK= of systemd)",
              strerror(errno));
    return -1;
}

int reload_files(void)
{
    static struct policy policy;
    static struct crossover crossover;
    const bool first = !service.keys; /* at a reload the folder may be gone, and with it the keys */
    if ((first && have_memory()) || read_policy(&policy, service.options->policy) ||
        read_crossover(&crossover, service.options->crossover))
        return -1;
    sealing_begin(service.options->credentials, policy_sealing_key(&policy));
    if (handles_load(other_keys, service.options, first && service.options->keys_named))
        return -1;
    swap_keys();
    read_owners(&service.owners);
    service.policy = policy;
    service.crossover = crossover;
    return 0;
}

void reload_clients(struct session *asker)
{
    for (struct session *c = service.sessions, *next; c; c = next) {
        next = c->next;
        if (!c->attached)
            continue;
        const struct policy_rule *rule = peer_rule(&c->peer);
        const bool stays = rule && rule->attach;
        if (stays) {
            session_limit(c, rule);
            memcpy(c->rule, rule->name, sizeof c->rule);
        }
        if (stays && !session_settle(c, rule)) {
            handles_review(c, other_keys);
        } else {
            log_info("client %u of user %u is revoked by the %s", c->client.number, c->peer.uid,
                     stays ? "system, which has no room for it" : "policy");
            if (c == asker)
                c->leaving = true;
            else
                session_revoke(c);
        }
    }
    handles_clear(other_keys);
    service.reloads++;
    log_info("policy and keys have been read again");
}
