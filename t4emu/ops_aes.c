/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"
#include "sem.h"

/* An AES round for two columns. rs1 is two columns of the round key; rs2 and rs3 are the state's
 * columns 0-1 and 2-3. */
enum t4_result t4_aes_round(struct t4_machine *m, const struct t4_insn *insn)
{
    const unsigned opf = insn->op - T4_AES_EROUND01; /* bit 0: columns 2-3; 1: decrypt; 2: last */
    const uint64_t key = t4_get_d(m, insn->rs1);
    const uint64_t s01 = t4_get_d(m, insn->rs2), s23 = t4_get_d(m, insn->rs3);
    const uint32_t state[4] = { (uint32_t)(s01 >> 32), (uint32_t)s01, (uint32_t)(s23 >> 32),
                                (uint32_t)s23 };
    const uint32_t keys[2] = { (uint32_t)(key >> 32), (uint32_t)key };
    uint32_t out[2];
    sem_aes_columns(out, state, keys, opf & 1 ? 2 : 0, opf >> 1 & 1, opf >> 2 & 1);
    t4_set_d(m, insn->rd, (uint64_t)out[0] << 32 | out[1]);
    return T4_DONE;
}

/* Computes the next two words of a key schedule (FIPS 197, section 5.2) from rs1, the two words
 * that lie one key length back, and the last word, the low half of rs2. aes_kexpand1 is for a
 * word whose number is divisible by Nk, aes_kexpand0 for the middle word of a 256-bit key,
 * aes_kexpand2 for the others. */
enum t4_result t4_aes_kexpand(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t back = t4_get_d(m, insn->rs1);
    uint32_t word = (uint32_t)t4_get_d(m, insn->rs2);
    switch (insn->op) {
    case T4_AES_KEXPAND1:
        if (insn->rs3 > 9 && m->model->die_on_undefined)
            return T4_UNDEFINED;
        word = sem_aes_sub_word(word << 8 | word >> 24) ^ sem_aes_rcon(insn->rs3);
        break;
    case T4_AES_KEXPAND0:
        word = sem_aes_sub_word(word);
        break;
    default:
        break;
    }
    const uint32_t high = (uint32_t)(back >> 32) ^ word;
    t4_set_d(m, insn->rd, (uint64_t)high << 32 | (high ^ (uint32_t)back));
    return T4_DONE;
}
