/* SPDX-License-Identifier: Apache-2.0 */
/* Prints `headrace speed` of public key: a block for each algorithm, a line for each operation; or
 * a block for each operation, a line for each number of them at once. */
#include "speed.h"

/* The time of one operation. */
static double one_ns(const struct speed_result *r, enum way way)
{
    return r->ns[way] / (double)r->cell.size;
}

static void print_rate(const struct speed_result *r, enum way way)
{
    const double ns = one_ns(r, way);
    if (ns > 0)
        tool_say(" %8.*f %8.0f", ns < 1e8 ? 2 : 0, ns / 1e3, 1e9 / ns);
    else
        tool_say(" %8s %8s", "-", "-");
}

static void print_ratio(const struct speed_result *r, enum way way, bool busy)
{
    if (r->ratio[way] > 0)
        tool_print(stdout, speed_colour(r, way, busy), " %6.2f", r->ratio[way]);
    else
        tool_say(" %6s", "-");
}

/* Lanes beside crypto_mb leave out the rates of those that take one by one. */
static bool has_peer(const struct speed_result *r)
{
    return r->cell.lanes && r->num_ways > WAY_PEER;
}

static void print_time(const struct speed_result *r, enum way way)
{
    tool_say(" %8.2f", one_ns(r, way) / 1e3);
}

static void print_peer_line(const struct speed_result *r, bool busy)
{
    print_rate(r, WAY_DIRECT);
    print_time(r, WAY_OURS);
    print_time(r, WAY_OPENSSL);
    print_time(r, WAY_PEER);
    print_ratio(r, WAY_DIRECT, busy);
    print_ratio(r, WAY_OURS, busy);
    print_ratio(r, WAY_PEER, busy);
}

static void print_line(const struct speed_result *r, bool busy)
{
    for (enum way way = WAY_DIRECT; way <= WAY_OPENSSL; way++)
        print_rate(r, way);
    print_ratio(r, WAY_DIRECT, busy);
    print_ratio(r, WAY_OURS, busy);
}

static void print_masked_line(const struct speed_result *with, const struct speed_result *without,
                              bool busy)
{
    for (enum way way = WAY_DIRECT; way <= WAY_OPENSSL; way++)
        if (with->ns[way] > 0)
            tool_say(" %8.*f %8.*f", one_ns(with, way) < 1e8 ? 2 : 0, one_ns(with, way) / 1e3,
                     one_ns(without, way) < 1e8 ? 2 : 0, one_ns(without, way) / 1e3);
        else
            tool_say(" %8s %8s", "-", "-");
    print_ratio(with, WAY_OURS, busy);
    print_ratio(without, WAY_OURS, busy);
}

static void print_heading(const struct speed_result *r, bool both)
{
    const struct cell *const cell = &r->cell;
    putchar('\n');
    if (cell->lanes)
        tool_print(stdout, "1", "%s %s, by how many at once\n", cell->row->name,
                   ways_cell_direction(cell));
    else
        tool_print(stdout, "1", "%s\n", cell->row->name);
    if (both)
        tool_say("%11s %17s %17s %17s %13s\n%11s %8s %8s %8s %8s %8s %8s %6s %6s\n", "us",
                 "-- Headrace direct", "---- Headrace EVP", "----- OpenSSL EVP", "EVP ratio", "",
                 "with", "without", "with", "without", "with", "without", "with", "out");
    else if (has_peer(r))
        tool_say("%11s %17s %8s %8s %8s %20s\n%11s %8s %8s %8s %8s %8s %6s %6s %6s\n", "",
                 "-- Headrace direct", "HR EVP", "OpenSSL", "crypto_", "ratio", "", "us", "1/s",
                 "us", "us", "mb us", "dir.", "EVP", "mb");
    else
        tool_say("%11s %17s %17s %17s %13s\n%11s %8s %8s %8s %8s %8s %8s %6s %6s\n", "",
                 "-- Headrace direct", "---- Headrace EVP", "----- OpenSSL EVP", "ratio", "", "us",
                 "1/s", "us", "1/s", "us", "1/s", "dir.", "EVP");
}

void speed_print_pk(const struct speed_report *report, bool busy)
{
    const bool both = report->masked.num > 0;
    for (size_t i = 0; i < report->plain.num; i++) {
        const struct speed_result *r = &report->plain.at[i];
        if (!i || r->cell.row != r[-1].cell.row || (r->cell.lanes && r->cell.op != r[-1].cell.op))
            print_heading(r, both);
        if (r->cell.lanes)
            tool_say("%-11zu", r->cell.size);
        else
            tool_say("%-11s", ways_cell_direction(&r->cell));
        if (both)
            print_masked_line(r, &report->masked.at[i], busy);
        else if (has_peer(r))
            print_peer_line(r, busy);
        else
            print_line(r, busy);
        putchar('\n');
    }
}
