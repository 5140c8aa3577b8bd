/* SPDX-License-Identifier: Apache-2.0 */
/* A library of the emulator with the defect that T4EMU_MUTANT names: programs must notice it, as
 * the unit tests do. It is linked with --wrap=t4_step. */
#include "../run.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct mutant *the_mutant;
struct t4_model t4_model; /* the model of the unit tests, which some mutants change */

enum t4_result __real_t4_step(struct t4_machine *m, uint32_t word, enum t4_op *op);
enum t4_result __wrap_t4_step(struct t4_machine *m, uint32_t word, enum t4_op *op);

__attribute__((constructor)) static void choose(void)
{
    const char *name = getenv("T4EMU_MUTANT");
    for (size_t i = 0; name && i < num_mutants; i++)
        if (strcmp(mutants[i].name, name) == 0)
            the_mutant = &mutants[i];
    if (!the_mutant)
        _exit(125);
}

enum t4_result __wrap_t4_step(struct t4_machine *m, uint32_t word, enum t4_op *op)
{
    struct t4_insn insn;
    const uint64_t npc = m->npc;
    *op = t4_decode(&insn, word);
    if (!the_mutant || *op < the_mutant->op || *op > the_mutant->last)
        return __real_t4_step(m, word, op);
    const enum t4_result result = the_mutant->execute(m, &insn);
    if (result == T4_DONE) {
        m->pc = npc;
        m->npc = npc + 4;
    }
    return result;
}
