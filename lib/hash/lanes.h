/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors in which each word belongs to a different message: a lane is one word.  This file is
 * included by an architecture's vec_<isa>.h, which defines VEC_BYTES, in a kernel's file that
 * defines WORD_BITS, 32 or 64. */
#ifndef HR_LANES_H
#define HR_LANES_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_(a, b, c)

typedef PASTE(uint, WORD_BITS, _t) word;
typedef word vec __attribute__((vector_size(VEC_BYTES)));
enum { LANES = 8 * VEC_BYTES / WORD_BITS };

/* ROR rotates each word right by n bits.  Compilers make one instruction of it, and of XOR3, where
 * the CPU has one.  A vec_<isa>.h that has a better ROR for a CPU without vector rotation defines
 * ROR before it includes this file. */
#ifndef ROR
#define ROR(x, n) ((x) >> (n) | (x) << (WORD_BITS - (n)))
#endif
#define XOR3(x, y, z) ((x) ^ (y) ^ (z))

/* Keeps the compiler from moving loads through p out of loops, into more registers than there are,
 * which would spill them to the stack. */
#define IN_MEMORY(p) __asm__ volatile("" : "+r"(p))

#endif
