/* SPDX-License-Identifier: Apache-2.0 */
/* `headrace speed` for people: one block a direction, one line a size, at most 100 columns. */
#include "speed.h"

static void print_ns(double ns)
{
    printf(ns < 1e5 ? "%9.1f" : "%9.0f", ns);
}

static void print_times(double times)
{
    printf(times < 1000 ? "%6.1f" : "%6.0f", times);
}

static void print_ratio(double ratio)
{
    const char *colour = ratio >= 1.1 ? "32" : ratio < 0.98 ? "31" : NULL;
    tool_print(stdout, colour, "%7.2f", ratio);
}

static void print_way(const struct speed_result *r, enum way way)
{
    print_ns(r->ns[way]);
    printf("%7.0f", speed_mb_s(&r->cell, r->ns[way]));
    if (r->ticks[way] > 0)
        printf("%7.2f", r->ticks[way] / (double)r->cell.size);
    else
        printf("%7s", "-");
}

static void heading(const struct speed_result *r)
{
    putchar('\n');
    tool_print(stdout, "1", "%s %s", r->cell.row->name, cell_direction(&r->cell));
    printf(" (kernel %s)\n", speed_kernel(&r->cell));
}

static void print_block(const struct speed_result *r)
{
    heading(r);
    printf("      %23s%23s%23s%9s%14s\n", "--- Headrace direct", "------ Headrace EVP",
           "------- OpenSSL EVP", "one-shot", "ratio");
    printf("%6s", "bytes");
    for (int i = 0; i < 3; i++)
        printf("%9s%7s%7s", "ns", "MB/s", "tsc/B");
    printf("%9s%7s%7s\n", "ns", "direct", "EVP");
    for (size_t s = 0; s < NUM_SIZES; s++, r++) {
        printf("%6zu", r->cell.size);
        print_way(r, WAY_DIRECT);
        print_way(r, WAY_OURS);
        print_way(r, WAY_OPENSSL);
        print_ns(r->ns[WAY_NAIVE]);
        print_ratio(r->ratio[WAY_DIRECT]);
        print_ratio(r->ratio[WAY_OURS]);
        putchar('\n');
    }
}

static void print_masked_block(const struct speed_result *with, const struct speed_result *without)
{
    static const enum way ways[] = { WAY_DIRECT, WAY_OURS, WAY_OPENSSL };
    heading(with);
    printf("      %25s%25s%25s%15s\n", "----- Headrace direct", "-------- Headrace EVP",
           "--------- OpenSSL EVP", "EVP ratio");
    printf("%6s", "bytes");
    for (size_t i = 0; i < COUNT(ways); i++)
        printf("%9s%10s%6s", "with", "without", "times");
    printf("%7s%8s\n", "with", "without");
    for (size_t s = 0; s < NUM_SIZES; s++, with++, without++) {
        printf("%6zu", with->cell.size);
        for (size_t i = 0; i < COUNT(ways); i++) {
            print_ns(with->ns[ways[i]]);
            putchar(' ');
            print_ns(without->ns[ways[i]]);
            print_times(without->ns[ways[i]] / with->ns[ways[i]]);
        }
        print_ratio(with->ratio[WAY_OURS]);
        putchar(' ');
        print_ratio(without->ratio[WAY_OURS]);
        putchar('\n');
    }
}

void speed_print(const struct speed_report *report)
{
    const bool both = report->masked.num > 0;
    printf("%s (%s)\nmedians of %u turns; ratio: the time of OpenSSL's EVP over ours\n",
           report->openssl_version, report->libcrypto, report->plan.slices);
    if (both)
        puts("with and without the CPU's crypto instructions, both sides masked: ns a message");
    for (size_t i = 0; i < report->plain.num; i += NUM_SIZES) {
        if (both)
            print_masked_block(&report->plain.at[i], &report->masked.at[i]);
        else
            print_block(&report->plain.at[i]);
    }
}
