/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"
#include "seal.h"
#include <headrace/headrace.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- algorithms ---- */

/* A row whose number is too large would be forbidden to everybody, and have neither costs nor
 * rules. */
#define HR_ROW(number, ...) _Static_assert((number) < ROW_NUMBERS, "ROW_NUMBERS");
#include <headrace/algorithms.def>

static void allow(struct policy_rule *rule, unsigned alg)
{
    rule->algorithms[alg % ROW_NUMBERS / 64] |= UINT64_C(1) << (alg & 63);
}

/* allow_prefix allows the rows whose names begin with the prefix, and returns their number. */
static unsigned allow_prefix(struct policy_rule *rule, const char *prefix, size_t prefix_len)
{
    unsigned n = 0;
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (!strncasecmp(row->name, prefix, prefix_len)) {
            allow(rule, row->alg);
            n++;
        }
    if (!prefix_len)
        allow(rule, HR_ALG_NONE);
    return n;
}

static bool allow_word(struct policy_rule *rule, const char *word)
{
    const size_t len = strlen(word);
    const struct hr_algorithm *row = hr_algorithm_by_name(word);
    if (word[len - 1] == '*')
        return allow_prefix(rule, word, len - 1) != 0;
    if (!strcmp(word, "copy"))
        allow(rule, HR_ALG_NONE);
    else if (row)
        allow(rule, row->alg);
    else
        return false;
    return true;
}

/* ---- lists of numbers ---- */

/* read_number reads a number from *at on, and moves *at behind it.  Returns -1 if there is none. */
static int read_number(const char **at)
{
    int n = -1;
    for (; **at >= '0' && **at <= '9' && n <= POLICY_MAX_CPU; ++*at)
        n = (n < 0 ? 0 : n) * 10 + (**at - '0');
    return n <= POLICY_MAX_CPU ? n : -1;
}

/* next_range reads the next number of a list, or two with a hyphen between them.  Returns 1, 0 at
 * the list's end, or -1 for anything else. */
static int next_range(const char **list, int *from, int *to)
{
    char word[32];
    const char *at = word;
    if (!lines_word(list, word, sizeof word))
        return 0;
    *from = *to = read_number(&at);
    if (*at == '-') {
        at++;
        *to = read_number(&at);
    }
    return *from < 0 || *to < *from || *at ? -1 : 1;
}

/* ---- settings ---- */

static int set_algorithms(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    memset(rule->algorithms, 0, sizeof rule->algorithms);
    const char *list = line->value;
    for (char word[64]; lines_word(&list, word, sizeof word);)
        if (!allow_word(rule, word))
            return lines_error(l, "no algorithm of this name: %s", word);
    return 0;
}

static int set_lanes(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    rule->private_lanes = !strcmp(line->value, "private");
    if (!rule->private_lanes && strcmp(line->value, "shared"))
        return lines_error(l, "lanes must be shared or private");
    return 0;
}

static int set_attach(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return lines_bool(l, line, &rule->attach);
}

static int set_admin(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return lines_bool(l, line, &rule->admin);
}

static int set_rate(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return lines_number(l, line, 0, UINT64_C(1) << 40, &rule->rate);
}

static int set_bytes(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return lines_number(l, line, 0, UINT64_C(1) << 50, &rule->bytes);
}

static int set_small(struct lines *l, const struct line *line, uint64_t min, uint64_t max,
                     uint32_t *out)
{
    uint64_t n = 0;
    const int error = lines_number(l, line, min, max, &n);
    *out = (uint32_t)n;
    return error;
}

static int set_weight(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return set_small(l, line, 1, LIMIT_MAX_WEIGHT, &rule->weight);
}

static int set_rings(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return set_small(l, line, 1, RING_MAX_RINGS, &rule->geometry.num_rings);
}

static int set_window(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    const int error = set_small(l, line, 4096, 16 << 20, &rule->geometry.window_len);
    if (!error && rule->geometry.window_len % 4096)
        return lines_error(l, "a window must be a multiple of 4096");
    return error;
}

static int set_clients(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return set_small(l, line, 1, POLICY_MAX_CLIENTS, &rule->clients);
}

static int set_memory(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return lines_number(l, line, 0, UINT64_C(1) << 50, &rule->memory);
}

static int set_keys(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return set_small(l, line, 0, POLICY_MAX_KEYS, &rule->keys);
}

static int set_attaches(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return set_small(l, line, 0, 1000000, &rule->attaches);
}

static int set_spread(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    return set_small(l, line, 1, RING_MAX_SPREAD, &rule->spread);
}

