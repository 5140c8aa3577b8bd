/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of SHA-256 for sha2_compress.h: FIPS 180-4 section 4.1.2. */
#define K sha256_k
#define NUM_ROUNDS 64
#define BIG_SIGMA0(x) XOR3(ROR(x, 2), ROR(x, 13), ROR(x, 22))
#define BIG_SIGMA1(x) XOR3(ROR(x, 6), ROR(x, 11), ROR(x, 25))
#define SMALL_SIGMA0(x) XOR3(ROR(x, 7), ROR(x, 18), (x) >> 3)
#define SMALL_SIGMA1(x) XOR3(ROR(x, 17), ROR(x, 19), (x) >> 10)
#include "sha2_compress.h"
