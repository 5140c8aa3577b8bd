/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes verdicts from rows.  A verdict speaks only of what was observed: a family of which nothing
 * was seen gets none.
 */
#define _GNU_SOURCE
#include "cpu_flags.h"
#include "report.h"
#include "report_words.h"
#include "shares.h"
#include "unnamed.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 30 };
/* The share of CPU in software, beside hardware, above which a verdict tells the reason. */
static const double worth_a_reason = 0.01;

/* The samples and the counted calls of one family, by the way of computing. A bound ("at least")
 * is printed, but only samples and exact counts decide a verdict. */
struct sums {
    uint64_t samples[NUM_HOWS], calls[NUM_HOWS];
    uint64_t exact[NUM_HOWS];           /* the part of the calls that was counted exactly */
    enum exactness exactness[NUM_HOWS]; /* of the calls: the worst */
    const char *variant[NUM_HOWS];      /* of the row with most samples */
    uint64_t most[NUM_HOWS];
};

static void add(struct sums *s, const struct report_row *row)
{
    const unsigned how = row->finding.how;
    s->samples[how] += row->samples;
    if (row->exactness != COUNT_NONE) {
        s->calls[how] += row->calls;
        s->exact[how] += row->exactness == COUNT_EXACT ? row->calls : 0;
        if (row->exactness > s->exactness[how])
            s->exactness[how] = row->exactness;
    }
    if (row->finding.variant && (!s->variant[how] || row->samples > s->most[how])) {
        s->variant[how] = row->finding.variant;
        s->most[how] = row->samples;
    }
}

bool verdict_share_is_crypto(const struct report_row *row)
{
    const enum how how = row->finding.how;
    return family_is_crypto(row->finding.family) &&
           (how == HOW_HARDWARE || how == HOW_SOFTWARE || how == HOW_VECTOR);
}

double verdict_share_of(uint64_t samples, const struct report *r)
{
    return r->samples ? (double)samples / (double)r->samples : 0;
}

/* ---- the sentence ---- */

struct text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (n < 0)
        return;
    const size_t used = (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += used;
    t->left -= used;
}

static const char *const shouted[NUM_HOWS] = {
    [HOW_HARDWARE] = "HARDWARE",
    [HOW_VECTOR] = "VECTOR SOFTWARE",
    [HOW_SOFTWARE] = "SOFTWARE",
};
static const enum how ways[] = { HOW_HARDWARE, HOW_SOFTWARE, HOW_VECTOR };

static double way_share(const struct verdict *v, enum how how)
{
    return how == HOW_HARDWARE ? v->hardware : how == HOW_SOFTWARE ? v->software : v->vector;
}

static void say_share(struct text *t, double share, const char *of)
{
    if (share > 0 && share < 0.0005)
        say(t, "below 0.1%%%s", of);
    else
        say(t, "%.1f%%%s", 100 * share, of);
}

/* Says what was counted where neither a sample nor an exact count shows the way. */
static void say_bounds(struct text *t, const struct sums *s)
{
    say(t, "CALLED, but neither sampled nor counted exactly");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (s->calls[ways[i]])
            say(t, ", %s at least %" PRIu64 " call%s", family_how_name(ways[i]), s->calls[ways[i]],
                s->calls[ways[i]] == 1 ? "" : "s");
}

static void say_ways(struct text *t, const struct verdict *v, const struct sums *s)
{
    say(t, "%s", shouted[v->how]);
    if (v->variant)
        say(t, " (%s)", v->variant);
    say(t, " ");
    if (v->share > 0)
        say_share(t, way_share(v, v->how), " of CPU");
    else
        say(t, "%s%" PRIu64 " call%s counted, no sample", words_about(s->exactness[v->how]),
            v->calls, v->calls == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i] == v->how || !(s->samples[ways[i]] || s->calls[ways[i]]))
            continue;
        say(t, ", %s ", family_how_name(ways[i]));
        if (s->samples[ways[i]])
            say_share(t, way_share(v, ways[i]), "");
        else
            say(t, "%s%" PRIu64 " calls", words_about(s->exactness[ways[i]]), s->calls[ways[i]]);
    }
}

static const char *subject(const struct report *r)
{
    return r->mode && !strcmp(r->mode, "system") ? "these programs do" : "the program does";
}

/* Adds what this CPU has for the family, unless nearly all of it was hardware. */
static void say_cpu(struct text *t, const struct verdict *v, const struct report *r)
{
    const char *set = cpu_set(v->family);
    const bool some = v->hardware > 0;
    if (v->how == HOW_HARDWARE && v->software <= worth_a_reason)
        return;
    if (v->cpu_has && *set && some)
        say(t, "  -- this CPU has %s; the software part does not use it", set);
    else if (v->cpu_has && *set)
        say(t, "  -- this CPU has %s; %s not use it", set, subject(r));
    else if (*set)
        say(t, "  -- this CPU has no %s", set);
    else if (*cpu_name && !cpu_could(v->family))
        say(t, "  -- %s has no instructions for it", cpu_name);
}

