/* SPDX-License-Identifier: Apache-2.0 */
/* Prints `headrace speed --pkcs11`, at most 80 columns, and as JSON. */
#include "report.h"
#include "../../cli/emulated.h"
#include "../../cli/quote_json.h"

static void print_ns(double ns)
{
    if (ns > 0)
        tool_say(" %9.*f", ns < 9999, ns);
    else
        tool_say(" %9s", "-");
}

static void print_ratio(double ratio, const char *colour)
{
    if (ratio > 0)
        tool_print(stdout, colour, " %7.2f", ratio);
    else
        tool_say(" %7s", "-");
}

/* ---- messages ---- */

static bool has_other(const struct p11_report *report)
{
    return report->tokens[OTHER_TOKEN].p11;
}

static void print_heading(const struct speed_result *r, const struct p11_report *report)
{
    const char *kernel = speed_kernel(&r->cell);
    putchar('\n');
    tool_print(stdout, "1", "%s %s", r->cell.row->name, ways_cell_direction(&r->cell));
    tool_say(*kernel ? " (kernel %s)\n" : "\n", kernel);
    tool_say("%5s %9s %9s %9s %9s %9s %7s", ways_cell_unit(&r->cell)->heading, "direct", "HR EVP",
             "OpenSSL", "PKCS#11", "over", "ratio");
    tool_say(has_other(report) ? " %9s %7s\n" : "\n", "other", "ratio");
    tool_say("%5s %9s %9s %9s %9s %9s %7s", "", "ns", "ns", "EVP, ns", "ns", "direct", "OpenSSL");
    tool_say(has_other(report) ? " %9.9s %7s\n" : "\n", report->tokens[OTHER_TOKEN].name, "other");
}

static void print_line(const struct speed_result *r, bool other, bool busy)
{
    static const enum way columns[] = { WAY_DIRECT, WAY_OURS, WAY_OPENSSL, WAY_PKCS11 };
    const double ours = r->ns[WAY_PKCS11], theirs = r->ns[WAY_MODULE];
    tool_say("%5zu", r->cell.size);
    for (size_t i = 0; i < COUNT(columns); i++)
        print_ns(r->ns[columns[i]]);
    if (ours > 0)
        tool_say(" %+9.1f", ours - r->ns[WAY_DIRECT]);
    else
        tool_say(" %9s", "-");
    print_ratio(r->ratio[WAY_PKCS11], speed_colour(r, WAY_PKCS11, busy));
    if (other) {
        print_ns(theirs);
        print_ratio(ours > 0 && theirs > 0 ? theirs / ours : 0, NULL);
    }
    putchar('\n');
}

/* ---- keys of the service ---- */

static void print_service(const struct p11_report *report)
{
    if (!report->tokens[SERVICE_TOKEN].p11)
        return;
    putchar('\n');
    tool_print(stdout, "1", "Keys of the accelerator's service, through PKCS#11\n");
    tool_say("%-24s %7s %9s %11s %7s\n%-24s %7s %9s %11s %7s\n", "", "", "PKCS#11", "service",
             "times", "", "size", "ns", "ns", "PKCS#11");
    for (size_t i = 0; i < report->speed.plain.num; i++) {
        const struct speed_result *r = &report->speed.plain.at[i];
        const double ours = r->ns[WAY_PKCS11], its = r->ns[WAY_SERVICE];
        tool_say("%-24s %7zu", r->cell.row->name, r->cell.size);
        print_ns(ours);
        tool_say("  ");
        print_ns(its);
        print_ratio(ours > 0 && its > 0 ? its / ours : 0, NULL);
        putchar('\n');
    }
}

/* ---- the rest ---- */

/* The columns of tokens that were measured, with a heading each. */
static void print_headings(const struct p11_report *report)
{
    static const char *const headings[NUM_TOKENS] = { "PKCS#11", "other", "service" };
    for (unsigned t = 0; t < NUM_TOKENS; t++)
        if (report->tokens[t].p11)
            tool_say(" %9s", headings[t]);
}

static void print_scales(const struct p11_report *report)
{
    putchar('\n');
    tool_print(stdout, "1", "Two threads, a session each, one key: times as fast as one thread\n");
    tool_say("%-36s %9s", "", "direct");
    print_headings(report);
    putchar('\n');
    for (size_t i = 0; i < report->num_scales; i++) {
        const struct p11_scale *scale = &report->scales[i];
        tool_say("%-36s %9.2f", scale->cell.row->name, scale->direct);
        for (unsigned t = 0; t < NUM_TOKENS; t++)
            if (scale->tokens[t] > 0)
                tool_say(" %9.2f", scale->tokens[t]);
            else if (report->tokens[t].p11)
                tool_say(" %9s", "-");
        putchar('\n');
    }
}

