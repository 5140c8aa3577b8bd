/* SPDX-License-Identifier: Apache-2.0
 *
 * --require: conditions by which a build can fail. A family that was not observed proves nothing:
 * hw: and any-hw fail then, and no-sw: fails if there were too few samples.
 */
#define _GNU_SOURCE
#include "cpu_flags.h"
#include "report.h"
#include "shares.h"
#include "unnamed.h"
#include <inttypes.h>
#include <string.h>

/* A share of CPU time up to which software is tolerated: self-tests at the start, other
 * libraries. */
static const double tolerated = 0.01;
enum { FEW = 30 };

struct answer {
    char *why;
    size_t max;
};

struct form {
    const char *prefix;
    bool (*allowed)(enum family, struct answer);
    bool (*holds)(enum family, const struct report *, struct answer);
};

static const struct verdict *verdict_of(enum family family, const struct verdict *all, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (all[i].family == family)
            return &all[i];
    return NULL;
}

/* ---- whether a condition is valid ---- */

static bool is_crypto(enum family family, struct answer a)
{
    if (family_is_crypto(family))
        return true;
    snprintf(a.why, a.max, "%s is not crypto", family_info(family)->option);
    return false;
}

static bool has_instructions(enum family family, struct answer a)
{
    if (!is_crypto(family, a))
        return false;
    if (cpu_could(family))
        return true;
    snprintf(a.why, a.max, "no CPU of this architecture has instructions for %s",
             family_info(family)->name);
    return false;
}

/* ---- whether a condition holds ---- */

static bool hardware_only(enum family family, const struct report *r, struct answer a)
{
    struct verdict all[NUM_FAMILIES];
    const struct verdict *v = verdict_of(family, all, report_verdicts(all, NUM_FAMILIES, r));
    if (!v) {
        snprintf(a.why, a.max,
                 "%s in hardware: %s was not observed in %" PRIu64 " samples, so nothing is proven",
                 family_info(family)->name, family_info(family)->name, r->samples);
        return false;
    }
    struct verdict unnamed;
    if (v->how == HOW_HARDWARE && v->software + v->vector <= tolerated &&
        unnamed_may_be(&unnamed, family, r) && unnamed.share >= v->hardware)
        v = &unnamed;
    if (v == &unnamed || v->how != HOW_HARDWARE || v->software + v->vector > tolerated) {
        snprintf(a.why, a.max, "%s in hardware: %s", family_info(family)->name, v->text);
        return false;
    }
    if (verdict_share_of(r->unread_samples, r) <= tolerated)
        return true;
    snprintf(
        a.why, a.max,
        "%s in hardware: %" PRIu64 " of %" PRIu64
        " samples are in code for which --max-memory or --max-time did not suffice, so nothing "
        "is proven",
        family_info(family)->name, r->unread_samples, r->samples);
    return false;
}

static bool no_software(enum family family, const struct report *r, struct answer a)
{
    struct verdict all[NUM_FAMILIES];
    const struct verdict *v = verdict_of(family, all, report_verdicts(all, NUM_FAMILIES, r));
    const char *name = family_info(family)->name;
    const bool only_counted = v && v->exact && v->share <= 0 && v->how != HOW_HARDWARE;
    if (only_counted || (v && v->software + v->vector > tolerated)) {
        snprintf(a.why, a.max, "no %s in software: %s", name, v->text);
        return false;
    }
    struct verdict unnamed;
    if (unnamed_may_be(&unnamed, family, r)) {
        snprintf(a.why, a.max, "no %s in software: %s", name, unnamed.text);
        return false;
    }
    if (r->samples < FEW) {
        snprintf(a.why, a.max, "no %s in software: only %" PRIu64 " samples, so nothing is proven",
                 name, r->samples);
        return false;
    }
    if (verdict_share_of(r->uncovered_samples + r->lost, r) > tolerated) {
        snprintf(a.why, a.max,
                 "no %s in software: %" PRIu64 " of %" PRIu64
                 " samples could not be read, so nothing is proven",
                 name, r->uncovered_samples + r->lost, r->samples);
        return false;
    }
    return true;
}

static bool any_hardware(const struct report *r, struct answer a)
{
    struct verdict all[NUM_FAMILIES];
    const size_t num = report_verdicts(all, NUM_FAMILIES, r);
    for (size_t i = 0; i < num; i++)
        if (all[i].hardware > 0 || (all[i].how == HOW_HARDWARE && all[i].exact))
            return true;
    if (num)
        snprintf(a.why, a.max, "any crypto in hardware: none observed; %s", all[0].text);
    else
        snprintf(a.why, a.max,
                 "any crypto in hardware: no crypto was observed in %" PRIu64
                 " samples, so nothing is proven",
                 r->samples);
    return false;
}

static const struct form forms[] = {
    { "hw:", has_instructions, hardware_only },
    { "no-sw:", is_crypto, no_software },
};

/* ---- the list of conditions ---- */

static int bad(const char *word, struct answer a)
{
    snprintf(a.why, a.max,
             "--require %s: must be hw:ALGORITHM, no-sw:ALGORITHM or any-hw, such as hw:aes", word);
    return -1;
}

static int judge(const char *word, const struct report *r, struct answer a)
{
    if (!strcmp(word, "any-hw"))
        return r && !any_hardware(r, a);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t len = strlen(forms[i].prefix);
        if (strncmp(word, forms[i].prefix, len) != 0)
            continue;
        const enum family family = family_by_option(word + len);
        if (family == FAMILY_NONE) {
            snprintf(a.why, a.max, "--require %s: no such algorithm", word);
            return -1;
        }
        char text[160];
        if (!forms[i].allowed(family, (struct answer){ text, sizeof text })) {
            snprintf(a.why, a.max, "--require %s: %s", word, text);
            return -1;
        }
        return r && !forms[i].holds(family, r, a);
    }
    return bad(word, a);
}

int report_require(const char *conditions, const struct report *r, char *why, size_t max)
{
    const struct answer a = { why, max };
    do {
        char word[40];
        const size_t len = strcspn(conditions, ",");
        if (len >= sizeof word)
            return bad("...", a);
        memcpy(word, conditions, len);
        word[len] = '\0';
        const int result = judge(word, r, a);
        if (result)
            return result;
        conditions += len;
    } while (*conditions++);
    return 0;
}
