/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that vis.def names. a and b are the operands (0 if there is none); the return
 * value is the result. */
#ifndef T4EMU_SEM_VIS_H
#define T4EMU_SEM_VIS_H

#include <stdint.h>

/* Other registers that these functions read and write. */
struct sem_vis {
    uint64_t rd; /* the old value of the destination, for pdist */
    uint64_t gsr, fsr;
    uint8_t ccr;
};
typedef uint64_t sem_vis_fn(uint64_t a, uint64_t b, struct sem_vis *s);

#define T4_VIS(SYM, name, form, opf, operands, function) sem_vis_fn sem_##function;
#include "vis.def"

/* The fcc values of flcmps and flcmpd. */
unsigned sem_flcmps(uint32_t a, uint32_t b);
unsigned sem_flcmpd(uint64_t a, uint64_t b);

/* Condition codes (of the edge instructions of VIS 1, and cbcond): those of a - b in 32 and 64
 * bits, laid out as in CCR. */
enum { SEM_C = 1, SEM_V = 2, SEM_Z = 4, SEM_N = 8, SEM_XCC_SHIFT = 4 };
uint8_t sem_subcc(uint64_t a, uint64_t b);

enum {
    SEM_GSR_SCALE_SHIFT = 3,
    SEM_GSR_IRND_SHIFT = 25,
    SEM_GSR_IM_SHIFT = 27,
    SEM_GSR_MASK_SHIFT = 32
};

#endif
