/* SPDX-License-Identifier: Apache-2.0 */
/* The service's files, policy, keys, sealing key and owners of user ids: any bytes are accepted or
 * refused with a line number, and whatever is accepted stays within its bounds.  Any bytes can be
 * sealed, and open to what they were. */
#include "config/keyfile.h"
#include "config/owners.h"
#include "config/pk_key.h"
#include "config/policy.h"
#include "config/seal.h"
#include "fuzz.h"
#include <headrace/queue.h>
#include <string.h>

static int64_t lookup(const char *name, bool group)
{
    return strcmp(name, "www-data") ? -1 : group ? 33 : 34;
}

static void check_error(const char error[LINES_ERROR])
{
    CHECK(memchr(error, 0, LINES_ERROR) && !strncmp(error, "line ", 5));
}

static void check_who(const struct who *who)
{
    CHECK(who->num_uids <= WHO_MAX && who->num_gids <= WHO_MAX);
    for (unsigned i = 0; i < who->num_uids; i++)
        CHECK(who->uids[i].from <= who->uids[i].to && who->uids[i].to < UINT32_MAX);
}

static void check_policy(const struct policy *p)
{
    const uint32_t gids[] = { 0, 33 };
    CHECK(p->num_rules <= POLICY_MAX_RULES);
    for (unsigned i = 0; i < p->num_rules; i++) {
        const struct policy_rule *rule = &p->rules[i];
        check_who(&rule->who);
        CHECK(memchr(rule->name, 0, sizeof rule->name) && *rule->name);
        CHECK(rule->weight >= 1 && rule->weight <= LIMIT_MAX_WEIGHT && rule->clients >= 1);
        CHECK(rule->keys <= POLICY_MAX_KEYS);
        CHECK(rule->accelerators && rule->spread >= 1 && rule->spread <= RING_MAX_SPREAD);
        CHECK(rule->geometry.num_rings >= 1 && rule->geometry.num_rings <= RING_MAX_RINGS);
        CHECK(rule->geometry.window_len >= 4096 && rule->geometry.window_len % 4096 == 0);
    }
    CHECK(p->unit.threads <= POLICY_MAX_THREADS && p->unit.num_cpus <= POLICY_MAX_THREADS);
    CHECK(p->unit.nice >= -20 && p->unit.nice <= 19);
    for (unsigned i = 0; i < p->unit.num_cpus; i++)
        CHECK(p->unit.cpus[i] >= 0 && p->unit.cpus[i] <= POLICY_MAX_CPU);
    const struct policy_rule *found = policy_find(p, 1000, gids, 2);
    CHECK(!found || lines_who_has(&found->who, 1000, gids, 2));
}

static void check_owners(const struct owners *o)
{
    CHECK(o->num <= OWNERS_MAX);
    for (unsigned i = 0; i < o->num; i++) {
        const struct owned *r = &o->at[i];
        CHECK(r->owner && r->from <= r->to && r->to < UINT32_MAX);
        CHECK(owners_find(o, r->to) != 0);
    }
    CHECK(o->num || owners_find(o, 1000) == 1000);
}

/* A key of public key is made of its components as the service does it, and describes itself. */
static void check_public(const struct named_key *key, const struct keyfile_parts *parts)
{
    static struct hr_sign_key object; /* the largest */
    uint8_t spki[CONTROL_SPKI], reference[CONTROL_SPKI + CONTROL_NAME + 16];
    size_t len = sizeof spki, more = sizeof reference;
    struct pk_parts p;
    CHECK(!pk_split(&p, parts->bytes, parts->len) && p.num >= 2);
    CHECK(key->terms.op == HR_JOB_SIGN || key->terms.op == HR_JOB_PK_DECRYPT);
    CHECK(!key_terms_allow_rsa(&key->terms, &(struct hr_rsa_options){ .padding = HR_RSA_NONE }));
    if (pk_key_init(&object, key->alg, &p))
        return;
    CHECK(!pk_spki(spki, &len, key->alg, &object, &p) && len > 32);
    CHECK(!pk_reference(reference, &more, "a", spki, len) && more > len);
}

static void check_key(const struct named_key *key, const struct keyfile_parts *parts)
{
    check_who(&key->who);
    CHECK(hr_algorithm((hr_alg)key->alg) && key->len <= CONTROL_KEY && !key->len == !!parts->len);
    CHECK(parts->len <= CONTROL_LENT && keyfile_is_same(key, key));
    if (parts->len)
        check_public(key, parts);
}

/* The key that the sealed files of the corpus have been sealed with, under the name "fuzz". */
static struct seal_key sealing = { { .lanes = 1, .memory = 64, .passes = 1 }, { 0 } };

static void begin_sealing(void)
{
    for (int i = 0; i < SEAL_KEY; i++) {
        sealing.bytes[i] = (uint8_t)i;
        sealing.seal.salt[i] = (uint8_t)(32 + i);
    }
    seal_check(sealing.seal.check, &sealing);
}

/* A text of any bytes, of which those from `at` on are private, is sealed and opened. */
static void check_round(const char *text, size_t size, size_t at)
{
    static const uint8_t salt[SEAL_SALT];
    const size_t max = 3 * size + 1024;
    size_t len = size;
    char *copy = malloc(max);
    CHECK(copy != NULL);
    memcpy(copy, text, size);
    CHECK(!seal_close(copy, &len, max, at, "fuzz", &sealing, salt) && len <= max);
    if (seal_is_there(text, at) || (at && text[at - 1] != '\n')) { /* other lines come before */
        free(copy);
        return;
    }
    CHECK(seal_is_there(copy, len) && !seal_open(copy, &len, "fuzz", &sealing));
    CHECK(len == size && !memcmp(copy, text, size));
    free(copy);
}

/* A sealed file that opens is a key file like others. */
static void check_sealed(char *text, size_t size)
{
    static struct keyfile_parts parts;
    struct named_key key;
    char error[LINES_ERROR] = "";
    struct seal seal;
    struct seal_key read;
    if (seal_find(&seal, text, size))
        CHECK(seal_is_same(&seal, &seal));
    if (seal_key_parse(&read, text, size, error))
        check_error(error);
    check_round(text, size, size / 2);
    check_round(text, size, 0);
    if (!seal_is_there(text, size) || seal_open(text, &size, "fuzz", &sealing))
        return;
    if (keyfile_parse(&key, &parts, text, size, lookup, error))
        check_error(error);
    else
        check_key(&key, &parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct policy policy;
    static struct owners owners;
    static struct keyfile_parts parts;
    struct named_key key;
    char error[LINES_ERROR] = "", *text = malloc(size + 1);
    CHECK(text != NULL);
    memcpy(text, data, size); /* a copy of the exact size, so that a read behind its end is found */
    if (policy_parse(&policy, text, size, lookup, error))
        check_error(error);
    else
        check_policy(&policy);
    if (keyfile_parse(&key, &parts, text, size, lookup, error))
        check_error(error);
    else
        check_key(&key, &parts);
    owners_parse(&owners, text, size, lookup);
    check_owners(&owners);
    begin_sealing();
    check_sealed(text, size);
    free(text);
    return 0;
}
