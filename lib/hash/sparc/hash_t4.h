/* SPDX-License-Identifier: Apache-2.0 */
/* The loop around the SPARC T4's hash instructions, each of which compresses a whole block that it
 * takes from fixed registers in memory order (Oracle SPARC Architecture 2011, sections 7.72, 7.100
 * to 7.102).  A block whose address is not a multiple of 8 is shifted by faligndata.  Only aligned
 * doublewords that hold input are loaded: eight for 64 aligned bytes, nine for unaligned ones.
 *
 * %o0 state, %o1 in, %o2 num_blocks; unaligned data passes through %f48-%f62.  Changes %o1, %o2,
 * the GSR's align field, and floating-point registers, none of which the 64-bit ABI preserves
 * across calls. */
/* clang-format off */
#ifndef HR_HASH_T4_H
#define HR_HASH_T4_H

#define FUNCTION(name)          \
        .globl  name;           \
        .hidden name;           \
        .type   name, #function; \
        .align  32;             \
name:
#define END(name) .size name, .-name

/* Loads eight doublewords from in + at on; `in` is a multiple of 8. */
#define LOAD8(at, d0, d1, d2, d3, d4, d5, d6, d7) \
        ldd     [%o1 + at + 0x00], d0; \
        ldd     [%o1 + at + 0x08], d1; \
        ldd     [%o1 + at + 0x10], d2; \
        ldd     [%o1 + at + 0x18], d3; \
        ldd     [%o1 + at + 0x20], d4; \
        ldd     [%o1 + at + 0x28], d5; \
        ldd     [%o1 + at + 0x30], d6; \
        ldd     [%o1 + at + 0x38], d7

/* Loads eight doublewords from in + at on, for an unaligned `in`: %o1 has been rounded down to a
 * multiple of 8, and the GSR says by how much. %f48 holds the first of the nine aligned doublewords
 * before, and the ninth afterwards. */
#define ALIGN8(at, d0, d1, d2, d3, d4, d5, d6, d7) \
        ldd     [%o1 + at + 0x08], %f50; \
        ldd     [%o1 + at + 0x10], %f52; \
        ldd     [%o1 + at + 0x18], %f54; \
        ldd     [%o1 + at + 0x20], %f56; \
        ldd     [%o1 + at + 0x28], %f58; \
        ldd     [%o1 + at + 0x30], %f60; \
        ldd     [%o1 + at + 0x38], %f62; \
        faligndata %f48, %f50, d0;       \
        ldd     [%o1 + at + 0x40], %f48; \
        faligndata %f50, %f52, d1;       \
        faligndata %f52, %f54, d2;       \
        faligndata %f54, %f56, d3;       \
        faligndata %f56, %f58, d4;       \
        faligndata %f58, %f60, d5;       \
        faligndata %f60, %f62, d6;       \
        faligndata %f62, %f48, d7

/* Hashes %o2 > 0 blocks of `size` bytes; LOAD and ALIGN fill the registers that `opcode` reads. */
#define HASH_LOOP(opcode, size, LOAD, ALIGN) \
        andcc   %o1, 7, %g0;     \
        bne,pn  %xcc, 2f;        \
         nop;                    \
1:      LOAD;                    \
        opcode;                  \
        subcc   %o2, 1, %o2;     \
        bne,pt  %xcc, 1b;        \
         add    %o1, size, %o1;  \
        ba,pt   %xcc, 4f;        \
         nop;                    \
2:      alignaddr %o1, %g0, %o1; \
        ldd     [%o1], %f48;     \
3:      ALIGN;                   \
        opcode;                  \
        subcc   %o2, 1, %o2;     \
        bne,pt  %xcc, 3b;        \
         add    %o1, size, %o1;  \
4:

/* HASH_LOOP for blocks of 64 bytes, which `opcode` reads from %f8-%f22. */
#define HASH_LOOP64(opcode) \
        HASH_LOOP(opcode, 0x40, \
                  LOAD8(0, %f8, %f10, %f12, %f14, %f16, %f18, %f20, %f22), \
                  ALIGN8(0, %f8, %f10, %f12, %f14, %f16, %f18, %f20, %f22))

#endif
