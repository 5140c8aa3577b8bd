/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression in portable C, FIPS 180-4 section 6.1.2. */
#include "sha1.h"

static uint32_t ch(uint32_t x, uint32_t y, uint32_t z)
{
    return z ^ (x & (y ^ z));
}
static uint32_t parity(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}
static uint32_t maj(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) | (z & (x | y));
}

/* s[-t mod 5] is a, and so on: the names turn, the words stay. */
#define S(i) s[(i + 80 - t) % 5]
#define ROUNDS(from, f, k)                                                                \
    for (unsigned t = from; t < from + 20; t++) {                                         \
        uint32_t *wt = &w[t & 15];                                                        \
        if (t < 16)                                                                       \
            *wt = load_be32(in + 4 * t);                                                  \
        else                                                                              \
            *wt = rotr32(*wt ^ w[(t + 2) & 15] ^ w[(t + 8) & 15] ^ w[(t + 13) & 15], 31); \
        S(4) += rotr32(S(0), 27) + f(S(1), S(2), S(3)) + k + *wt;                         \
        S(1) = rotr32(S(1), 2);                                                           \
    }

static void block(uint32_t state[5], const uint8_t *in)
{
    uint32_t w[16], s[5];
    memcpy(s, state, sizeof s);
    ROUNDS(0, ch, 0x5a827999)
    ROUNDS(20, parity, 0x6ed9eba1)
    ROUNDS(40, maj, 0x8f1bbcdc)
    ROUNDS(60, parity, 0xca62c1d6)
    for (unsigned i = 0; i < 5; i++)
        state[i] += s[i];
    WIPE(&w);
    WIPE(&s);
}

void sha1_blocks_c(void *state, const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 64)
        block(state, in);
}
