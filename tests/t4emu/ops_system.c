/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"

enum t4_result t4_rd_cfr(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_set_r(m, insn->rd, m->model->cfr);
    return T4_DONE;
}
