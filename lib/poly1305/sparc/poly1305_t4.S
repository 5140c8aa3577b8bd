/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 (D. J. Bernstein, 2005): h = (h + c + 2^128) r mod 2^130 - 5 for each block c.
 *
 *   void poly1305_blocks_t4(uint64_t h[3], const uint8_t *in, size_t num_blocks,
 *                           const struct poly1305_key *key);
 *
 * in may have any address: only doublewords that hold input are loaded.
 *
 * VIS 3 has an instruction for the upper half of a 64-bit product, and additions with carry of all
 * 64 bits. r[1] is a multiple of 4, and 2^130 = 5, so h[1] r[1] 2^128 = h[1] s with s = r[1] + r[1]
 * / 4.  A block takes ten multiplications, which do not depend on each other, and one reduction.
 * h[2] <= 4 from block to block, and below 10 at first, so no sum of the middle words reaches 2^64.
 *
 * Secrets are in %o and %g only; memory_t4.h says why.
 *   %o0-%o2 h     %o3, %o4 r     %o5 s     %o7, %o2, %g1 words of the product     %g4, %g5 others
 *   %i0 h     %i1 in, or p     %i2 num_blocks     %i3 key     %l0 8     %l1 1     %l2 q
 *   %l3, %l4 shifts
 * p, q and the shifts are those of memory_t4.h, but in the opposite direction, because words are
 * little-endian. */

#include "../../aes/aes_key.h"

#define H0 %o0
#define H1 %o1
#define H2 %o2
#define R0 %o3
#define R1 %o4
#define S1 %o5
#define D0 %o7
#define D1 H2
#define D2 %g1
#define V %g4
#define W %g5
#define LITTLE 0x88

#define WORDS_F                       \
        ldxa    [%i1] LITTLE, V;     \
        ldxa    [%i1 + %l0] LITTLE, W
#define WORDS_A                       \
        ldxa    [%i1] LITTLE, V;     \
        ldxa    [%l2] LITTLE, D0;    \
        ldxa    [%i1 + %l0] LITTLE, W; \
        ldxa    [%l2 + %l0] LITTLE, D2; \
        srlx    V, %l3, V;           \
        sllx    D0, %l4, D0;         \
        srlx    W, %l3, W;           \
        sllx    D2, %l4, D2;         \
        or      V, D0, V;            \
        or      W, D2, W;            \
        add     %l2, 16, %l2

/* Adds V and W to the product's words 1 and 2. */
#define ADD_UPPER                    \
        addcc   D1, V, D1;           \
        addxc   D2, W, D2
#define BLOCK(load)                  \
        load;                        \
        sub     %i2, 1, %i2;         \
        addcc   H0, V, H0;           \
        addxccc H1, W, H1;           \
        addxc   H2, %l1, H2;         \
        mulx    H2, R0, D2;          \
        mulx    H2, S1, D1;          \
        mulx    H1, S1, D0;          \
        umulxhi H1, S1, V;           \
        add     D1, V, D1;           \
        mulx    H0, R0, V;           \
        umulxhi H0, R0, W;           \
        addcc   D0, V, D0;           \
        addxc   D1, W, D1;           \
        mulx    H0, R1, V;           \
        umulxhi H0, R1, W;           \
        ADD_UPPER;                   \
        mulx    H1, R0, V;           \
        umulxhi H1, R0, W;           \
        ADD_UPPER;                   \
        andn    D2, 3, V;            \
        srlx    D2, 2, W;            \
        add     V, W, V;             \
        and     D2, 3, W;            \
        addcc   D0, V, H0;           \
        addxccc D1, %g0, H1;         \
        addxc   W, %g0, H2

        .text
        .align  32
        .globl  poly1305_blocks_t4
        .hidden poly1305_blocks_t4
        .type   poly1305_blocks_t4, #function
poly1305_blocks_t4:
        save    %sp, -176, %sp
        brz,pn  %i2, 5f
         mov    8, %l0
        mov     1, %l1
        ldx     [%i0], H0
        ldx     [%i0 + 8], H1
        ldx     [%i0 + 16], H2
        ldx     [%i3 + POLY1305_KEY_R], R0
        ldx     [%i3 + POLY1305_KEY_R + 8], R1
        srlx    R1, 2, S1
        andcc   %i1, 7, %l3
        bne,pn  %xcc, 2f
         add    S1, R1, S1

1:      BLOCK(WORDS_F)
        brnz,pt %i2, 1b
         add    %i1, 16, %i1
        ba,a,pt %xcc, 4f

2:      sll     %l3, 3, %l3
        neg     %l3, %l4
        add     %i1, 7, %l2
        andn    %l2, 7, %l2
        andn    %i1, 7, %i1
3:      BLOCK(WORDS_A)
        brnz,pt %i2, 3b
         add    %i1, 16, %i1

4:      stx     H0, [%i0]
        stx     H1, [%i0 + 8]
        stx     H2, [%i0 + 16]
5:      clr     H0
        clr     H1
        clr     H2
        clr     R0
        clr     R1
        clr     S1
        clr     D0
        clr     D2
        clr     V
        clr     W
        ret
         restore
        .size   poly1305_blocks_t4, . - poly1305_blocks_t4
        .section .note.GNU-stack, "", %progbits