static int set_accelerators(struct lines *l, const struct line *line, struct policy_rule *rule)
{
    const char *list = line->value;
    rule->accelerators = 0;
    for (int from, to, more; (more = next_range(&list, &from, &to)) != 0;) {
        if (more < 0 || to >= POLICY_MAX_ACCELERATORS)
            return lines_error(l, "not a list of accelerators such as 0, 2-3");
        for (; from <= to; from++)
            rule->accelerators |= UINT64_C(1) << from;
    }
    return rule->accelerators ? 0 : lines_error(l, "not a list of accelerators such as 0, 2-3");
}

static const struct setting {
    const char *word;
    int (*set)(struct lines *l, const struct line *line, struct policy_rule *rule);
} settings[] = {
    { "attach", set_attach },
    { "admin", set_admin },
    { "algorithms", set_algorithms },
    { "weight", set_weight },
    { "rate", set_rate },
    { "bytes", set_bytes },
    { "rings", set_rings },
    { "window", set_window },
    { "clients", set_clients },
    { "lanes", set_lanes },
    { "memory", set_memory },
    { "attaches", set_attaches },
    { "keys", set_keys },
    { "accelerators", set_accelerators },
    { "spread", set_spread },
};

/* ---- the unit for public keys ---- */

static int set_threads(struct lines *l, const struct line *line, struct policy_unit *unit)
{
    uint32_t n = 0;
    const int error = set_small(l, line, 0, POLICY_MAX_THREADS, &n);
    unit->threads = n;
    unit->threads_set = true;
    return error;
}

static int set_cpus(struct lines *l, const struct line *line, struct policy_unit *unit)
{
    const char *list = line->value;
    unit->num_cpus = 0;
    for (int from, to, more; (more = next_range(&list, &from, &to)) != 0;) {
        if (more < 0)
            return lines_error(l, "not a list of CPUs such as 2, 4-7");
        for (int cpu = from; cpu <= to; cpu++) {
            if (unit->num_cpus == POLICY_MAX_THREADS)
                return lines_error(l, "more than %d CPUs", POLICY_MAX_THREADS);
            unit->cpus[unit->num_cpus++] = cpu;
        }
    }
    return unit->num_cpus ? 0 : lines_error(l, "not a list of CPUs such as 2, 4-7");
}

static int set_nice(struct lines *l, const struct line *line, struct policy_unit *unit)
{
    const char *at = line->value + (*line->value == '-');
    const int n = read_number(&at), nice = *line->value == '-' ? -n : n;
    if (n < 0 || *at || nice < -20 || nice > 19)
        return lines_error(l, "nice must be a number from -20 to 19");
    unit->nice = nice;
    return 0;
}

static const struct unit_setting {
    const char *word;
    int (*set)(struct lines *l, const struct line *line, struct policy_unit *unit);
} unit_settings[] = { { "threads", set_threads }, { "cpus", set_cpus }, { "nice", set_nice } };

/* ---- rules ---- */

static void rule_begin(struct policy_rule *rule, const char *name)
{
    *rule = (struct policy_rule){ .attach = true,
                                  .weight = LIMIT_WEIGHT,
                                  .clients = 32,
                                  .memory = UINT64_C(640) << 20,
                                  .attaches = 50,
                                  .keys = 64,
                                  .spread = 1,
                                  .accelerators = UINT64_MAX,
                                  .geometry = { RING_MAX_RINGS, 256 << 10 } };
    snprintf(rule->name, sizeof rule->name, "%s", name);
    (void)allow_prefix(rule, "", 0);
}

void policy_default(struct policy *p)
{
    memset(p, 0, sizeof *p);
    rule_begin(&p->rules[0], "everyone");
    p->num_rules = 1;
}

static const char no_section[] = "a section must be [client NAME], [unit public-key] or [keys]";

static int begin_unit(struct policy *p, struct lines *l, const struct line *line)
{
    if (strcmp(line->value, "public-key"))
        return lines_error(l, no_section);
    if (p->unit.is_there)
        return lines_error(l, "there is a [unit public-key] already");
    p->unit.is_there = true;
    p->section = POLICY_OF_UNIT;
    return 0;
}

static int begin_keys(struct policy *p, struct lines *l, const struct line *line)
{
    if (*line->value)
        return lines_error(l, no_section);
    if (p->has_keys)
        return lines_error(l, "there is a [keys] already");
    p->has_keys = true;
    p->section = POLICY_OF_KEYS;
    return 0;
}

