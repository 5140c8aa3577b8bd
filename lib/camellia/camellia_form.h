/* SPDX-License-Identifier: Apache-2.0 */
/* The form of a Camellia key that kernels for few blocks and camellia_gfni_blocks.h read.  It is
 * made at setup: the camellia_program() of encryption, in which the entries of rounds are
 * transformed by the maps of camellia_filters.h, and the entries of FL are words for its two steps.
 * Decryption reads the form backwards.  A file that includes this one first defines INLINE and
 * TARGET. */
#ifndef HR_CAMELLIA_FORM_H
#define HR_CAMELLIA_FORM_H

#include "camellia_filters.h"
#include "camellia_program.h"

/* The key's form, to be read from `first` in steps of `next` (1 or -1). */
struct few_keys {
    const uint64_t *first;
    ptrdiff_t next;
    uint32_t rounds;
};

INLINE TARGET void few_begin(struct few_keys *k, const void *of, enum hr_op op)
{
    const struct camellia_key *const key = of;
    const int forth = op == HR_OP_ENCRYPT;
    k->rounds = key->rounds;
    k->first = forth ? key->form : key->form + camellia_program_len(k->rounds) - 1;
    k->next = forth ? 1 : -1;
}

/* Makes key->form. enter() transforms six entries in place by the maps of its kernel; it may read
 * two entries more. */
INLINE TARGET void few_form(struct camellia_key *key, void (*enter)(uint64_t *entries))
{
    const unsigned len = camellia_program_len(key->rounds);
    alignas(64) uint64_t program[CAMELLIA_MAX_PROGRAM] = { 0 };
    camellia_program(program, key, HR_OP_ENCRYPT, CAMELLIA_ADDED, CAMELLIA_ADDED, CAMELLIA_F_ADDED);
    for (unsigned n = 1; n < len; n += 10)
        enter(program + n);
    for (unsigned n = 7, i = 8; n + 4 < len; n += 10, i += 8) {
        program[n] = program[n + 1] = camellia_fl_words(key->k[i]);
        program[n + 2] = program[n + 3] = camellia_fl_words(key->k[i + 1]);
        program[n + 1] &= 0xffffffff;
        program[n + 2] &= 0xffffffff;
    }
    memcpy(key->form, program, sizeof key->form);
    WIPE(&program);
}

#endif
