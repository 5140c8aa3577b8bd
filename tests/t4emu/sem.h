/* SPDX-License-Identifier: Apache-2.0 */
/* What the standards define, on values: nothing here knows a register.  Written for reading, not
 * for speed; none of it is constant time. */
#ifndef T4EMU_SEM_H
#define T4EMU_SEM_H

#include <stddef.h>
#include <stdint.h>

/* FIPS 197.  Columns are words, row 0 in the most significant byte. */
void sem_aes_columns(uint32_t out[2], const uint32_t state[4], const uint32_t key[2],
                     unsigned first_column, int decrypt, int last);
uint32_t sem_aes_sub_word(uint32_t word);
uint32_t sem_aes_rcon(unsigned round); /* round 0 is 0x01000000; FIPS 197 section 5.2 */

#endif
