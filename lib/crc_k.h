/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of folding and of the last division by P, of a reflected CRC of 32 bits.
 *
 * A register of n bits holds a polynomial whose x^(n-1) is bit 0: bytes in the order of the
 * message.  The product of two such registers of 64 bits by PCLMULQDQ or PMULL is one of 128 bits,
 * times x.  (Gopal et al., Fast CRC computation for generic polynomials using PCLMULQDQ, 2009.)
 *
 * fold[i]  16 bytes H x^64 + L, moved on by D = 128 * 2^i bits, are H * fold[i][0] +
 *          L * fold[i][1]: x^(D+63) and x^(D-1) mod P, 32 bits at the top of 64
 * last     x^95 mod P, 32 bits at the bottom of 64: the product of H and it, and L, are
 *          (H x^64 + L) x^32 mod P in the lower 96 bits of a register
 * mu, p    floor(x^96 / P) without its x^0, and P with its x^32: the division of those 96 bits
 *          (Barrett): the quotient is their upper 64 times mu, less what is below x^64
 *
 * join[i]  fold: as above, by the four chains' length; chain[j]: x^(8 D - 65) mod P, 32 bits at the
 *          top of 64, D the length of the 3 - j chains that follow: 16 bytes that, divided, are
 *          the register after chain j moved on by D, are the product of the register and it
 *
 * tests/checksums.c computes each from this definition. */
#ifndef HR_CRC_K_H
#define HR_CRC_K_H

#include <stdint.h>

/* Of blocks that are partly folded and partly divided by instructions: steps, by log2 of a vector's
 * 16 bytes; a step folds four vectors, and takes 16 bytes of each of four chains that follow. */
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