static void print_others(const struct p11_report *report)
{
    putchar('\n');
    tool_print(stdout, "1", "Other calls\n");
    tool_say("%-36s %9s", "", "ns");
    tool_say(has_other(report) ? " %9s %7s\n" : "\n", "other", "ratio");
    for (size_t i = 0; i < NUM_OTHERS; i++) {
        tool_say("%-36s", p11_others[i].name);
        for (unsigned t = 0; t <= OTHER_TOKEN; t++)
            if (report->tokens[t].p11)
                print_ns(report->others[i][t]);
        if (has_other(report))
            print_ratio(report->others_ratio[i], NULL);
        putchar('\n');
    }
}

static void print_openssl(const struct p11_report *report)
{
    if (!report->openssl.num)
        return;
    putchar('\n');
    tool_print(stdout, "1", "\"openssl speed\", one after the other, in operations a second\n");
    tool_say("%-36s %9s %9s %7s\n", "", "default", "PKCS#11", "ratio");
    for (size_t i = 0; i < report->openssl.num; i++) {
        const struct openssl_speed_line *line = &report->openssl.lines[i];
        tool_say("%-28s %-7s", line->row->name, line->operation);
        print_ns(line->plain);
        print_ns(line->pkcs11);
        print_ratio(line->plain > 0 ? line->pkcs11 / line->plain : 0, NULL);
        putchar('\n');
    }
}

void p11_print(const struct p11_report *report)
{
    const struct speed_report *speed = &report->speed;
    char reason[SPEED_BUSY_MAX];
    const bool busy = speed_busy(reason, sizeof reason, speed);
    if (emulated_by())
        tool_say(EMULATED_TIMES "\n", emulated_by());
    tool_say("PKCS#11: %s\n", report->tokens[OUR_TOKEN].path);
    if (has_other(report))
        tool_say("other: %s (%s)\n", report->tokens[OTHER_TOKEN].path,
                 report->tokens[OTHER_TOKEN].name);
    tool_say("%s (%s)\nmedians of %u turns; ratio: another's time divided by that of PKCS#11\n",
             speed->openssl_version, speed->libcrypto, speed->plan.slices);
    if (busy)
        tool_wrap(stdout, reason, 0);
    for (size_t i = 0; i < speed->plain.num; i++) {
        const struct speed_result *r = &speed->plain.at[i];
        if (!i || r->cell.row != r[-1].cell.row)
            print_heading(r, report);
        print_line(r, has_other(report), busy);
    }
    print_service(report);
    print_scales(report);
    print_others(report);
    print_openssl(report);
}

/* ---- JSON ---- */

static void set_positive(json_t *object, const char *name, double value)
{
    if (value > 0)
        json_object_set_new(object, name, json_real(value));
}

static const char *name_of(unsigned token)
{
    return ways_name(NULL, WAY_PKCS11 + token);
}

json_t *p11_json(const struct p11_report *report)
{
    json_t *root = speed_json(&report->speed), *pkcs11 = json_object();
    json_t *scales = json_array(), *calls = json_array(), *programs = json_array();
    for (unsigned t = 0; t < NUM_TOKENS; t++)
        if (report->tokens[t].p11)
            json_object_set_new(pkcs11, name_of(t),
                                json_pack("{s:o, s:o}", "module",
                                          quote_json(report->tokens[t].path), "manufacturer",
                                          quote_json(report->tokens[t].name)));
    for (size_t i = 0; i < report->num_scales; i++) {
        const struct p11_scale *scale = &report->scales[i];
        json_t *one = json_pack("{s:s, s:i}", "algorithm", scale->cell.row->name, "size",
                                (int)scale->cell.size);
        set_positive(one, ways_name(NULL, WAY_DIRECT), scale->direct);
        for (unsigned t = 0; t < NUM_TOKENS; t++)
            set_positive(one, name_of(t), scale->tokens[t]);
        json_array_append_new(scales, one);
    }
    for (size_t i = 0; i < NUM_OTHERS; i++) {
        json_t *one =
            json_pack("{s:s, s:s}", "call", p11_others[i].json, "name", p11_others[i].name);
        for (unsigned t = 0; t <= OTHER_TOKEN; t++)
            set_positive(one, name_of(t), report->others[i][t]);
        json_array_append_new(calls, one);
    }
    for (size_t i = 0; i < report->openssl.num; i++) {
        const struct openssl_speed_line *line = &report->openssl.lines[i];
        json_t *one =
            json_pack("{s:s, s:s}", "algorithm", line->row->name, "operation", line->operation);
        set_positive(one, ways_name(NULL, WAY_OPENSSL), line->plain);
        set_positive(one, ways_name(NULL, WAY_PKCS11), line->pkcs11);
        json_array_append_new(programs, one);
    }
    json_object_set_new(pkcs11, "openssl_speed", programs);
    json_object_set_new(pkcs11, "two_threads", scales);
    json_object_set_new(pkcs11, "calls_ns", calls);
    json_object_set_new(root, "pkcs11", pkcs11);
    return root;
}
