/* SPDX-License-Identifier: Apache-2.0 */
/* The crossover table (accel/crossover.h): a table that was written is read back, and wrong files
 * are refused. */
#include "crossover.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

#define TITLE "# headrace accel crossover 1\n"

static struct crossover table;

static void reads(size_t line, const char *text)
{
    const size_t got = crossover_parse(&table, text, strlen(text));
    if (got != line)
        complain("line %zu instead of %zu of: %s", got, line, text);
    if (got && table.num)
        complain("rules are left of: %s", text);
    if (table.measured != !got)
        complain("measured or not: %s", text);
}

static void wins(int want, uint16_t alg, uint8_t op, size_t len, size_t depth)
{
    if (crossover_wins(&table, alg, op, len, depth) != want)
        complain("alg %#x op %u, %zu bytes, depth %zu: not %d", alg, op, len, depth, want);
}

static void check_text(void)
{
    reads(0, TITLE);
    wins(0, HR_SHA256, 0, 64, 64);
    reads(0,
          TITLE "\n  # nothing\nSHA-256 hash 16 64 4096 # as measured\nSHA-256 hash 1 4096 8192\n"
                "AES-128-CBC\tdecrypt 255 0 4294967295\ncopy copy 2 1 1");
    wins(1, HR_SHA256, 0, 64, 16);
    wins(1, HR_SHA256, 0, 4096, 1);
    wins(1, HR_SHA256, 0, 8192, 200);
    wins(0, HR_SHA256, 0, 63, 16);
    wins(0, HR_SHA256, 0, 4095, 15);
    wins(0, HR_SHA256, 0, 8193, 64);
    wins(0, HR_SHA256, 1, 64, 16);
    wins(0, HR_SHA512, 0, 64, 16);
    wins(1, HR_AES_128_CBC, 1, 0, 255);
    wins(1, HR_AES_128_CBC, 1, UINT32_MAX, 1000);
    wins(0, HR_AES_128_CBC, 1, 16, 254);
    wins(1, HR_ALG_NONE, 0, 1, 2);
    wins(0, UINT16_MAX, 0, 1, 2);
    wins(0, HR_SHA256, 255, 64, 64);
    tap(1, "a table is read, and tells where the accelerator wins");
}

static void lends(int want, size_t len, size_t load, uint64_t now)
{
    if (crossover_lends(&table, HR_RSA2048, HR_JOB_SIGN, len, load, now) != want)
        complain("%zu bytes, load %zu, clock %llu: not %d", len, load, (unsigned long long)now,
                 want);
}

static void check_lent(void)
{
    static const uint64_t asks = 0, between = UINT64_C(1) << 26, round = UINT64_C(1) << 30;
    reads(0, TITLE "RSA-4096 sign 2 0 4096\n");
    lends(1, 32, 1, between); /* no rule */
    reads(0, TITLE "RSA-2048 sign 3 16 64\n");
    lends(0, 32, 2, between);
    lends(1, 32, 3, between);
    lends(1, 32, 1, asks);
    lends(1, 32, 1, round);
    lends(0, 32, 1, round - 1);
    lends(0, 65, 8, asks);
    lends(0, 15, 8, between);
    reads(0, TITLE "RSA-2048 sign 255 0 4096\n");
    lends(0, 32, 1, asks);
    lends(0, 32, 1000, between);
    tap(1, "rules for lent keys decide by the load, and all clients ask at the same time");
}

static void check_all_rows(void)
{
    char text[200], name[64];
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        snprintf(name, sizeof name, "%s", row->name);
        for (char *space = name; (space = strchr(space, ' ')); *space = '-')
            ;
        snprintf(text, sizeof text, TITLE "%s hash 7 3 5\n", name);
        reads(0, text);
        wins(1, (uint16_t)row->alg, 0, 4, 7);
        wins(0, (uint16_t)row->alg, 0, 4, 6);
    }
    tap(1, "every row can stand in it");
}

static void check_refused(void)
{
    static const char *const lines[] = {
        "SHA-256",
        "SHA-256 hash",
        "SHA-256 hash 1",
        "SHA-256 hash 1 2",
        "SHA-256 hash 1 2 3 4",
        "SHA-256 hash 0 2 3",
        "SHA-256 hash 256 2 3",
        "SHA-256 hash 1 4 3",
        "SHA-256 hash 1 -4 3",
        "SHA-256 hash 1 2 4294967296",
        "SHA-256 hash 1 2 99999999999999999999999",
        "SHA-256 hash 1 2 0x30",
        "SHA-256 run 1 2 3",
        "SHA-25 hash 1 2 3",
        "SHA-2566 hash 1 2 3",
        "sha-256 hash 1 2 3",
        "SHA-1 hash 1 2 3\nMD5 hash 1 2 3\nSHA-1 hash 1 2 3",
    };
    char text[256];
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        snprintf(text, sizeof text, TITLE "SHA-384 hash 1 2 3\n%s\n", lines[i]);
        reads(i + 1 < COUNT_OF(lines) ? 3 : 5, text);
    }
    reads(1, "");
    reads(1, "# headrace accel crossover 2\n");
    reads(1, "SHA-256 hash 1 2 3\n");
    tap(1, "what is wrong is told by its line, and leaves no rules");
}

static void check_taken(void)
{
    static struct crossover_rule rules[CROSSOVER_MAX + 1];
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        rules[i] = (struct crossover_rule){ HR_SHA1, 0, 1, 5, 5 };
    if (crossover_take(&table, rules, CROSSOVER_MAX) || table.num != CROSSOVER_MAX)
        complain("a full table is refused");
    if (crossover_take(&table, rules, COUNT_OF(rules)) != HR_EINVAL || table.num)
        complain("more than a table holds is taken");
    for (int i = 0; i < 20000; i++) {
        random_bytes(rules, 16 * sizeof *rules);
        if (!crossover_take(&table, rules, random_below(17)))
            (void)crossover_wins(&table, rules[0].alg, rules[0].op, rules[0].min, 1);
        else if (table.num)
            complain("rules are left of what was refused");
    }
    tap(1, "rules from elsewhere are judged");
}

int main(void)
{
    check_text();
    check_lent();
    check_all_rows();
    check_refused();
    check_taken();
    return tap_done();
}