static int begin_client(struct policy *p, struct lines *l, const struct line *line)
{
    if (!*line->value)
        return lines_error(l, no_section);
    p->section = POLICY_OF_CLIENT;
    if (strlen(line->value) >= CONTROL_NAME)
        return lines_error(l, "a name has at most %d bytes", CONTROL_NAME - 1);
    if (line->value[strspn(line->value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789._-")])
        return lines_error(l,
                           "a name must consist of letters, digits, dots, underscores and hyphens");
    for (unsigned i = 0; i < p->num_rules; i++)
        if (!strcmp(p->rules[i].name, line->value))
            return lines_error(l, "there is a [client %s] already", line->value);
    if (p->num_rules == POLICY_MAX_RULES)
        return lines_error(l, "more than %d sections", POLICY_MAX_RULES);
    rule_begin(&p->rules[p->num_rules++], line->value);
    return 0;
}

static const struct section {
    const char *word;
    int (*begin)(struct policy *p, struct lines *l, const struct line *line);
} sections[] = { { "client", begin_client }, { "unit", begin_unit }, { "keys", begin_keys } };

static int begin_section(struct policy *p, struct lines *l, const struct line *line)
{
    for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!strcmp(line->section, sections[i].word))
            return sections[i].begin(p, l, line);
    return lines_error(l, no_section);
}

static int set_of_unit(struct policy *p, struct lines *l, const struct line *line)
{
    for (unsigned i = 0; i < sizeof unit_settings / sizeof *unit_settings; i++)
        if (!strcmp(line->word, unit_settings[i].word))
            return lines_once(l, line, i) || unit_settings[i].set(l, line, &p->unit) ? -1 : 0;
    return lines_error(l, "unknown word: %.40s", line->word);
}

static int set_of_keys(struct policy *p, struct lines *l, const struct line *line)
{
    if (strcmp(line->word, "sealing-key"))
        return lines_error(l, "unknown word: %.40s", line->word);
    if (lines_once(l, line, 0))
        return -1;
    if (*line->value != '/' || strlen(line->value) >= sizeof p->sealing_key)
        return lines_error(l, "not a path from / on of less than %d bytes", POLICY_MAX_PATH);
    strcpy(p->sealing_key, line->value);
    return 0;
}

static int set_of_client(struct policy *p, struct lines *l, const struct line *line,
                         who_lookup *lookup)
{
    if (!p->num_rules)
        return lines_error(l, "before the first [client NAME]");
    struct policy_rule *rule = &p->rules[p->num_rules - 1];
    if (!strcmp(line->word, "uid") || !strcmp(line->word, "gid"))
        return lines_who(l, line, &rule->who, line->word[0] == 'g', lookup);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(line->word, settings[i].word))
            return lines_once(l, line, i) || settings[i].set(l, line, rule) ? -1 : 0;
    return lines_error(l, "unknown word: %.40s", line->word);
}

static int set(struct policy *p, struct lines *l, const struct line *line, who_lookup *lookup)
{
    return p->section == POLICY_OF_UNIT   ? set_of_unit(p, l, line)
           : p->section == POLICY_OF_KEYS ? set_of_keys(p, l, line)
                                          : set_of_client(p, l, line, lookup);
}

int policy_parse(struct policy *p, const char *text, size_t text_len, who_lookup *lookup,
                 char error[LINES_ERROR])
{
    struct lines l;
    struct line line;
    int more;
    memset(p, 0, sizeof *p);
    lines_begin(&l, text, text_len);
    while ((more = lines_next(&l, &line)) > 0) {
        more = line.section ? begin_section(p, &l, &line) : set(p, &l, &line, lookup);
        if (more)
            break;
    }
    memcpy(error, l.error, LINES_ERROR);
    return more;
}

const char *policy_sealing_key(const struct policy *p)
{
    return *p->sealing_key ? p->sealing_key : SEAL_KEY_PATH;
}

const struct policy_rule *policy_find(const struct policy *p, uint32_t uid, const uint32_t *gids,
                                      size_t num_gids)
{
    for (unsigned i = 0; i < p->num_rules; i++)
        if (lines_who_has(&p->rules[i].who, uid, gids, num_gids))
            return &p->rules[i];
    return NULL;
}

void policy_apply(const struct policy_rule *rule, struct limits *limits)
{
    for (size_t i = 0; i < ROW_NUMBERS / 64; i++)
        atomic_store(&limits->algorithms[i], rule->algorithms[i]);
    atomic_store(&limits->weight, rule->weight);
    atomic_store(&limits->rate, rule->rate);
    atomic_store(&limits->bytes, rule->bytes);
    atomic_store(&limits->lent, rule->keys);
}
