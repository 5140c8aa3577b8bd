/* SPDX-License-Identifier: Apache-2.0 */
/* `headrace speed` for people: one block a direction, one line a size, at most 80 columns. */
#include "speed.h"

/* Tenths where there is room for them. */
static void print_ns(double ns, int width)
{
    double limit = 1;
    for (int i = 3; i < width; i++)
        limit *= 10;
    printf(" %*.*f", width - 1, ns < limit, ns);
}

static void print_times(double times)
{
    printf(times < 1000 ? "%6.1f" : "%6.0f", times);
}

static void print_ratio(double ratio)
{
    const char *colour = ratio >= 1.1 ? "32" : ratio < 0.98 ? "31" : NULL;
    tool_print(stdout, colour, "%6.2f", ratio);
}

static void print_way(const struct speed_result *r, enum way way)
{
    const double ticks = r->ticks[way] / (double)r->cell.size;
    print_ns(r->ns[way], 7);
    printf("%6.0f", speed_mb_s(&r->cell, r->ns[way]));
    if (ticks > 0)
        printf("%6.*f", ticks < 100 ? 2 : 1, ticks);
    else
        printf("%6s", "-");
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
    printf("     %19s%19s%19s%6s%12s\n", "- Headrace direct", "---- Headrace EVP",
           "----- OpenSSL EVP", "1shot", "ratio");
    printf("%5s", "bytes");
    for (int i = 0; i < 3; i++)
        printf("%7s%6s%6s", "ns", "MB/s", "tsc/B");
    printf("%6s%6s%6s\n", "ns", "dir.", "EVP");
    for (size_t s = 0; s < NUM_SIZES; s++, r++) {
        printf("%5zu", r->cell.size);
        print_way(r, WAY_DIRECT);
        print_way(r, WAY_OURS);
        print_way(r, WAY_OPENSSL);
        print_ns(r->ns[WAY_NAIVE], 6);
        print_ratio(r->ratio[WAY_DIRECT]);
        print_ratio(r->ratio[WAY_OURS]);
        putchar('\n');
    }
}

static void print_masked_block(const struct speed_result *with, const struct speed_result *without)
{
    static const enum way ways[] = { WAY_DIRECT, WAY_OURS, WAY_OPENSSL };
    heading(with);
    printf("     %21s%21s%21s%12s\n", "--- Headrace direct", "------ Headrace EVP",
           "------- OpenSSL EVP", "EVP ratio");
    printf("%5s", "bytes");
    for (size_t i = 0; i < COUNT(ways); i++)
        printf("%7s%8s%6s", "with", "without", "times");
    printf("%6s%6s\n", "with", "out");
    for (size_t s = 0; s < NUM_SIZES; s++, with++, without++) {
        printf("%5zu", with->cell.size);
        for (size_t i = 0; i < COUNT(ways); i++) {
            print_ns(with->ns[ways[i]], 7);
            print_ns(without->ns[ways[i]], 8);
            print_times(without->ns[ways[i]] / with->ns[ways[i]]);
        }
        print_ratio(with->ratio[WAY_OURS]);
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
