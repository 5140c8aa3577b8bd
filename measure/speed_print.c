/* SPDX-License-Identifier: Apache-2.0 */
/* Prints `headrace speed` for people: one block for each direction, one line for each size, at
 * most 80 columns. */
#include "../cli/algorithm.h"
#include "../cli/emulated.h"
#include "crypto_mb.h"
#include "speed.h"
#include <string.h>

static bool busy; /* no ratio is coloured if the machine was */

/* Prints a time with tenths if there is room, in thousands if there is no room for all digits. */
static void print_time(const struct cell *cell, double ns, int width)
{
    const double time = ns / ways_cell_unit(cell)->time_ns;
    double limit = 1;
    for (int i = 3; i < width; i++)
        limit *= 10;
    if (time > 99 * limit)
        printf(" %*.0fk", width - 2, time / 1000);
    else if (ns > 0)
        printf(" %*.*f", width - 1, time < limit, time);
    else
        tool_say("%*s", width, "-");
}

static void print_times(double times)
{
    tool_say(times < 1000 ? "%6.1f" : "%6.0f", times);
}

static void print_ratio(const struct speed_result *r, enum way way)
{
    const double ratio = r->ratio[way];
    if (ratio > 0)
        tool_print(stdout, speed_colour(r, way, busy), ratio < 999 ? "%6.2f" : "%6.0f", ratio);
    else
        tool_say("%6s", "-");
}

static void print_way(const struct speed_result *r, enum way way)
{
    const double ticks = r->ticks[way] / (double)r->cell.size;
    print_time(&r->cell, r->ns[way], 7);
    if (r->ns[way] > 0)
        printf("%6.0f", speed_rate(&r->cell, r->ns[way]));
    else
        tool_say("%6s", "-");
    if (ticks > 0)
        printf("%6.*f", ticks < 100 ? 2 : ticks < 1000, ticks);
    else
        tool_say("%6s", "-");
}

static void heading(const struct speed_result *r)
{
    const char *kernel = speed_kernel(&r->cell);
    putchar('\n');
    tool_print(stdout, "1", "%s %s", r->cell.row->name, ways_cell_direction(&r->cell));
    tool_say(*kernel ? " (kernel %s)\n" : "\n", kernel);
}

static void print_block(const struct speed_result *r)
{
    const struct ways_cell_unit *unit = ways_cell_unit(&r->cell);
    heading(r);
    tool_say("     %19s%19s%19s%6s%12s\n", "- Headrace direct", "---- Headrace EVP",
             "----- OpenSSL EVP", "1shot", "ratio");
    tool_say("%5s", unit->heading);
    for (int i = 0; i < 3; i++)
        tool_say("%7s%6s%6s", unit->time, unit->rate, unit->ticks);
    tool_say("%6s%6s%6s\n", unit->time, "dir.", "EVP");
    for (size_t s = 0; s < NUM_SIZES; s++, r++) {
        printf("%5zu", r->cell.size);
        print_way(r, WAY_DIRECT);
        print_way(r, WAY_OURS);
        print_way(r, WAY_OPENSSL);
        print_time(&r->cell, r->ns[WAY_NAIVE], 6);
        print_ratio(r, WAY_DIRECT);
        print_ratio(r, WAY_OURS);
        putchar('\n');
    }
}

static void print_masked_way(const struct speed_result *with, const struct speed_result *without,
                             enum way way)
{
    print_time(&with->cell, with->ns[way], 7);
    print_time(&with->cell, without->ns[way], 8);
    if (with->ns[way] > 0)
        print_times(without->ns[way] / with->ns[way]);
    else
        tool_say("%6s", "-");
}

static void print_masked_block(const struct speed_result *with, const struct speed_result *without)
{
    static const enum way ways[] = { WAY_DIRECT, WAY_OURS, WAY_OPENSSL };
    const struct ways_cell_unit *unit = ways_cell_unit(&with->cell);
    heading(with);
    tool_say("%5s%21s%21s%21s%12s\n", unit->time, "--- Headrace direct", "------ Headrace EVP",
             "------- OpenSSL EVP", "EVP ratio");
    tool_say("%5s", unit->heading);
    for (size_t i = 0; i < COUNT(ways); i++)
        tool_say("%7s%8s%6s", "with", "without", "times");
    tool_say("%6s%6s\n", "with", "out");
    for (size_t s = 0; s < NUM_SIZES; s++, with++, without++) {
        printf("%5zu", with->cell.size);
        for (size_t i = 0; i < COUNT(ways); i++)
            print_masked_way(with, without, ways[i]);
        print_ratio(with, WAY_OURS);
        print_ratio(without, WAY_OURS);
        putchar('\n');
    }
}

static bool has_des(const struct speed_report *report)
{
    for (size_t i = 0; i < report->plain.num; i++)
        if (!strncmp(report->plain.at[i].cell.row->symbol, "des_", strlen("des_")))
            return true;
    return false;
}

static void print_peer(void)
{
    const char *reason, *const version = crypto_mb_version(&reason);
    if (version)
        tool_say("crypto_mb %s: eight at once, without blinding and checks of the results\n",
                 version);
    else
        tool_say("crypto_mb %s\n", reason);
}

void speed_print(const struct speed_report *report)
{
    const bool both = report->masked.num > 0;
    const bool pk = tool_is_public_key(report->plain.at[0].cell.row);
    char reason[SPEED_BUSY_MAX];
    busy = speed_busy(reason, sizeof reason, report);
    if (emulated_by())
        tool_say(EMULATED_TIMES "\n", emulated_by());
    tool_say("%s (%s)\n"
             "medians of %u turns; ratio: time of OpenSSL's EVP divided by Headrace's\n",
             report->openssl_version, report->libcrypto, report->plan.slices);
    if (report->plan.lanes)
        print_peer();
    if (busy)
        tool_wrap(stdout, reason, 0);
    if (has_des(report))
        puts("DES through EVP: chained modes and short messages use tables, so that their time\n"
             "depends on data; direct calls use none (headrace-provider(7))");
    if (both)
        tool_say(
            "%s\n",
            pk ? "with and without vector units, MULX and the like, on both sides: time of a call"
               : "with and without the CPU's crypto instructions, on both sides: time of a call");
    if (pk)
        speed_print_pk(report, busy);
    for (size_t i = 0; !pk && i < report->plain.num; i += NUM_SIZES) {
        if (both)
            print_masked_block(&report->plain.at[i], &report->masked.at[i]);
        else
            print_block(&report->plain.at[i]);
    }
    speed_print_bars(report, busy);
}
