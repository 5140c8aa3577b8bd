/* SPDX-License-Identifier: Apache-2.0 */
/* Compare and branch, Oracle SPARC Architecture 2011: no delay slot, no condition codes. */
#include "ops.h"
#include "sem_vis.h"

/* Whether a condition holds. They are numbered as in Bicc: 1 to 7, and their opposites with bit
 * 3 set. */
static int holds(unsigned condition, unsigned cc)
{
    const unsigned n = cc / SEM_N & 1, z = cc / SEM_Z & 1, v = cc / SEM_V & 1, c = cc & SEM_C;
    const unsigned values[8] = { 0, z, z | (n ^ v), n ^ v, c | z, c, n, v };
    return (int)(values[condition & 7] ^ condition >> 3);
}

/* cwb<cond>, cxb<cond> rs1, rs2 or simm5, target within 512 instructions. */
enum t4_result t4_cbcond(struct t4_machine *m, const struct t4_insn *insn)
{
    const unsigned condition = (insn->word >> 29 & 1) << 3 | (insn->word >> 25 & 7);
    if (!(condition & 7))
        return T4_ILLEGAL; /* the conditions "always" and "never" do not exist here */
    const uint64_t b =
        insn->imm ? (uint64_t)(int64_t)(insn->rs2 - (insn->rs2 & 16) * 2) : t4_get_r(m, insn->rs2);
    const uint8_t cc = sem_subcc(t4_get_r(m, insn->rs1), b);
    if (!holds(condition, insn->op == T4_CXB ? cc >> SEM_XCC_SHIFT : cc & 15))
        return T4_DONE;
    const int words = (int)((insn->word >> 19 & 3) << 8 | (insn->word >> 5 & 0xff));
    m->pc = insn->pc + (uint64_t)(int64_t)(4 * (words - (words & 512) * 2));
    m->npc = m->pc + 4;
    return T4_DONE;
}
