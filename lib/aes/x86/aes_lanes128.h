/* SPDX-License-Identifier: Apache-2.0 */
/* CBC and CFB encryption in eight lanes with AES-NI. */
#include "aes_vec128.h"

enum { VECTORS = 8, SQUARE = 1 };

INLINE TARGET vec gather(const uint8_t *const *p, size_t offset)
{
    return load16(p[0] + offset);
}

INLINE TARGET void scatter(uint8_t *const *p, size_t offset, vec x)
{
    store16(p[0] + offset, x);
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
