/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"
#include "../../tests/test.h"

struct t4_machine t4;
struct t4_model t4_model;
const struct mutant *the_mutant;

unsigned num_wrong;
char first_wrong[200];

static struct t4_window callers[T4_WINDOWS];

static int read_windows(struct t4_machine *m)
{
    for (; m->windows_read < T4_WINDOWS; m->windows_read++)
        m->window[m->windows_read] = callers[m->windows_read];
    return 0;
}

void reset(void)
{
    random_bytes(&t4, sizeof t4);
    random_bytes(callers, sizeof callers);
    t4.g[0] = 0;
    t4.pc = 0x100000;
    t4.npc = 0x100004;
    t4.windows_read = 1;
    t4.load = NULL;
    t4.store = NULL;
    t4.read_windows = read_windows;
    t4.model = &t4_model;
    t4_model = (struct t4_model){ .cfr = 0xfff, .die_on_undefined = 1, .poison = 1 };
}

static enum t4_result step(uint32_t word)
{
    struct t4_insn insn;
    enum t4_op op = t4_decode(&insn, word);
    if (the_mutant && op >= the_mutant->op && op <= the_mutant->last)
        return t4_execute(&t4, &insn, the_mutant->execute);
    return t4_step(&t4, word, &op);
}

enum t4_result try_run(enum t4_op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3)
{
    return step(t4_opcodes[op].match | rd << 25 | rs1 << 14 | rs3 << 9 | rs2);
}

void run(enum t4_op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3)
{
    const enum t4_result result = try_run(op, rd, rs1, rs2, rs3);
    if (result != T4_DONE)
        wrong("%s: result %d", t4_opcodes[op].name, (int)result);
}

void wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (num_wrong++ == 0)
        vsnprintf(first_wrong, sizeof first_wrong, format, args);
    va_end(args);
}

void expect(uint64_t value, uint64_t expected, const char *what)
{
    if (value != expected)
        wrong("%s: %016llx, not %016llx", what, (unsigned long long)value,
              (unsigned long long)expected);
}

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20) - 'a' + 10;
}

size_t from_hex(uint8_t *out, const char *hex)
{
    size_t len = 0;
    for (; hex[0] && hex[1]; hex += 2)
        out[len++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
    return len;
}

void expect_bytes(const void *bytes, const char *expected_hex, const char *what)
{
    uint8_t expected[128];
    const size_t len = from_hex(expected, expected_hex);
    if (memcmp(bytes, expected, len) != 0)
        wrong("%s: not %s", what, expected_hex);
}

static const struct check *const files[] = {
    aes_checks,  camellia_checks, crc_checks,    decode_checks, des_checks, float_checks,
    hash_checks, integer_checks,  memory_checks, mont_checks,   vis_checks,
};

/* The number of failures that a check finds. */
static unsigned mistakes(const struct check *check)
{
    num_wrong = 0;
    check->run();
    return num_wrong;
}

static void run_checks(void)
{
    for (size_t i = 0; i < COUNT_OF(files); i++)
        for (const struct check *check = files[i]; check->name; check++) {
            if (mistakes(check))
                complain("%s (%u such)", first_wrong, num_wrong);
            tap(1, "%s", check->name);
        }
}

/* The first check that fails with the mutant, or NULL. */
static const char *catcher(const struct mutant *mutant)
{
    const char *name = NULL;
    the_mutant = mutant;
    for (size_t i = 0; i < COUNT_OF(files) && !name; i++)
        for (const struct check *check = files[i]; check->name && !name; check++)
            name = mistakes(check) ? check->name : NULL;
    the_mutant = NULL;
    return name;
}

static void run_mutant(const struct mutant *mutant)
{
    const char *name = catcher(mutant);
    tap(name != NULL, "%s (%u): %s%s", mutant->name, mutant->argument,
        name ? "caught by " : "nothing notices", name ? name : "");
}

/* Checks that the mechanism for mutants changes nothing by itself. */
static void run_no_mutant(void)
{
    const struct mutant none = { .op = T4_NONE + 1,
                                 .last = T4_NUM_OPS - 1,
                                 .execute = execute_row };
    const char *name = catcher(&none);
    tap(name == NULL, "no mutant: %s%s", name ? "caught by " : "every check passes",
        name ? name : "");
}

static void run_mutants(void)
{
    run_no_mutant();
    for (size_t i = 0; i < num_mutants; i++)
        for (struct mutant mutant = mutants[i]; mutant.argument <= mutant.last_argument;
             mutant.argument++)
            run_mutant(&mutant);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--mutants") == 0)
        run_mutants();
    else if (argc > 1 && strcmp(argv[1], "--cases") == 0)
        run_cases(stdin);
    else
        run_checks();
    return tap_done();
}
