/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks the operations of `headrace speed` by bars of block characters, for terminals. */
#define _GNU_SOURCE
#include "speed.h"
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 40, EIGHTHS = 8, MOST_BARS = 128 * MAX_DIRECTIONS };

static bool has_blocks(void)
{
    const locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    const bool utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
    if (locale)
        freelocale(locale);
    return utf8 && isatty(STDOUT_FILENO);
}

/* Writes a bar of `length` columns, in steps of an eighth; U+2588 is a full block, and U+2589 to
 * U+258F are smaller by an eighth each. */
static void write_bar(char *out, double length)
{
    const unsigned eighths = (unsigned)(length * EIGHTHS + 0.5);
    for (unsigned left = eighths ? eighths : 1; left;) {
        const unsigned part = left < EIGHTHS ? left : EIGHTHS;
        out += sprintf(out, "\xe2\x96%c", (char)(0x88 + EIGHTHS - part));
        left -= part;
    }
}

/* The way whose ratios are ranked: lanes are for direct calls. */
static enum way ranked_way(const struct speed_result *r)
{
    return r->cell.lanes ? WAY_DIRECT : WAY_OURS;
}

static double ratio_of(const struct speed_result *r)
{
    return r->ratio[ranked_way(r)];
}

static void print_bar(const struct speed_result *r, double most, bool busy)
{
    const double ratio = ratio_of(r);
    char bar[3 * BAR + 4], name[64];
    write_bar(bar, BAR * ratio / most);
    snprintf(name, sizeof name, "%s %s", r->cell.row->name, ways_cell_direction(&r->cell));
    tool_say("%-29.29s%7.2f ", name, ratio);
    tool_print(stdout, speed_colour(r, ranked_way(r), busy), "%s", bar);
    putchar('\n');
}

static int descending(const void *left, const void *right)
{
    const double x = ratio_of(*(const struct speed_result *const *)left);
    const double y = ratio_of(*(const struct speed_result *const *)right);
    return (x < y) - (x > y);
}

void speed_print_bars(const struct speed_report *report, bool busy)
{
    const struct speed_result *ranked[MOST_BARS];
    size_t num = 0;
    const struct speed_result *r = report->plain.at, *end = r + report->plain.num;
    for (size_t step; r < end && num < MOST_BARS; r += step) {
        step = ways_cell_num_sizes(&r->cell);
        if (ratio_of(&r[step - 1]) > 0)
            ranked[num++] = &r[step - 1];
    }
    if (!num || !has_blocks())
        return;
    qsort(ranked, num, sizeof *ranked, descending);
    const struct cell *const first = &ranked[0]->cell;
    tool_say("\nHeadrace %s, times OpenSSL EVP's speed%s:\n", first->lanes ? "direct" : "EVP",
             first->lanes                     ? " one by one, for most at once"
             : ways_cell_num_sizes(first) > 1 ? ", at the largest size"
                                              : "");
    for (size_t i = 0; i < num; i++)
        print_bar(ranked[i], ratio_of(ranked[0]), busy);
}
