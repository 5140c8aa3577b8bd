/* SPDX-License-Identifier: Apache-2.0 */
/* When `headrace speed` says that the machine was busy, from made-up measurements. */
#include "speed.h"
#include <string.h>

static int number, failures;

static void tap(bool good, const char *name)
{
    failures += !good;
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
}

enum { CELLS = 10 };

/* A measurement of CELLS cells with two ratios each, of which `unclear` vary by more than 1.25. */
static bool busy(char *out, double cpu_share, unsigned unclear)
{
    struct speed_result cells[CELLS] = { 0 };
    for (unsigned i = 0; i < 2 * CELLS; i++) {
        struct speed_result *r = &cells[i / 2];
        const enum way way = i % 2 ? WAY_OURS : WAY_DIRECT;
        r->ratio[way] = 1.5;
        r->ratio_quartiles[way][0] = 1.4;
        r->ratio_quartiles[way][1] = i < unclear ? 1.8 : 1.6;
    }
    const struct speed_report report = { .cpu_share = cpu_share, .plain = { CELLS, cells } };
    return speed_busy(out, SPEED_BUSY_MAX, &report);
}

static void test_share(void)
{
    const struct speed_times begin = { 1, 10 }, long_one = { 4, 14 }, short_one = { 1, 10.5 };
    const struct speed_times threads = { 9, 14 };
    tap(speed_cpu_share(&begin, &long_one) == 0.75, "CPU time divided by time");
    tap(speed_cpu_share(&begin, &threads) == 1, "at most 1");
    tap(speed_cpu_share(&begin, &short_one) == 0, "a short measurement tells nothing");
}

static void test_colour(void)
{
    struct speed_result r = { 0 };
    r.ratio[WAY_OURS] = 0.27;
    r.ratio_quartiles[WAY_OURS][0] = 0.25;
    r.ratio_quartiles[WAY_OURS][1] = 0.3;
    const char *colour = speed_colour(&r, WAY_OURS, false);
    tap(colour && !strcmp(colour, "31"), "a loss is red");
    tap(!speed_colour(&r, WAY_OURS, true), "but not if the machine was busy");
    r.ratio_quartiles[WAY_OURS][1] = 0.9;
    tap(!speed_colour(&r, WAY_OURS, false), "nor if its turns differ");
}

int main(void)
{
    char text[SPEED_BUSY_MAX];
    tap(!busy(text, 0.85, 0), "a quiet machine");
    tap(!busy(text, 0, 4), "a few ratios that vary");
    tap(busy(text, 0, 5) && strstr(text, "5 of 20 ratios"), "many ratios that vary");
    tap(busy(text, 0.6, 0) && strstr(text, "40% of its time"), "CPU time well below time");
    tap(strlen(text) < SPEED_BUSY_MAX - 20 && strstr(text, "nothing else runs."),
        "the text is whole");
    test_share();
    test_colour();
    printf("1..%d\n", number);
    return failures > 0;
}
