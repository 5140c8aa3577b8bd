/* SPDX-License-Identifier: Apache-2.0 */
/* Values of struct slh_lanes in vectors.  A file that includes this one defines STORE_WORD, which
 * writes the bytes of a word, and includes a vec_<isa>.h before. */
#include "../slh_lanes.h"

INLINE TARGET vec digits_of(const struct slh_lanes *l)
{
    vec digits = spread(0);
    for (size_t i = 0; l->keeps && i < LANES; i++)
        digits[i] = l->digit[i < l->num ? i : 0];
    return digits;
}

/* Keeps the values of the lanes whose digit is `step`. */
INLINE TARGET void keep(vec *kept, const vec *s, size_t num, vec digits, unsigned step)
{
    const vec here = (vec)(digits == spread(step));
    for (size_t i = 0; i < num; i++)
        kept[i] = (s[i] & here) | (kept[i] & ~here);
}

INLINE TARGET void store_values(slh_value *out, const vec *s, size_t num, size_t lanes)
{
    for (size_t i = 0; i < lanes; i++)
        for (size_t k = 0; k < num; k++)
            STORE_WORD(out[i] + k * sizeof(word), s[k][i]);
}
