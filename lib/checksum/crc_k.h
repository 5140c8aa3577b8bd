/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of folding and of the last division by P, for a reflected CRC of 32 bits.
 *
 * A register of n bits holds a polynomial in which bit 0 is the coefficient of x^(n-1): bytes in
 * the order of the message.  The product of two such 64-bit registers by PCLMULQDQ or PMULL is a
 * 128-bit register, times x.  (Gopal et al., Fast CRC computation for generic polynomials using
 * PCLMULQDQ, 2009.)
 *
 * fold[i]  16 bytes, H x^64 + L, moved on by D = 128 * 2^i bits, are H * fold[i][0] +
 *          L * fold[i][1]: the constants are x^(D+63) and x^(D-1) mod P, 32 bits at the top of 64
 * last     x^95 mod P, 32 bits at the bottom of 64: the product of H and `last`, plus L, is
 *          (H x^64 + L) x^32 mod P in the lower 96 bits of a register
 * mu, p    floor(x^96 / P) without its x^0, and P with its x^32, for the division of those 96 bits
 *          (Barrett): the quotient is the upper 64 bits times mu, without the part below x^64
 *
 * join[i]  fold: as above, D being the length of the four chains in bits; chain[j]: x^(D - 65) mod
 *          P, 32 bits at the top of 64, where D is the length in bits of the 3 - j chains that
 *          follow.  The product of the register after chain j and chain[j] is 16 bytes; divided,
 *          they are that register moved on by D bits
 *
 * tests/checksums.c computes each constant from this definition. */
#ifndef HR_CRC_K_H
#define HR_CRC_K_H

#include <stdint.h>

/* The number of steps in a block that is partly folded and partly divided by CRC instructions
 * (struct crc_join); `vec` is log2 of the number of 16-byte pieces in a vector.  A step folds four
 * vectors, and takes 16 bytes of each of the four chains behind them. */
#define CRC_JOIN_STEPS(vec) ((vec) == 0 ? 32 : (vec) == 1 ? 21 : 51)

struct crc_join {
    uint64_t fold[2], chain[3];
};

struct crc_k {
    uint64_t fold[6][2];
    uint64_t last, mu, p;
    struct crc_join join[3]; /* zeros: no kernel has blocks of this width */
};

extern const struct crc_k crc32_k, crc32c_k;

#endif
