/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of SHA-512 for sha2_compress.h: FIPS 180-4 section 4.1.3. */
#define K sha512_k
#define NUM_ROUNDS 80
#define BIG_SIGMA0(x) XOR3(ROR(x, 28), ROR(x, 34), ROR(x, 39))
#define BIG_SIGMA1(x) XOR3(ROR(x, 14), ROR(x, 18), ROR(x, 41))
#define SMALL_SIGMA0(x) XOR3(ROR(x, 1), ROR(x, 8), (x) >> 7)
#define SMALL_SIGMA1(x) XOR3(ROR(x, 19), ROR(x, 61), (x) >> 6)
#include "sha2_compress.h"
