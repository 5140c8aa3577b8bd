/* SPDX-License-Identifier: Apache-2.0 */
/* The service's files: at its start, at SIGHUP and when an administrator asks.  Either all of them
 * hold from now on, or none of them does. */
#define _GNU_SOURCE
#include "headraced.h"
#include "secrets.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { MAX_POLICY = 64 << 10, MAX_CROSSOVER = 256 << 10 };

/* There has been one: that it is gone opens the service to nobody. */
static bool policy_read;

static int read_policy(struct policy *policy, const char *path)
{
    static char text[MAX_POLICY];
    char error[LINES_ERROR];
    bool missing;
    const ssize_t len = file_read(AT_FDCWD, path, text, sizeof text, false, &missing);
    if (missing && (service.options->policy_named || policy_read)) {
        log_error("%s is not there", path);
        return -1;
    }
    if (missing) {
        log_info("%s is not there: every local user may attach", path);
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
    const ssize_t len = file_read(AT_FDCWD, path, text, sizeof text, false, &missing);
    memset(crossover, 0, sizeof *crossover);
    if (len < 0)
        return missing ? 0 : -1;
    const size_t wrong = crossover_parse(crossover, text, (size_t)len);
    if (wrong)
        log_error("%s: line %zu is no rule of headrace accel calibrate", path, wrong);
    return wrong ? -1 : 0;
}

/* What was there before, for handles_review; and where the next ones are read to. */
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
    log_error("no memory may be locked: %s (RLIMIT_MEMLOCK, or LimitMEMLOCK= of systemd)",
              strerror(errno));
    return -1;
}

int reload_files(void)
{
    static struct policy policy;
    static struct crossover crossover;
    const bool first = !service.keys; /* who takes the folder away later, takes its keys away */
    if ((first && have_memory()) || read_policy(&policy, service.options->policy) ||
        read_crossover(&crossover, service.options->crossover) ||
        handles_load(other_keys, service.options->keys, first && service.options->keys_named))
        return -1;
    swap_keys();
    service.policy = policy;
    service.crossover = crossover;
    return 0;
}

void reload_clients(struct connection *asker)
{
    for (struct connection *c = service.connections, *next; c; c = next) {
        next = c->next;
        const struct policy_rule *rule =
            policy_find(&service.policy, c->peer.uid, c->peer.gids, c->peer.num_gids);
        if (!c->attached)
            continue;
        if (rule && rule->attach) {
            policy_apply(rule, &c->client.limits);
            memcpy(c->rule, rule->name, sizeof c->rule);
            handles_review(c, other_keys);
        } else {
            log_info("client %u of user %u is revoked by the policy", c->client.number,
                     c->peer.uid);
            if (c == asker)
                c->leaving = true;
            else
                connection_revoke(c);
        }
    }
    explicit_bzero(other_keys, sizeof *other_keys);
    service.reloads++;
    log_info("policy and keys have been read again");
}
