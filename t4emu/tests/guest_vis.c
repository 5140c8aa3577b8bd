/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of vis.def is executed as an instruction of this program, and by the emulator's
 * definition, on the same random registers; afterwards all registers must be equal. This checks the
 * instructions that QEMU executes, and sends those that trap through the preloaded library. sparc64
 * only.
 *
 *   guest_vis [NAME...]   only these rows may differ, and must; "NAME?": it may differ or not;
 *                         "NAME-": it is not executed, because QEMU would never return */
#include "../../tests/test.h"
#include "../ops.h"
#include <sys/mman.h>

struct guest_state {
    uint64_t o[6], d[32], gsr, fsr, ccr, asi;
};
void guest_execute(struct guest_state *state, const uint32_t *code); /* guest_execute.S */

enum { ROUNDS = 200, RETL = 0x81c3e008, NOP = 0x01000000, O0 = 8 };

static const enum t4_op ops[] = {
#define T4_VIS(SYM, ...) T4_##SYM,
#include "../vis.def"
    T4_SIAM,
    T4_FLCMPS,
    T4_FLCMPD,
};
static const char *operands_of(enum t4_op op)
{
    static const char operands[T4_NUM_OPS][4] = {
#define T4_VIS(SYM, name, form, opf, operands, function) [T4_##SYM] = operands,
#include "../vis.def"
        [T4_SIAM] = "-m-",
        [T4_FLCMPS] = "ssc",
        [T4_FLCMPD] = "ddc",
    };
    return operands[op];
}

/* Values with few and with many bits, and special floating-point numbers and counts. */
static uint64_t random_value(void)
{
    static const uint64_t special[] = { 0,
                                        0x3ff0000000000000,
                                        0x7ff0000000000000,
                                        0x8000000000000000,
                                        0x7f8000007f800000,
                                        0x8000000080000001,
                                        1,
                                        UINT64_MAX,
                                        0x7fefffffffffffff,
                                        0x7f7fffff7f7fffff,
                                        0x7ff0000000000001,
                                        0xfff8000000000002,
                                        0x7f800001ffc00002,
                                        0x0010000000000000 };
    uint64_t value;
    random_bytes(&value, sizeof value);
    switch (random_below(8)) {
    case 0:
        return special[random_below(COUNT_OF(special))];
    case 1:
        return special[random_below(COUNT_OF(special))] ^ (value & 0x8000000f8000000f);
    case 2:
        return value & 0x000f000f000f000f;
    case 3:
        return value & 0xff;
    case 4: /* an exponent near that of the other operand */
        return (value & 0x800fffff807fffff) | 0x3fe0000000800000 * (1 + (value >> 60 & 1));
    default:
        return value;
    }
}

static void random_state(struct guest_state *s)
{
    for (unsigned i = 0; i < 6; i++)
        s->o[i] = random_value();
    for (unsigned i = 0; i < 32; i++)
        s->d[i] = random_value();
    s->o[1] ^= random_below(4) ? 0 : s->o[0];
    random_bytes(&s->gsr, sizeof s->gsr);
    s->gsr &= 0xffffffff060000ff; /* QEMU does not implement GSR.im */
    s->fsr = (uint64_t)random_below(4) << 30;
    s->ccr = random_below(256);
    s->asi = 0x82;
}

static unsigned field(char kind)
{
    static const uint8_t limits[128] = { ['s'] = 32, ['d'] = 32, ['r'] = 6, ['m'] = 8, ['c'] = 4 };
    const unsigned n = limits[(unsigned)kind] ? random_below(limits[(unsigned)kind]) : 0;
    return kind == 'r' ? n + O0 : n;
}

static void emulate(struct guest_state *s, uint32_t word)
{
    static const struct t4_model model = { .die_on_undefined = 1 };
    struct t4_machine m = { .gsr = s->gsr, .fsr = s->fsr, .ccr = (uint8_t)s->ccr, .model = &model };
    enum t4_op op;
    memcpy(m.o, s->o, sizeof s->o);
    memcpy(m.d, s->d, sizeof m.d);
    if (t4_step(&m, word, &op) != T4_DONE)
        complain("%08x: no result", word);
    memcpy(s->o, m.o, sizeof s->o);
    memcpy(s->d, m.d, sizeof m.d);
    s->gsr = m.gsr;
    s->fsr = m.fsr;
    s->ccr = m.ccr;
}

static int same(const struct guest_state *cpu, const struct guest_state *ours,
                const struct guest_state *before, uint32_t word)
{
    const uint64_t *x = (const uint64_t *)cpu, *y = (const uint64_t *)ours;
    const uint64_t *was = (const uint64_t *)before;
    for (unsigned i = 0; i < sizeof *cpu / 8; i++)
        if (x[i] != y[i]) {
            complain("%08x, register %u: %016lx, by its definition %016lx; it was %016lx; "
                     "rs1 %016lx, rs2 %016lx, fsr %lx, gsr %lx",
                     word, i, x[i], y[i], was[i], was[6 + t4_double_index(word >> 14 & 31)],
                     was[6 + t4_double_index(word & 31)], before->fsr, before->gsr);
            return 0;
        }
    return 1;
}

/* Returns in how many rounds the instruction and the definition differ; reports them unless that is
 * known. */
static unsigned differences(enum t4_op op, int known, uint32_t *code)
{
    const char *kinds = operands_of(op);
    unsigned found = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct guest_state cpu, ours, before;
        memset(&cpu, 0, sizeof cpu);
        random_state(&cpu);
        before = ours = cpu;
        code[0] =
            t4_opcodes[op].match | field(kinds[0]) << 14 | field(kinds[1]) | field(kinds[2]) << 25;
        code[1] = RETL;
        code[2] = NOP;
        __asm__ volatile("flush %0; flush %0 + 8" : : "r"(code) : "memory");
        guest_execute(&cpu, code);
        emulate(&ours, code[0]);
        found +=
            known ? memcmp(&cpu, &ours, sizeof cpu) != 0 : !same(&cpu, &ours, &before, code[0]);
    }
    return found;
}

/* The suffix of a row's name among the arguments: "", "?" or "-"; NULL if the name is not there. */
static const char *expectation(char **names, const char *name)
{
    const size_t len = strlen(name);
    for (; *names; names++)
        if (strncmp(*names, name, len) == 0 && strchr("?-", (*names)[len]))
            return *names + len;
    return NULL;
}

static void check(enum t4_op op, const char *expected, uint32_t *code)
{
    const char *name = t4_opcodes[op].name;
    if (expected && *expected == '-') {
        tap_skip("QEMU never leaves it", "%s", name);
        return;
    }
    const unsigned found = differences(op, expected != NULL, code);
    if (!expected)
        tap(!found, "%s", name);
    else if (*expected)
        tap(1, "%s: %u of %d differ, which may be", name, found, ROUNDS);
    else
        tap(found > 0, "%s differs", name);
}

int main(int argc, char **argv)
{
    uint32_t *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return EXIT_FAILURE;
    for (unsigned i = 0; i < COUNT_OF(ops); i++)
        check(ops[i], expectation(argv + 1, t4_opcodes[ops[i]].name), code);
    return tap_done();
}
