/* SPDX-License-Identifier: Apache-2.0 */
/* Words to rows of opcodes.def, and one step of the machine. */
#include "ops.h"

#define T4_BITS(match, mask) match, mask
#define T4_EXACT(word) word, 0xffffffff
#define T4_A(opf) UINT32_C(0x80000000) | 0x19u << 19 | (opf) << 5, 0xc1f801e0
#define T4_B(opf) UINT32_C(0x80000000) | 0x36u << 19 | (opf) << 5, 0xc1f83fe0

const struct t4_opcode t4_opcodes[T4_NUM_OPS] = {
    [T4_NONE] = { "", 0, 0, -1, NULL },
#define T4_OP(SYM, name, form, cfr_bit, execute) [T4_##SYM] = { name, form, cfr_bit, execute },
#include "opcodes.def"
};

enum t4_op t4_decode(struct t4_insn *insn, uint32_t word)
{
    unsigned op = T4_NONE + 1;
    while (op < T4_NUM_OPS && (word & t4_opcodes[op].mask) != t4_opcodes[op].match)
        op++;
    *insn = (struct t4_insn){
        .word = word,
        .op = op < T4_NUM_OPS ? (enum t4_op)op : T4_NONE,
        .rd = word >> 25 & 31,
        .rs1 = word >> 14 & 31,
        .rs2 = word & 31,
        .rs3 = word >> 9 & 31,
        .imm = word >> 13 & 1,
        .simm13 = (int16_t)((int16_t)(word << 3) >> 3),
    };
    return insn->op;
}

static int has(const struct t4_machine *m, const struct t4_opcode *opcode)
{
    return opcode->cfr_bit < 0 || (m->model->cfr >> opcode->cfr_bit & 1);
}

enum t4_result t4_step(struct t4_machine *m, uint32_t word, enum t4_op *op)
{
    struct t4_insn insn;
    const struct t4_opcode *opcode = &t4_opcodes[ *op = t4_decode(&insn, word)];
    if (insn.op == T4_NONE || !has(m, opcode))
        return T4_ILLEGAL;
    if (!opcode->execute)
        return T4_UNDOCUMENTED;
    const uint64_t pc = m->pc, npc = m->npc;
    m->pc = npc;
    m->npc = npc + 4; /* a branch without delay slot writes both itself */
    const enum t4_result result = opcode->execute(m, &insn);
    if (result != T4_DONE) {
        m->pc = pc;
        m->npc = npc;
    }
    return result;
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
