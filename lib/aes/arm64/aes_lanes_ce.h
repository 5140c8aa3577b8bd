/* SPDX-License-Identifier: Apache-2.0 */
/* CBC and CFB encryption in eight lanes with AESE. */
#include "aes_vec_ce.h"

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

INLINE TARGET vec enc_begin(vec x, vec k)
{
    return enc_round(x, k);
}

INLINE TARGET vec enc_begin_with(vec x, vec text, vec k)
{
    return enc_round(x, xor16(text, k));
}

INLINE TARGET vec enc_middle(vec x, vec k)
{
    return enc_round(x, k);
}

INLINE TARGET vec enc_end(vec x, vec k, vec last)
{
    return xor16(enc_last(x, k), last);
}

#include "../aes_lanes.h"
