/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"
#include "sem_vis.h"

static const struct {
    char operands[4]; /* rs1, rs2, rd */
    sem_vis_fn *function;
} table[T4_NUM_OPS] = {
#define T4_VIS(SYM, name, form, opf, operands, function) [T4_##SYM] = { operands, sem_##function },
#include "vis.def"
};

static uint64_t get(const struct t4_machine *m, char kind, unsigned n)
{
    switch (kind) {
    case 's':
        return t4_get_s(m, n);
    case 'd':
        return t4_get_d(m, n);
    case 'r':
        return t4_get_r(m, n);
    default:
        return 0;
    }
}

static void set(struct t4_machine *m, char kind, unsigned n, uint64_t value)
{
    if (kind == 's')
        t4_set_s(m, n, (uint32_t)value);
    else if (kind == 'd')
        t4_set_d(m, n, value);
    else if (kind == 'r')
        t4_set_r(m, n, value);
}

enum t4_result t4_vis(struct t4_machine *m, const struct t4_insn *insn)
{
    const char *operands = table[insn->op].operands;
    const uint8_t fields[3] = { insn->rs1, insn->rs2, insn->rd };
    for (unsigned i = 0; i < 3; i++)
        if (operands[i] == '-' && fields[i] && m->model->die_on_undefined)
            return T4_UNDEFINED;
    struct sem_vis s = { .gsr = m->gsr, .fsr = m->fsr, .ccr = m->ccr };
    s.rd = get(m, operands[2], insn->rd);
    const uint64_t a = get(m, operands[0], insn->rs1), b = get(m, operands[1], insn->rs2);
    set(m, operands[2], insn->rd, table[insn->op].function(a, b, &s));
    m->gsr = s.gsr;
    m->fsr = s.fsr;
    m->ccr = s.ccr;
    return T4_DONE;
}

/* siam: sets GSR.im and GSR.irnd to the mode, bits 2:0. */
enum t4_result t4_siam(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t field = UINT64_C(7) << SEM_GSR_IRND_SHIFT;
    m->gsr = (m->gsr & ~field) | (uint64_t)(insn->rs2 & 7) << SEM_GSR_IRND_SHIFT;
    return T4_DONE;
}

/* flcmps, flcmpd: fcc0 is in FSR's bits 11:10, fcc1 to fcc3 are from bit 32 on. */
enum t4_result t4_flcmp(struct t4_machine *m, const struct t4_insn *insn)
{
    const unsigned n = insn->rd & 3, shift = n ? 30 + 2 * n : 10;
    const uint64_t fcc = insn->op == T4_FLCMPS
                             ? sem_flcmps(t4_get_s(m, insn->rs1), t4_get_s(m, insn->rs2))
                             : sem_flcmpd(t4_get_d(m, insn->rs1), t4_get_d(m, insn->rs2));
    m->fsr = (m->fsr & ~(UINT64_C(3) << shift)) | fcc << shift;
    return T4_DONE;
}
