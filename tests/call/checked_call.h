/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of each architecture that checked_call is made of. */
#ifndef HR_CHECKED_CALL_H
#define HR_CHECKED_CALL_H

#include <stdint.h>

unsigned call_and_compare(void (*fn)(void), const uintptr_t args[6]);
void clobber_three(void);            /* changes num_clobbered registers that it must keep */
extern const unsigned num_clobbered; /* 3, or 0 where the compiler answers for them */

int upper_halves_tracked(void); /* can the CPU tell whether upper halves are in use? */
int upper_halves_dirty(void);
void upper_halves_clean(void);
extern const char *const registers_checked;

#endif
