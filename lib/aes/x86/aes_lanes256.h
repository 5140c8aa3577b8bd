/* SPDX-License-Identifier: Apache-2.0 */
/* CBC and CFB encryption in sixteen lanes with VAES at 256 bits.  Blocks are inserted and extracted
 * as they are loaded and stored.  Squares would not be faster, because blocks and plaintexts fill
 * all registers. */
#include "aes_vec256.h"

enum { VECTORS = 8, SQUARE = 1 };

INLINE TARGET vec gather(const uint8_t *const *p, size_t offset)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load16(p[0] + offset)),
                                   load16(p[1] + offset), 1);
}

INLINE TARGET void scatter(uint8_t *const *p, size_t offset, vec x)
{
    store16(p[0] + offset, _mm256_castsi256_si128(x));
    store16(p[1] + offset, _mm256_extracti128_si256(x, 1));
}

INLINE TARGET void gather_square(vec out[SQUARE], const uint8_t *const *p, size_t offset)
{
    out[0] = gather(p, offset);
}

INLINE TARGET void scatter_square(uint8_t *const *p, size_t offset, const vec in[SQUARE])
{
    scatter(p, offset, in[0]);
}

/* The sum of text and key does not wait for the chain.  Without the barrier the compiler would add
 * one after the other to x. */
INLINE TARGET vec enc_begin_with(vec x, vec text, vec k)
{
    vec sum = xor(text, k);
    __asm__("" : "+x"(sum));
    return enc_begin(x, sum);
}

#include "../aes_lanes.h"
