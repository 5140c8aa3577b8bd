/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the row of opcodes.def for a word, and executes one step of the machine. */
#include "ops.h"

/* match, mask, reserved */
#define T4_BITS(match, mask, reserved) match, mask, reserved
#define T4_EXACT(word) word, 0xffffffff, 0
#define T4_A(opf) UINT32_C(0x80000000) | 0x19u << 19 | (opf) << 5, 0xc1f801e0, 0
#define T4_BR(opf, reserved) UINT32_C(0x80000000) | 0x36u << 19 | (opf) << 5, 0xc1f83fe0, reserved
#define T4_B(opf) T4_BR(opf, 0)
#define T4_F(opf) UINT32_C(0x80000000) | 0x34u << 19 | (opf) << 5, 0xc1f83fe0, 0
#define T4_M(op3) UINT32_C(0xc0000000) | (op3##u) << 19, 0xc1f80000, 0

const struct t4_opcode t4_opcodes[T4_NUM_OPS] = {
    [T4_NONE] = { "", 0, 0, 0, -1, NULL },
#define T4_OP(SYM, name, form, cfr_bit, execute) [T4_##SYM] = { name, form, cfr_bit, execute },
#include "opcodes.def"
};

/* No two rows have the same key, which the compiler checks, so only one row has to be compared. */
#define OP(word) ((word) >> 30)
#define OP3(word) ((word) >> 19 & 63)
#define KEY(word)                                                       \
    (OP(word) == 0                        ? 0x700 + ((word) >> 21 & 15) \
     : OP(word) == 2 && OP3(word) == 0x36 ? 0x100 + ((word) >> 5 & 511) \
     : OP(word) == 2 && OP3(word) == 0x34 ? 0x300 + ((word) >> 5 & 511) \
     : OP(word) == 2 && OP3(word) == 0x19 ? 0x500 + ((word) >> 5 & 15)  \
                                          : 0x600 + (OP(word) << 6 & 0xc0) + OP3(word))
#define MATCH(...) FIRST(__VA_ARGS__)
#define FIRST(match, ...) (match)

static const uint8_t rows[0x710] = {
#define T4_OP(SYM, name, form, cfr_bit, execute) [KEY(MATCH(form))] = T4_##SYM,
#include "opcodes.def"
};
_Static_assert(T4_NUM_OPS <= 256, "a row's number is a byte");

enum t4_op t4_decode(struct t4_insn *insn, uint32_t word)
{
    const enum t4_op row = (enum t4_op)rows[KEY(word)];
    *insn = (struct t4_insn){
        .word = word,
        .op = (word & t4_opcodes[row].mask) == t4_opcodes[row].match ? row : T4_NONE,
        .rd = word >> 25 & 31,
        .rs1 = word >> 14 & 31,
        .rs2 = word & 31,
        .rs3 = word >> 9 & 31,
        .imm = word >> 13 & 1,
        .simm13 = (int16_t)((int16_t)(word << 3) >> 3),
    };
    return insn->op;
}

int t4_registers_only(enum t4_op op)
{
    const struct t4_opcode *opcode = &t4_opcodes[op];
    return opcode->cfr_bit >= 0 && opcode->execute && opcode->execute != t4_montgomery;
}

static int has(const struct t4_machine *m, const struct t4_opcode *opcode)
{
    return opcode->cfr_bit < 0 || (m->model->cfr >> opcode->cfr_bit & 1);
}

enum t4_result t4_execute(struct t4_machine *m, struct t4_insn *insn, t4_execute_fn *execute)
{
    const uint64_t pc = m->pc, npc = m->npc;
    if (insn->word & t4_opcodes[insn->op].reserved && m->model->die_on_undefined)
        return T4_UNDEFINED;
    insn->pc = pc;
    m->pc = npc;
    m->npc = npc + 4; /* a branch without a delay slot sets both itself */
    const enum t4_result result = execute(m, insn);
    if (result != T4_DONE) {
        m->pc = pc;
        m->npc = npc;
    }
    return result;
}

enum t4_result t4_step(struct t4_machine *m, uint32_t word, enum t4_op *op)
{
    struct t4_insn insn;
    const struct t4_opcode *opcode = &t4_opcodes[ *op = t4_decode(&insn, word)];
    if (insn.op == T4_NONE || !has(m, opcode))
        return T4_ILLEGAL;
    return opcode->execute ? t4_execute(m, &insn, opcode->execute) : T4_UNDOCUMENTED;
}

uint64_t t4_get_r(const struct t4_machine *m, unsigned n)
{
    switch (n >> 3 & 3) {
    case 0:
        return n ? m->g[n] : 0;
    case 1:
        return m->o[n & 7];
    case 2:
        return m->window[0].l[n & 7];
    default:
        return m->window[0].i[n & 7];
    }
}

void t4_set_r(struct t4_machine *m, unsigned n, uint64_t value)
{
    switch (n >> 3 & 3) {
    case 0:
        m->g[n] = n ? value : 0;
        break;
    case 1:
        m->o[n & 7] = value;
        break;
    case 2:
        m->window[0].l[n & 7] = value;
        break;
    default:
        m->window[0].i[n & 7] = value;
    }
}

uint64_t t4_operand2(const struct t4_machine *m, const struct t4_insn *insn)
{
    return insn->imm ? (uint64_t)(int64_t)insn->simm13 : t4_get_r(m, insn->rs2);
}
