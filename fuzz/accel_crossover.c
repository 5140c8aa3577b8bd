/* SPDX-License-Identifier: Apache-2.0 */
/* The crossover table, as the service reads it from a file and a client gets it from the service:
 * any bytes are refused, or become a table that can be asked about every algorithm. */
#include "crossover.h"
#include "fuzz.h"

static void ask(const struct crossover *c)
{
    CHECK(c->num <= CROSSOVER_MAX);
    for (unsigned alg = 0; alg < 0x900; alg += 7)
        for (uint8_t op = 0; op < 2; op++)
            (void)crossover_wins(c, (uint16_t)alg, op, alg, 1);
}

static int read_text(struct crossover *c, const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + !len); /* no zero follows the text */
    memcpy(text, bytes, len);
    const size_t wrong = crossover_parse(c, text, len);
    free(text);
    return wrong != 0;
}

static int take_rules(struct crossover *c, const uint8_t *bytes, size_t len)
{
    const size_t num = len / sizeof *c->rules;
    struct crossover_rule *rules = malloc(num * sizeof *rules + !num);
    memcpy(rules, bytes, num * sizeof *rules);
    const int error = crossover_take(c, rules, num);
    free(rules);
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct crossover *c = calloc(1, sizeof *c);
    if (size && !(data[0] & 1 ? take_rules : read_text)(c, data + 1, size - 1))
        ask(c);
    free(c);
    return 0;
}
