/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"
#include "sem.h"

/* The contents of a key register are internal to the T4, because programs can only pass them on
 * from des_kexpand to des_kexpand and des_round. Here they are C and D of FIPS 46-3's key
 * schedule, 28 bits each, in the low 56 bits; des_round applies PC-2. */
enum { KEY_BITS = 56 };

static int is_key(const struct t4_machine *m, uint64_t key)
{
    return key >> KEY_BITS == 0 || !m->model->die_on_undefined;
}

enum t4_result t4_des_permute(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t in = t4_get_d(m, insn->rs1);
    t4_set_d(m, insn->rd, insn->op == T4_DES_IP ? sem_des_ip(in) : sem_des_iip(in));
    return T4_DONE;
}

/* Two rounds on L:R, with the keys rs1 and rs2. */
enum t4_result t4_des_round(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t key1 = t4_get_d(m, insn->rs1), key2 = t4_get_d(m, insn->rs2);
    if (!is_key(m, key1) || !is_key(m, key2))
        return T4_UNDEFINED;
    t4_set_d(m, insn->rd, sem_des_round(sem_des_round(t4_get_d(m, insn->rs3), key1), key2));
    return T4_DONE;
}

/* Key expansion. The immediate, in rs2's field, selects the operation: 0 makes the first round's
 * key from the 64 bits of a DES key; 1 to 3 rotate a round's key to that of the next round, or
 * of the one after it. */
enum t4_result t4_des_kexpand(struct t4_machine *m, const struct t4_insn *insn)
{
    static const uint8_t rotations[] = { 1, 1, 2, 4 };
    const uint64_t in = t4_get_d(m, insn->rs1);
    if (m->model->die_on_undefined && (insn->rs2 > 3 || (insn->rs2 && in >> KEY_BITS)))
        return T4_UNDEFINED;
    t4_set_d(m, insn->rd,
             sem_des_rotate(insn->rs2 ? in : sem_des_pc1(in), rotations[insn->rs2 & 3]));
    return T4_DONE;
}
