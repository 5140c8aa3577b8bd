/* SPDX-License-Identifier: Apache-2.0 */
/* CBC and CFB encryption in sixteen lanes with VAES at 512 bits.  Four blocks of each of four
 * messages are a square, which is transposed by 8 shuffles; 12 insertions would take as long as the
 * rounds. */
#include "aes_vec512.h"

enum { VECTORS = 4, SQUARE = LANES };

INLINE TARGET vec gather(const uint8_t *const *p, size_t offset)
{
    const vec x =
        _mm512_inserti32x4(_mm512_castsi128_si512(load16(p[0] + offset)), load16(p[1] + offset), 1);
    return _mm512_inserti32x4(_mm512_inserti32x4(x, load16(p[2] + offset), 2),
                              load16(p[3] + offset), 3);
}

INLINE TARGET void scatter(uint8_t *const *p, size_t offset, vec x)
{
    store16(p[0] + offset, _mm512_castsi512_si128(x));
    store16(p[1] + offset, _mm512_extracti32x4_epi32(x, 1));
    store16(p[2] + offset, _mm512_extracti32x4_epi32(x, 2));
    store16(p[3] + offset, _mm512_extracti32x4_epi32(x, 3));
}

INLINE TARGET void transpose(vec x[SQUARE])
{
    const vec low01 = _mm512_shuffle_i64x2(x[0], x[1], 0x44);
    const vec low23 = _mm512_shuffle_i64x2(x[2], x[3], 0x44);
    const vec high01 = _mm512_shuffle_i64x2(x[0], x[1], 0xee);
    const vec high23 = _mm512_shuffle_i64x2(x[2], x[3], 0xee);
    x[0] = _mm512_shuffle_i64x2(low01, low23, 0x88);
    x[1] = _mm512_shuffle_i64x2(low01, low23, 0xdd);
    x[2] = _mm512_shuffle_i64x2(high01, high23, 0x88);
    x[3] = _mm512_shuffle_i64x2(high01, high23, 0xdd);
}

INLINE TARGET void gather_square(vec out[SQUARE], const uint8_t *const *p, size_t offset)
{
    EACH((size_t)SQUARE, out[i] = load(p[i] + offset));
    transpose(out);
}

INLINE TARGET void scatter_square(uint8_t *const *p, size_t offset, vec in[SQUARE])
{
    transpose(in);
    EACH((size_t)SQUARE, store(p[i] + offset, in[i]));
}

INLINE TARGET vec enc_begin_with(vec x, vec text, vec k)
{
    return _mm512_ternarylogic_epi64(x, text, k, 0x96); /* x ^ text ^ k */
}

#include "../aes_lanes.h"
