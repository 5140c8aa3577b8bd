/* SPDX-License-Identifier: Apache-2.0 */
/* The win map's verdicts and the provider's parameter, from made-up ratios. */
#include "winmap.h"
#include <headrace/algorithms.h>
#include <string.h>

static int number, failures;

static void tap(bool good, const char *name)
{
    failures += !good;
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
}

static const struct {
    const char *name;
    double ratios[12];
    size_t num;
    bool wins, doubt;
} cases[] = {
    { "clear win", { 1.5, 2, 3, 4, 5, 6, 1.5, 2, 3, 4, 5, 6 }, 12, true, false },
    { "one loss among wins", { 1.5, 2, 3, 4, 5, 6, 1.5, 2, 3, 0.8, 5, 6 }, 12, false, false },
    { "nothing gained", { 1, 1, 1, 1, 1, 1 }, 6, false, false },
    { "gain of just 1.1 is none", { 1, 1, 1, 1.1, 1, 1 }, 6, false, true },
    { "gain above 1.1", { 1, 1, 1, 1.101, 1, 1 }, 6, true, true },
    { "loss within the floor", { 0.98, 2, 2, 2, 2, 2 }, 6, true, true },
    { "loss below the floor", { 0.979, 2, 2, 2, 2, 2 }, 6, false, true },
    { "loss in the last cell", { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0.5 }, 12, false, false },
    { "near the floor, but no gain", { 0.97, 1, 1, 1, 1, 1 }, 6, false, false },
    { "no cells", { 2 }, 0, false, false },
};

static void test_rule(void)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        tap(winrule_of(cases[i].ratios, cases[i].num) == cases[i].wins &&
                winrule_in_doubt(cases[i].ratios, cases[i].num) == cases[i].doubt,
            cases[i].name);
}

static void fill(struct win_row *row, hr_alg alg, double all, double last_decrypt)
{
    row->row = hr_algorithm(alg);
    for (size_t i = 0; i < NUM_SIZES; i++)
        row->ratio[HR_OP_ENCRYPT][i] = row->ratio[HR_OP_DECRYPT][i] = all;
    row->ratio[HR_OP_DECRYPT][NUM_SIZES - 1] = last_decrypt;
}

static void test_parameter(void)
{
    static struct win_map map;
    char text[64];
    map.num = 3;
    fill(&map.rows[0], HR_SHA256, 1.2, 0.1); /* a digest has no second direction */
    fill(&map.rows[1], HR_AES_128_CBC, 1.2, 0.9);
    fill(&map.rows[2], HR_AES_256_CTR, 1.2, 1.2);
    size_t len = winrule_parameter(&map, text, sizeof text);
    tap(!strcmp(text, "sha256 aes_256_ctr") && len == strlen(text), "winners by symbol, in order");
    tap(winrule_parameter(&map, text, 8) == len && !strcmp(text, "sha256 "),
        "a small buffer is ended, and the length told");
    map.num_pk = 2;
    map.pk[0] = (struct win_pk){ hr_algorithm(HR_X25519), 3, { "a", "b", "c" }, { 5, 0.9, 2 } };
    map.pk[1] = (struct win_pk){ hr_algorithm(HR_ED25519), 2, { "a", "b" }, { 1.5, 0.99, 0.1 } };
    winrule_parameter(&map, text, sizeof text);
    tap(!strcmp(text, "sha256 aes_256_ctr pkey ed25519"), "public key behind its word");
    map.num = 0;
    winrule_parameter(&map, text, sizeof text);
    tap(!strcmp(text, "pkey ed25519"), "public key alone");
    map.pk[1].ratio[0] = 1;
    winrule_parameter(&map, text, sizeof text);
    tap(!strcmp(text, "none"), "none where public key does not win either");
    map.num = 1;
    winrule_parameter(&map, text, sizeof text);
    tap(!strcmp(text, "sha256 pkey"), "measured public keys that lose are not left to the table");
    map.num = map.num_pk = 0;
    tap(winrule_parameter(&map, text, sizeof text) == 4 && !strcmp(text, "none"),
        "none where nothing wins");
}

int main(void)
{
    test_rule();
    test_parameter();
    printf("1..%d\n", number);
    return failures > 0;
}
