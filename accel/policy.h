/* SPDX-License-Identifier: Apache-2.0 */
/* The policy: who may attach, and what they get.  Of accel.conf the first section counts whose
 * users or groups a client is one of; who is in none is refused.
 *
 *   [client web]
 *   uid = www-data, 2000-2099     users; with gid: any of both; with neither: everyone
 *   gid = web
 *   attach = yes
 *   admin = no                    may ask for status, revoke, reload
 *   algorithms = AES-*, SHA-256   rows by name, * at the end for what follows, `copy`
 *   weight = 100                  share among those who want the same
 *   rate = 0                      requests a second, 0 without limit
 *   bytes = 0                     a second
 *   rings = 64                    threads of a client
 *   window = 256K                 payload that each of them has on its way
 *   clients = 32                  of one user at a time
 *   lanes = shared                or private: no lanes with other clients
 */
#ifndef HR_POLICY_H
#define HR_POLICY_H

#include "control.h"
#include "served.h"
#include "lines.h"

enum { POLICY_MAX_RULES = 64, POLICY_MAX_CLIENTS = 1024 };

struct policy_rule {
    char name[CONTROL_NAME];
    struct who who;
    bool attach, admin, private_lanes;
    uint32_t weight, clients;
    uint64_t rate, bytes;
    struct ring_geometry geometry;
    uint64_t algorithms[64]; /* as those of struct limits */
};

struct policy {
    unsigned num_rules;
    struct policy_rule rules[POLICY_MAX_RULES];
};

/* What holds without a file: every local user may attach, with each setting as above, and root
 * administers. */
void policy_default(struct policy *p);
/* 0, or -1: `error` says what is wrong, and where. */
int policy_parse(struct policy *p, const char *text, size_t text_len, who_lookup *lookup,
                 char error[LINES_ERROR]);
/* The rule that counts, or NULL. */
const struct policy_rule *policy_find(const struct policy *p, uint32_t uid, const uint32_t *gids,
                                      size_t num_gids);
/* What a rule says of a client that is served. */
void policy_apply(const struct policy_rule *rule, struct limits *limits);

#endif
