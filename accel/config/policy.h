/* SPDX-License-Identifier: Apache-2.0 */
/* The policy: which users may attach, and what their clients may do.  The first section of
 * accel.conf that contains a client's user or one of its groups applies; without one the client is
 * refused.
 *
 *   [client web]
 *   uid = www-data, 2000-2099     users; without uid and gid: everyone
 *   gid = web                     groups; a match of a user or a group suffices
 *   attach = yes
 *   admin = no                    may ask for status, revoke, reload
 *   algorithms = AES-*, SHA-256   names of rows; AES-*: all that begin so; or `copy`
 *   weight = 100                  share among clients that compete
 *   rate = 0                      requests a second; 0: no limit
 *   bytes = 0                     bytes a second; 0: no limit
 *   rings = 64                    number of threads of a client
 *   window = 256K                 payload of each thread's outstanding requests
 *   clients = 32                  clients of one user at a time
 *   memory = 640M                 memory of one user's clients; 0: no limit
 *   attaches = 50                 of one user, a second; 0: no limit
 *   lanes = shared                or private: no lanes with other clients
 *   accelerators = 0, 2-3         those that may serve a client; without this line all
 *   spread = 1                    accelerators that serve a client's threads, by turns
 *   keys = 64                     keys that a client may lend to the unit for public keys
 *
 * A section of its own, which takes effect when the service starts, has the threads of that unit:
 *
 *   [unit public-key]
 *   threads = 3                   0: no such unit; without this line one for each CPU, up to
 *                                 16, and one
 *   cpus = 2, 4-7                 one CPU for each thread, by turns; without this line any
 *   nice = 0                      -20 to 19: their priority
 *
 * Another section says by what key files are opened that are sealed (seal.h):
 *
 *   [keys]
 *   sealing-key = /run/headrace-keys/sealing-key
 */
#ifndef HR_POLICY_H
#define HR_POLICY_H

#include "../control.h"
#include "../service/limits.h"
#include "lines.h"

enum {
    POLICY_MAX_RULES = 64,
    POLICY_MAX_CLIENTS = 1024,
    POLICY_MAX_KEYS = 256,
    POLICY_MAX_THREADS = 64,
    POLICY_MAX_CPU = 1023,
    POLICY_MAX_ACCELERATORS = 64,
    POLICY_MAX_PATH = 512,
};

/* The unit for public keys. */
struct policy_unit {
    bool is_there;    /* there is a section */
    bool threads_set; /* else the service chooses their number */
    unsigned threads, num_cpus;
    int cpus[POLICY_MAX_THREADS];
    int nice;
};

struct policy_rule {
    char name[CONTROL_NAME];
    struct who who;
    bool attach, admin, private_lanes;
    uint32_t weight, clients;
    uint32_t attaches, keys, spread;
    uint64_t rate, bytes, memory;
    uint64_t accelerators; /* bit i: number i may serve it */
    struct ring_geometry geometry;
    uint64_t algorithms[ROW_NUMBERS / 64]; /* as those of struct limits */
};

struct policy {
    unsigned num_rules;
    struct policy_rule rules[POLICY_MAX_RULES];
    struct policy_unit unit;
    bool has_keys; /* there is a section about key files */
    char sealing_key[POLICY_MAX_PATH];
    /* The section while the policy is parsed. */
    enum { POLICY_OF_CLIENT, POLICY_OF_UNIT, POLICY_OF_KEYS } section;
};

/* policy_sealing_key returns the path of the sealing key. */
const char *policy_sealing_key(const struct policy *p);

/* policy_default makes the policy for a service without a file: every local user may attach, with
 * the settings that a section without settings has, and root administers. */
void policy_default(struct policy *p);
/* policy_parse returns 0, or -1; then `error` says what is wrong, and where. */
int policy_parse(struct policy *p, const char *text, size_t text_len, who_lookup *lookup,
                 char error[LINES_ERROR]);
/* policy_find returns the rule that applies, or NULL. */
const struct policy_rule *policy_find(const struct policy *p, uint32_t uid, const uint32_t *gids,
                                      size_t num_gids);
/* policy_serves tells whether an accelerator may serve the clients of a rule. */
static inline bool policy_serves(const struct policy_rule *rule, unsigned accelerator)
{
    return rule->accelerators >> (accelerator & 63) & 1;
}
/* policy_allows tells whether the clients of a rule may use an algorithm. */
static inline bool policy_allows(const struct policy_rule *rule, unsigned alg)
{
    return alg < ROW_NUMBERS && rule->algorithms[alg / 64] >> (alg & 63) & 1;
}
/* policy_apply sets a client's limits, except private_lanes, as a rule says; the client may be
 * served meanwhile. */
void policy_apply(const struct policy_rule *rule, struct limits *limits);

#endif
