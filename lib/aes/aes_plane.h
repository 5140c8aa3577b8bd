/* SPDX-License-Identifier: Apache-2.0 */
/* AES bit-sliced on eight vectors (Biham, FSE 1997; Kaesper and Schwabe, CHES 2009): bit b of the
 * byte at place p of plane j is bit j of the byte at place p of vector b.
 *
 * ShiftRows is not carried out (Adomnicai and Peyrin, CHES 2021): tools/gen/aes_nibbles.py says
 * where a state's bytes are instead.  The S-box's constant 0x63 is contained in the round keys.
 *
 * The file aes_vec_<isa>.h defines, beside vec and look(), swap_bits(&a, &b, mask, shift), which
 * exchanges the bits of a at mask << shift with those of b at mask, swap_nibbles(&a, &b), which
 * does so for the mask 0x0f and the shift 4, and bytes_with(x, bit), which returns 0xff for each
 * byte of x that has the bit. */
#include "aes_circuits.h"

INLINE TARGET void transpose_planes(vec q[8])
{
    swap_bits(&q[0], &q[1], 0x55, 1), swap_bits(&q[2], &q[3], 0x55, 1);
    swap_bits(&q[4], &q[5], 0x55, 1), swap_bits(&q[6], &q[7], 0x55, 1);
    swap_bits(&q[0], &q[2], 0x33, 2), swap_bits(&q[1], &q[3], 0x33, 2);
    swap_bits(&q[4], &q[6], 0x33, 2), swap_bits(&q[5], &q[7], 0x33, 2);
    EACH(4, swap_nibbles(&q[i], &q[i + 4]));
}

/* q += 2 p in GF(2^8): bit 7 of p is carried to the bits of 0x1b. */
INLINE TARGET void add_double(vec q[8], const vec p[8])
{
    q[0] ^= p[7];
    q[1] ^= p[0] ^ p[7];
    q[2] ^= p[1];
    q[3] ^= p[2] ^ p[7];
    q[4] ^= p[3] ^ p[7];
    q[5] ^= p[4];
    q[6] ^= p[5];
    q[7] ^= p[6];
}

/* MixColumns, 2 a + 3 a[1] + a[2] + a[3] = 2 s + a[1] + s[2], where a[k] is the byte k rows below a
 * and s is a + a[1]. */
INLINE TARGET void mix_planes(vec q[8], vec below1, vec below2)
{
    vec s[8];
    EACH(8, {
        const vec below = look(q[i], below1);
        s[i] = q[i] ^ below;
        q[i] = below ^ look(s[i], below2);
    });
    add_double(q, s);
}

/* InvMixColumns.  The matrices satisfy (14, 11, 13, 9) = (2, 3, 1, 1) (5, 0, 4, 0), so a + 4 (a +
 * a[2]) is computed first, then MixColumns. */
INLINE TARGET void inv_mix_planes(vec q[8], vec below1, vec below2)
{
    vec s[8];
    EACH(8, s[i] = q[i] ^ look(q[i], below2));
    const vec twice[8] = { s[7], s[0] ^ s[7], s[1], s[2] ^ s[7], s[3] ^ s[7], s[4], s[5], s[6] };
    add_double(q, twice);
    mix_planes(q, below1, below2);
}

INLINE TARGET void add_planes(vec q[8], const uint8_t key[8][16])
{
    EACH(8, q[i] ^= spread(key[i]));
}

/* The planes of a round key in the order of bytes after `shifts` ShiftRows. */
INLINE TARGET void key_planes(uint8_t planes[8][16], vec key, unsigned shifts)
{
    key = look(key, spread(shuffle_shift[-shifts & 3]));
    EACH(8, store16(planes[i], bytes_with(key, 1 << i)));
}

/* These encrypt or decrypt eight vectors.  `planes` has the keys of round 1 up to the last but one,
 * `first` and `last` are the others. */
INLINE TARGET void encrypt_planes(vec s[8], vec first, const uint8_t (*planes)[8][16], vec last,
                                  unsigned rounds)
{
    EACH(8, s[i] ^= first);
    transpose_planes(s);
    for (unsigned r = 1; r < rounds; r++) {
        sub_planes(s);
        mix_planes(s, spread(shuffle_below1[r & 3]), spread(shuffle_below2[r & 3]));
        add_planes(s, planes[r - 1]);
    }
    sub_planes(s);
    transpose_planes(s);
    const vec order = spread(shuffle_shift[rounds & 3]);
    EACH(8, s[i] = look(s[i], order) ^ last);
}

INLINE TARGET void decrypt_planes(vec s[8], vec first, const uint8_t (*planes)[8][16], vec last,
                                  unsigned rounds)
{
    EACH(8, s[i] ^= first);
    transpose_planes(s);
    for (unsigned r = 1; r < rounds; r++) {
        inv_sub_planes(s);
        inv_mix_planes(s, spread(shuffle_below1[-r & 3]), spread(shuffle_below2[-r & 3]));
        add_planes(s, planes[r - 1]);
    }
    inv_sub_planes(s);
    transpose_planes(s);
    const vec order = spread(shuffle_shift[-rounds & 3]);
    EACH(8, s[i] = look(s[i], order) ^ last);
}