/* Adds the share of AES together with GHASH: both make what people know as AES-GCM, whether in one
 * function or in two. */
static void say_gcm(struct text *t, const struct verdict *v, const struct sums *ghash,
                    const struct report *r)
{
    const uint64_t samples = ghash->samples[v->how];
    if (v->family != FAMILY_AES || v->share <= 0 || !samples)
        return;
    say(t, ", ");
    say_share(t, way_share(v, v->how) + verdict_share_of(samples, r), " with GHASH");
}

/* Whether way `how` has more samples than way `than` or, with equal numbers of samples, more
 * calls that were counted exactly. */
static bool is_more(enum how how, enum how than, const struct sums *s)
{
    if (s->samples[how] != s->samples[than])
        return s->samples[how] > s->samples[than];
    return s->exact[how] > s->exact[than];
}

static void fill(struct verdict *v, enum family family, const struct sums *all,
                 const struct report *r)
{
    const struct sums *s = &all[family];
    *v = (struct verdict){ .family = family, .how = ways[0] };
    uint64_t samples = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (is_more(ways[i], v->how, s))
            v->how = ways[i];
        samples += s->samples[ways[i]];
        v->calls += s->calls[ways[i]];
        v->exact += s->exact[ways[i]];
    }
    if (!samples && !v->exact)
        v->how = HOW_NONE;
    v->hardware = verdict_share_of(s->samples[HOW_HARDWARE], r);
    v->software = verdict_share_of(s->samples[HOW_SOFTWARE], r);
    v->vector = verdict_share_of(s->samples[HOW_VECTOR], r);
    v->share = verdict_share_of(samples, r);
    v->variant = s->variant[v->how];
    v->cpu_has = r->cpu_families >> family & 1;
    v->few = r->samples < FEW;
    struct text t = { v->text, sizeof v->text };
    say(&t, "%s: ", family_info(family)->name);
    if (v->how == HOW_NONE) {
        say_bounds(&t, s);
        return;
    }
    say_ways(&t, v, s);
    say_gcm(&t, v, &all[FAMILY_GHASH], r);
    say_cpu(&t, v, r);
    if (v->few && samples)
        say(&t, "  (only %" PRIu64 " sample%s: too few to rely on the share)", r->samples,
            r->samples == 1 ? "" : "s");
}

static int by_share(const void *left, const void *right)
{
    const struct verdict *x = left, *y = right;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return (x->calls < y->calls) - (x->calls > y->calls);
}

size_t report_verdicts(struct verdict *out, size_t max, const struct report *r)
{
    struct sums *sums = calloc(NUM_FAMILIES, sizeof *sums);
    struct verdict all[NUM_FAMILIES];
    size_t num = 0;
    if (!sums)
        return 0;
    for (size_t i = 0; i < r->num_rows; i++)
        if (verdict_share_is_crypto(&r->rows[i]))
            add(&sums[r->rows[i].finding.family], &r->rows[i]);
    for (unsigned f = 0; f < NUM_FAMILIES; f++) {
        fill(&all[num], (enum family)f, sums, r);
        num += all[num].share > 0 || all[num].calls || unnamed_verdict(&all[num], f, r);
    }
    free(sums);
    qsort(all, num, sizeof *all, by_share);
    if (num > max)
        num = max;
    memcpy(out, all, num * sizeof *all);
    return num;
}

/* ---- and where there is none ---- */

static uint64_t samples_of(const struct report *r, enum kind kind)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->num_rows; i++)
        if (family_info(r->rows[i].finding.family)->kind == kind)
            sum += r->rows[i].samples;
    return sum;
}

/* report_no_verdict mentions arithmetic: RSA, Diffie-Hellman and curves use long numbers, for which
 * no hardware can be missing, but a program that does only this is not one without crypto. */
void report_no_verdict(char *out, size_t max, const struct report *r)
{
    struct text t = { out, max };
    const uint64_t arithmetic = samples_of(r, KIND_ARITHMETIC);
    const uint64_t unclassified = samples_of(r, KIND_UNCLASSIFIED);
    say(&t, "no %s observed in %" PRIu64 " sample%s",
        arithmetic ? "cipher, digest or MAC" : "crypto", r->samples, r->samples == 1 ? "" : "s");
    if (arithmetic) {
        say(&t, "; ");
        say_share(&t, verdict_share_of(arithmetic, r),
                  " of CPU in arithmetic of long numbers, as of RSA and elliptic curves");
    }
    if (unclassified)
        say(&t, "; %" PRIu64 " in code with the structure of crypto that nothing names",
            unclassified);
    if (r->uncovered_samples)
        say(&t, "; %" PRIu64 " in code that could not be read", r->uncovered_samples);
    if (r->lost)
        say(&t, "; %" PRIu64 " lost", r->lost);
    if (r->samples < FEW)
        say(&t, "  (too few to say that there is none)");
}
