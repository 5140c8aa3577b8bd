/* SPDX-License-Identifier: Apache-2.0 */
/* poly1305_step (poly1305_scalar.h) with instructions in an order that makes the chain short.
 * Compilers move the carries of 128-bit sums to registers, which takes a third longer. */
#ifndef HR_POLY1305_STEP_H
#define HR_POLY1305_STEP_H

#include "../poly1305_scalar.h"

/* Computes h = (h + m + 2^128) r for a block m in memory.
 *   r8, r9  h0 r0 + h1 s1     r10, r11  h0 r1 + h1 r0 + h2 s1, to which the upper part of r9 is
 *   added */
POLY1305_INLINE void poly1305_block(uint64_t h[3], const uint8_t m[16], uint64_t r0, uint64_t r1,
                                    uint64_t s1)
{
    uint64_t h0 = h[0], h1 = h[1], h2 = h[2];
    __asm__("addq (%[m]), %[h0]\n\t"
            "adcq 8(%[m]), %[h1]\n\t"
            "adcq $1, %[h2]\n\t"
            "movq %[h1], %%rax\n\t"
            "mulq %[s1]\n\t"
            "movq %%rax, %%r8\n\t"
            "movq %%rdx, %%r9\n\t"
            "movq %[h0], %%rax\n\t"
            "mulq %[r0]\n\t"
            "addq %%rax, %%r8\n\t"
            "adcq %%rdx, %%r9\n\t"
            "movq %[h0], %%rax\n\t"
            "mulq %[r1]\n\t"
            "movq %%rax, %%r10\n\t"
            "movq %%rdx, %%r11\n\t"
            "movq %[h1], %%rax\n\t"
            "mulq %[r0]\n\t"
            "addq %%rax, %%r10\n\t"
            "adcq %%rdx, %%r11\n\t"
            "movq %[h2], %%rax\n\t"
            "imulq %[s1], %%rax\n\t"
            "imulq %[r0], %[h2]\n\t"
            "addq %%rax, %%r10\n\t"
            "adcq %[h2], %%r11\n\t"
            "addq %%r9, %%r10\n\t"
            "adcq $0, %%r11\n\t"
            "movq %%r11, %%rax\n\t"
            "movl %%r11d, %k[h2]\n\t"
            "andq $-4, %%r11\n\t"
            "shrq $2, %%rax\n\t"
            "andl $3, %k[h2]\n\t"
            "addq %%r11, %%rax\n\t"
            "movq %%r10, %[h1]\n\t"
            "movq %%r8, %[h0]\n\t"
            "addq %%rax, %[h0]\n\t"
            "adcq $0, %[h1]\n\t"
            "adcq $0, %[h2]"
            : [h0] "+&r"(h0), [h1] "+&r"(h1), [h2] "+&r"(h2)
            : [m] "r"(m), [r0] "r"(r0), [r1] "r"(r1), [s1] "r"(s1), "m"(*(const uint8_t(*)[16])m)
            : "rax", "rdx", "r8", "r9", "r10", "r11", "cc");
    h[0] = h0, h[1] = h1, h[2] = h2;
}

/* Blocks at the front of a message, which are processed one after the other in between other code:
 * an out-of-order core executes both at once, if they are close together. */
struct poly1305_front {
    uint64_t h[3];
    const uint8_t *in;
    size_t left; /* blocks that are still to come */
    const uint64_t *r;
};

POLY1305_INLINE void poly1305_front_blocks(struct poly1305_front *front, size_t most)
{
    for (size_t i = 0; i < most && front->left; i++, front->left--, front->in += 16)
        poly1305_block(front->h, front->in, front->r[0], front->r[1],
                       front->r[1] + (front->r[1] >> 2));
}

#endif
