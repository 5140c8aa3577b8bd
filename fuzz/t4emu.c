/* SPDX-License-Identifier: Apache-2.0 */
/* The T4 emulator: any instruction word in any machine state, with callbacks that may fail. pc and
 * npc change only if an instruction was executed, %g0 stays 0, an illegal instruction changes
 * nothing, and stores are small. */
#include "../t4emu/machine.h"
#include "fuzz.h"

enum { FAIL_STORE = 1, FAIL_WINDOWS = 2, ANY_WORD = 4, LINE = 64 };

static struct {
    uint8_t fail;
    unsigned stores;
    size_t bytes;
    struct t4_window callers[T4_WINDOWS];
} outside;

static int load(struct t4_machine *m, void *to, uint64_t address, size_t len)
{
    CHECK(!"an instruction that loads");
    return T4_FAULT;
}

static int store(struct t4_machine *m, uint64_t address, const void *from, size_t len)
{
    static uint8_t memory[LINE];
    CHECK(len <= LINE && address % LINE + len <= LINE);
    memcpy(memory + address % LINE, from, len);
    outside.stores++;
    outside.bytes += len;
    return outside.fail & FAIL_STORE ? T4_FAULT : 0;
}

static int read_windows(struct t4_machine *m)
{
    if (outside.fail & FAIL_WINDOWS)
        return T4_FAULT;
    for (; m->windows_read < T4_WINDOWS; m->windows_read++)
        m->window[m->windows_read] = outside.callers[m->windows_read];
    return 0;
}

static uint64_t take_word(struct input *in, size_t len)
{
    uint64_t value = 0;
    while (len-- > 0)
        value = value << 8 | take_byte(in);
    return value;
}

/* Fills registers from a seed, then from the rest of the input. */
static void fill(void *out, size_t len, struct input *in, uint64_t seed)
{
    uint64_t *words = out;
    for (size_t i = 0; i < len / 8; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        words[i] = seed;
    }
    memcpy(out, in->p, in->len < len ? in->len : len);
}

/* same compares pc, npc and the registers, which change only if an instruction is executed. */
static int same(const struct t4_machine *a, const struct t4_machine *b)
{
    return memcmp(a->g, b->g, sizeof a->g) == 0 && memcmp(a->o, b->o, sizeof a->o) == 0 &&
           memcmp(&a->window[0], &b->window[0], sizeof a->window[0]) == 0 &&
           memcmp(a->d, b->d, sizeof a->d) == 0 && a->fsr == b->fsr && a->gsr == b->gsr &&
           a->pc == b->pc && a->npc == b->npc && a->ccr == b->ccr && a->asi == b->asi;
}

static void check_next(const struct t4_machine *m, const struct t4_machine *before, enum t4_op op)
{
    const int branch = op == T4_CWB || op == T4_CXB;
    CHECK(m->npc == m->pc + 4);
    CHECK(m->pc == before->npc || (branch && m->pc - before->pc + 2048 < 4096));
    CHECK(m->g[0] == 0);
    CHECK(m->asi == before->asi);
    CHECK(op == T4_MONTMUL || op == T4_MONTSQR || m->windows_read == 1);
}

static void step(const struct t4_machine *start, uint32_t word)
{
    struct t4_machine m = *start, again = *start;
    struct t4_insn insn;
    enum t4_op op, second;
    outside.stores = 0;
    outside.bytes = 0;
    const enum t4_result result = t4_step(&m, word, &op);
    CHECK(op < T4_NUM_OPS && op == t4_decode(&insn, word));
    CHECK(op != T4_NONE || result == T4_ILLEGAL);
    CHECK((word & t4_opcodes[op].mask) == t4_opcodes[op].match);
    CHECK(outside.bytes <= LINE && (!outside.stores || (op >= T4_STBA && op <= T4_STDFA)));
    CHECK(result != T4_FAULT || !outside.stores || outside.fail & FAIL_STORE);
    if (result == T4_DONE)
        check_next(&m, start, op);
    else
        CHECK(same(&m, start));
    CHECK(result != T4_UNDEFINED || start->model->die_on_undefined);
    if (start->model->mont_failures)
        return; /* failures are counted, so a second step could differ */
    CHECK(t4_step(&again, word, &second) == result && op == second && same(&m, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct t4_model model = { 0 };
    static struct t4_machine m;
    outside.fail = take_byte(&in);
    const uint8_t strict = take_byte(&in);
    model.die_on_undefined = strict & 1;
    model.poison = strict >> 1 & 1;
    model.mont_failures = strict & 4 ? strict >> 4 : 0;
    model.cfr = (uint32_t)take_word(&in, 2);
    uint32_t word = (uint32_t)take_word(&in, 4);
    const struct t4_opcode *row = &t4_opcodes[take_byte(&in) % T4_NUM_OPS];
    if (!(outside.fail & ANY_WORD))
        word = row->match | (word & ~row->mask);
    const uint64_t seed = take_word(&in, 8) | 1;
    fill(&m, offsetof(struct t4_machine, windows_read) / 8 * 8, &in, seed);
    fill(outside.callers, sizeof outside.callers, &(struct input){ data, 0 }, seed * 3);
    m.ccr = (uint8_t)seed;
    m.asi = (uint8_t)(seed >> 8);
    m.g[0] = 0;
    m.pc &= ~UINT64_C(3);
    m.npc &= ~UINT64_C(3);
    m.windows_read = 1;
    m.load = load;
    m.store = store;
    m.read_windows = read_windows;
    m.model = &model;
    step(&m, word);
    return 0;
}
