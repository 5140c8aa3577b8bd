/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors whose every word is of another message: a lane.  Included by an architecture's
 * vec_<isa>.h, which says VEC_BYTES, in a kernel's file that says WORD_BITS, 32 or 64. */
#ifndef HR_LANES_H
#define HR_LANES_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_(a, b, c)

typedef PASTE(uint, WORD_BITS, _t) word;
typedef word vec __attribute__((vector_size(VEC_BYTES)));
enum { LANES = 8 * VEC_BYTES / WORD_BITS };

/* Compilers make one instruction of each where there is one; where a rotation is none, and an
 * architecture has something better than this, it defines it first. */
#ifndef ROR
#define ROR(x, n) ((x) >> (n) | (x) << (WORD_BITS - (n)))
#endif
#define XOR3(x, y, z) ((x) ^ (y) ^ (z))

/* Keeps what lies at a pointer there: as constants they would be moved out of loops, into registers
 * that are not there, and so onto the stack. */
#define IN_MEMORY(p) __asm__ volatile("" : "+r"(p))

#endif
