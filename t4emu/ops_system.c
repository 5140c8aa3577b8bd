/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"

enum t4_result t4_rd_cfr(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_set_r(m, insn->rd, m->model->cfr);
    return T4_DONE;
}

/* pause: how long a strand pauses is up to the CPU. */
enum t4_result t4_pause(struct t4_machine *m, const struct t4_insn *insn)
{
    const int reserved = !insn->imm && insn->word & 0x1fe0;
    return reserved && m->model->die_on_undefined ? T4_UNDEFINED : T4_DONE;
}
