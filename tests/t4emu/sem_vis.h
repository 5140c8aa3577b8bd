/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that vis.def names: a and b are the operands (0 where there is none), the value is
 * the result. */
#ifndef T4EMU_SEM_VIS_H
#define T4EMU_SEM_VIS_H

#include <stdint.h>

/* Registers that are read and written besides. */
struct sem_vis {
    uint64_t rd; /* the destination's old value, in pdist */
    uint64_t gsr, fsr;
    uint8_t ccr;
};
typedef uint64_t sem_vis_fn(uint64_t a, uint64_t b, struct sem_vis *s);

#define T4_VIS(SYM, name, form, opf, operands, function) sem_vis_fn sem_##function;
#include "vis.def"

/* fcc of flcmps, flcmpd. */
unsigned sem_flcmps(uint32_t a, uint32_t b);
unsigned sem_flcmpd(uint64_t a, uint64_t b);

/* Condition codes (VIS 1 edges, cbcond): those of a - b in both widths, as in CCR. */
enum { SEM_C = 1, SEM_V = 2, SEM_Z = 4, SEM_N = 8, SEM_XCC_SHIFT = 4 };
uint8_t sem_subcc(uint64_t a, uint64_t b);

enum {
    SEM_GSR_SCALE_SHIFT = 3,
    SEM_GSR_IRND_SHIFT = 25,
    SEM_GSR_IM_SHIFT = 27,
    SEM_GSR_MASK_SHIFT = 32
};

#endif
