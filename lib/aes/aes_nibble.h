/* SPDX-License-Identifier: Apache-2.0 */
/* AES by look-ups of four bits, in registers: the time does not depend on data (Hamburg, CHES
 * 2009).  tools/gen/aes_nibbles.py says how.  This file is included by aes_soft.h.
 *
 * The file aes_vec_<isa>.h defines vec and these operations.  look(table, index) takes the table's
 * bytes at 16 indices, and zero for an index >= 0x80.  low_nibbles() and high_nibbles() return the
 * halves of each byte, all_bytes() a vector of equal bytes.  kept() returns its argument, which the
 * compiler then does not take apart to add its terms later.
 *
 * Rounds want their keys under the state's map and in the state's order of bytes.  For a single
 * block keys are converted on the way, since nothing waits for that. */
#include "aes_nibbles.h"

struct nibbles {
    vec p, q;
};

INLINE TARGET vec look_up(const uint8_t table[2][16], struct nibbles n)
{
    return look(spread(table[0]), n.p) ^ look(spread(table[1]), n.q);
}

INLINE TARGET vec enter(vec x, const uint8_t table[2][16])
{
    return look_up(table, (struct nibbles){ low_nibbles(x), high_nibbles(x) });
}

/* From the two nibbles that this returns, a pair of look-ups makes any linear map of 1/x. */
INLINE TARGET struct nibbles inverted(vec x)
{
    const vec inverse = spread(nibble_fields[0]), quotient = spread(nibble_fields[1]);
    const vec k = low_nibbles(x), i = high_nibbles(x), j = i ^ k, of_k = look(quotient, k);
    return (struct nibbles){ look(inverse, look(inverse, i) ^ of_k) ^ j,
                             look(inverse, look(inverse, j) ^ of_k) ^ i };
}

/* Round r >= 1: SubBytes and MixColumns, 2 a + 3 a[1] + a[2] + a[3], where a[k] is the byte k rows
 * below a.  3 a is computed as 2 a + a and comes last, so the rest is added before. */
INLINE TARGET vec encrypt_round(vec x, vec key, unsigned r)
{
    const struct nibbles n = inverted(x);
    const vec a = kept(look_up(nibble_sub1, n)), twice = kept(look_up(nibble_sub2, n));
    const vec sum = twice ^ key ^ look(a, spread(shuffle_below2[r & 3])) ^
                    look(a, spread(shuffle_below3[r & 3]));
    return kept(sum) ^ look(twice ^ a, spread(shuffle_below1[r & 3]));
}

INLINE TARGET vec encrypt_last(vec x, vec key, unsigned r)
{
    return look(look_up(nibble_leave, inverted(x)), spread(shuffle_shift[r & 3])) ^ key;
}

/* InvSubBytes and InvMixColumns: 14 a + 11 a[1] + 13 a[2] + 9 a[3]. */
INLINE TARGET vec decrypt_round(vec x, vec key, unsigned r)
{
    const struct nibbles n = inverted(x);
    return look_up(nibble_inv_sub14, n) ^ key ^
           look(look_up(nibble_inv_sub11, n), spread(shuffle_below1[-r & 3])) ^
           look(look_up(nibble_inv_sub13, n), spread(shuffle_below2[-r & 3])) ^
           look(look_up(nibble_inv_sub9, n), spread(shuffle_below3[-r & 3]));
}

INLINE TARGET vec decrypt_last(vec x, vec key, unsigned r)
{
    return look(look_up(nibble_inv_leave, inverted(x)), spread(shuffle_shift[-r & 3])) ^ key;
}

/* ---- round keys ---- */

/* The map of a round key in the order of bytes after r >= 1 rounds. */
INLINE TARGET vec encrypt_key(const uint8_t key[16], unsigned r)
{
    return look(enter(spread(key), nibble_enter_key), spread(shuffle_shift[-r & 3]));
}

INLINE TARGET vec decrypt_key(const uint8_t key[16], unsigned r)
{
    return look(enter(spread(key), nibble_inv_enter), spread(shuffle_shift[r & 3]));
}

/* ---- one block under a key as it was expanded ---- */

INLINE TARGET block encrypt16(block x, const struct aes_key *key, unsigned rounds)
{
    x = enter(x ^ spread(key->enc[0]), nibble_enter);
    for (unsigned r = 1; r < rounds; r++)
        x = encrypt_round(x, encrypt_key(key->enc[r], r), r);
    return encrypt_last(x, spread(key->enc[rounds]) ^ all_bytes(0x63), rounds);
}

INLINE TARGET block decrypt16(block x, const struct aes_key *key, unsigned rounds)
{
    x = enter(x ^ spread(key->dec[0]), nibble_inv_enter);
    for (unsigned r = 1; r < rounds; r++)
        x = decrypt_round(x, decrypt_key(key->dec[r], r), r);
    return decrypt_last(x, spread(key->dec[rounds]), rounds);
}
