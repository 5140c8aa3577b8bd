/* SPDX-License-Identifier: Apache-2.0 */
/* report_require: which conditions hold for a report, which fail and with which sentence, and which
 * words are no conditions. */
#include "report/cpu_flags.h"
#include "report_build.h"

static void expect(const char *conditions, const struct report *r, int result, const char *why)
{
    char text[512] = "";
    const int got = report_require(conditions, r, text, sizeof text);
    if (got != result)
        complain("%d: %s", got, text);
    if (why)
        contains(text, why);
    tap(!complaints_so_far(), "%s: %s%s%s", conditions,
        result < 0    ? "no condition"
        : result == 0 ? "holds"
                      : "fails",
        why ? ", " : "", why ? why : "");
}

static void conditions(void)
{
    expect("hw:aes", NULL, 0, NULL);
    expect("no-sw:md5", NULL, 0, NULL);
    expect("hw:aes,hw:sha256,any-hw,no-sw:aes", NULL, 0, NULL);
    expect("hw:md5", NULL, -1, "no CPU of this architecture has instructions for MD5");
    expect("hw:rot13", NULL, -1, "no such algorithm");
    expect("hw:crc", NULL, -1, "is not crypto");
    expect("no-sw:bignum", NULL, -1, "is not crypto");
    expect("hw:", NULL, -1, "no such algorithm");
    expect("aes", NULL, -1, "such as hw:aes");
    expect("", NULL, -1, "such as hw:aes");
    expect("hw:aes,", NULL, -1, "such as hw:aes");
    expect("any-hw:aes", NULL, -1, "such as hw:aes");
    expect("hw:aesaesaesaesaesaesaesaesaesaesaesaesaesaesaes", NULL, -1, "such as hw:aes");
}

static void hardware(void)
{
    struct report r = new_report("command", 1000);
    expect("hw:aes", &r, 1, "was not observed in 1000 samples, so nothing is proven");
    expect("any-hw", &r, 1, "nothing is proven");
    expect("no-sw:aes", &r, 0, NULL);
    add_row(&r, FAMILY_AES, HOW_HARDWARE, 600);
    expect("hw:aes", &r, 0, NULL);
    expect("any-hw", &r, 0, NULL);
    expect("hw:aes,hw:sha1", &r, 1, "SHA-1 was not observed");
    add_row(&r, FAMILY_AES, HOW_SOFTWARE, 10);
    expect("hw:aes", &r, 0, NULL); /* 1 % is tolerated */
    r.rows[1].samples = 11;
    expect("hw:aes", &r, 1, "software 1.1%");
    expect("no-sw:aes", &r, 1, "no AES in software: AES: HARDWARE 60.0%");
    expect("any-hw,no-sw:sha1", &r, 0, NULL);
    r.rows[1].samples = 1;
    r.rows[0].samples = 0;
    expect("hw:aes", &r, 1, "SOFTWARE"); /* little software, but no hardware */
    report_free(&r);
}

static void little_seen(void)
{
    struct report r = new_report("command", 29);
    expect("no-sw:aes", &r, 1, "only 29 samples, so nothing is proven");
    r.samples = 30;
    expect("no-sw:aes", &r, 0, NULL);
    r.uncovered_samples = 1;
    expect("no-sw:aes", &r, 1, "could not be read, so nothing is proven");
    report_free(&r);
}

static void without_a_name(void)
{
    struct report r = new_report("command", 1000);
    add_row(&r, FAMILY_UNNAMED, HOW_UNCLASSIFIED, 10);
    expect("no-sw:aes", &r, 0, NULL);
    r.rows[0].samples = 11;
    expect("no-sw:aes", &r, 1,
           "no AES in software: 1.1% of CPU in unrecognised code that looks like crypto: lib");
    add_row(&r, FAMILY_AES, HOW_HARDWARE, 500);
    expect("hw:aes", &r, 0, NULL);
    r.rows[0].samples = 500; /* may be software AES, and as much as hardware */
    expect("hw:aes", &r, 1, "AES in hardware: 50.0% of CPU in unrecognised code");
    r.rows[0].finding.family = FAMILY_AESBASED;
    expect("hw:aes,no-sw:aes", &r, 0, NULL);
    expect("no-sw:camellia", &r, 1, "in a cipher on AES instructions, not AES");
    r.rows[1].samples = 0;
    expect("hw:aes", &r, 1, "AES was not observed");
    expect("any-hw", &r, 1, "no");
    report_free(&r);
}

static void counts(void)
{
    struct report r = new_report("command", 100);
    struct report_row *row = add_row(&r, FAMILY_AES, HOW_SOFTWARE, 0);
    row->calls = 5;
    row->exactness = COUNT_EXACT;
    expect("hw:aes", &r, 1, "5 calls counted");
    expect("no-sw:aes", &r, 1, "5 calls counted");
    expect("any-hw", &r, 1, "none observed");
    r.rows[0].finding.how = HOW_HARDWARE;
    expect("hw:aes", &r, 0, NULL);
    expect("any-hw", &r, 0, NULL);
    r.rows[0].exactness = COUNT_AT_LEAST; /* a bound decides nothing */
    expect("hw:aes", &r, 1, "neither sampled nor counted exactly, hardware at least 5 calls");
    expect("any-hw", &r, 1, "none observed");
    row = add_row(&r, FAMILY_AES, HOW_SOFTWARE, 0);
    row->calls = 14454486;
    row->exactness = COUNT_AT_LEAST;
    r.rows[0].exactness = COUNT_EXACT;
    expect("hw:aes,any-hw,no-sw:aes", &r, 0, NULL);
    report_free(&r);
}

int main(void)
{
    if (!cpu_could(FAMILY_AES) || cpu_could(FAMILY_MD5)) {
        tap_skip("no instructions of this architecture are known", "conditions");
        return tap_done();
    }
    conditions();
    hardware();
    little_seen();
    counts();
    without_a_name();
    return tap_done();
}
