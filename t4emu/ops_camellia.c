/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"
#include "sem.h"

/* F with the exclusive or of a Feistel round: rd = rs2 ^ F(rs3, rs1). */
enum t4_result t4_camellia_f(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t key = t4_get_d(m, insn->rs1), in = t4_get_d(m, insn->rs3);
    t4_set_d(m, insn->rd, t4_get_d(m, insn->rs2) ^ sem_camellia_f(in, key));
    return T4_DONE;
}

/* FL or its inverse: rs1 is the key, rs2 the data. */
enum t4_result t4_camellia_fl(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t key = t4_get_d(m, insn->rs1), in = t4_get_d(m, insn->rs2);
    t4_set_d(m, insn->rd,
             insn->op == T4_CAMELLIA_FL ? sem_camellia_fl(in, key)
                                        : sem_camellia_fl_inverse(in, key));
    return T4_DONE;
}
