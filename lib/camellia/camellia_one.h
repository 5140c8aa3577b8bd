/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia, RFC 3713, on one block, for chains, and on a few blocks side by side.  An S-box is
 * AES's S-box between linear maps, which are table lookups of nibbles in vector registers; the
 * permutation P is byte shuffles of the maps' results.
 *
 * A half is a vector of 16 bytes: one byte in the upper byte of each 16-bit word, so that a shift
 * of words makes indices of the high nibbles.  The bytes are kept transformed by the map that AES's
 * S-box needs ("under the map"); those that s4 reads are rotated before.  Four maps are then
 * enough: to s1's result, and to that rotated by one bit to the right, and by one and two to the
 * left.
 * The lower bytes of words hold sums of half of P's terms, which a shift adds to the other half;
 * after that the lower bytes are ignored.  The chain of a round consists of
 *
 *   the S-box, a shift, a table lookup, an XOR with the low nibbles' lookup, a word of another map,
 *   a shuffle, two XORs, the shift and its XOR,
 *
 * and a round has 12 lookups and shuffles in all, for CPUs that start one in a cycle.  The last of
 * six rounds removes the map from its result, because FL comes next.
 *
 * A file that includes this one defines INLINE, TARGET, MODE(mode) as block_modes.h needs it, and
 * for V, a vector of 16 bytes with ^, & and |:
 *   V load(const uint8_t *), void store(uint8_t *, V); V load8(const uint64_t *): 8 bytes, then
 *   zeros; V spread(const uint64_t *): eight bytes as the upper bytes of words;
 *   V look(V table, V index): table lookup; indices are below 16, or at least 0x80 for a zero;
 *   V low(V x), V high(V x): the low and high nibbles of bytes; V high_of_words(V x): the high
 *   nibbles of the upper bytes of words;
 *   V sub(V x): AES's ShiftRows and SubBytes; V kept(V x): x, where the compiler may not reorder
 *   XORs;
 *   V word1(V a, V b): a with 32-bit word 1 of b; V words36(V a, V b): a with the 16-bit words 3
 *   and 6 of b; V fold_words(V x): the lower bytes of words moved to the upper bytes; V
 *   fold_halves(V x): the upper 8 bytes moved to the lower 8; V turned(V x): 32-bit words rotated
 *   left by a bit; V up(V x), V down(V x): in each 8 bytes the lower 32-bit word moved to the
 *   upper, or back. */
#include "camellia_form.h"
#include "camellia_layers.h"

enum { FEW = 4 };

/* Applies a map or removes it.  The bytes that s4 reads have a map of their own, in map[2] and
 * map[3]. */
INLINE TARGET V one_map(V x, const uint8_t map[4][16])
{
    const V l = low(x), h = high(x);
    return words36(look(load(map[0]), l) ^ look(load(map[1]), h),
                   look(load(map[2]), l) ^ look(load(map[3]), h));
}

/* Returns half of the terms of F(x) in the upper bytes of words, the other half in the lower ones.
 */
INLINE TARGET V one_terms(V x, const struct camellia_layer *layer)
{
    const V y = sub(x), l = low(y), h = high_of_words(y);
#define IMAGE(n) (look(load(layer->map[2 * (n)]), l) ^ look(load(layer->map[2 * (n) + 1]), h))
#define TERMS(z, n) look(z, load(layer->p[n]))
    const V c = word1(IMAGE(2), IMAGE(3)), a = IMAGE(0), b = IMAGE(1);
    return kept(kept(TERMS(a, 0) ^ TERMS(a, 1)) ^ kept(TERMS(b, 2) ^ TERMS(c, 3)));
#undef IMAGE
#undef TERMS
}

/* Returns other + F(x); the round's key has been added already. */
INLINE TARGET V one_round(V other, V x)
{
    const V sum = one_terms(x, &camellia_to_box);
    return kept(sum ^ other) ^ fold_words(sum);
}

/* Returns other + F(x), where `other` and the result are not under a map, but x is. */
INLINE TARGET V one_last_round(V other, V x)
{
    const V sum = one_terms(x, &camellia_to_clear);
    return kept(sum ^ other) ^ fold_halves(sum);
}

/* Byte orders for `look`: to the upper bytes of words from the lower 8 bytes, from the upper 8
 * bytes, and from 32-bit words; then back to 32-bit words, and to 8 bytes. */
alignas(16) static const uint8_t one_order[5][16] = {
    { 0x80, 0, 0x80, 1, 0x80, 2, 0x80, 3, 0x80, 4, 0x80, 5, 0x80, 6, 0x80, 7 },
    { 0x80, 8, 0x80, 9, 0x80, 10, 0x80, 11, 0x80, 12, 0x80, 13, 0x80, 14, 0x80, 15 },
    { 0x80, 3, 0x80, 2, 0x80, 1, 0x80, 0, 0x80, 7, 0x80, 6, 0x80, 5, 0x80, 4 },
    { 7, 5, 3, 1, 15, 13, 11, 9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 },
    { 1, 3, 5, 7, 9, 11, 13, 15, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 },
};

INLINE TARGET V one_enter(V x, unsigned order)
{
    return one_map(look(x, load(one_order[order])), camellia_one_enter);
}

/* Removes the map and returns 32-bit words. */
INLINE TARGET V one_leave(V x)
{
    return look(one_map(x, camellia_one_leave), load(one_order[3]));
}

/* The two steps of FL, RFC 3713 section 2.4.2. */
INLINE TARGET V one_fl_right(V x, V key)
{
    return x ^ (up(turned(x)) & key);
}

INLINE TARGET V one_fl_left(V x, V key)
{
    return x ^ (down(x) | key);
}

/* Encrypts or decrypts num blocks; num is a constant. */
INLINE TARGET void one_crypt(V *x, unsigned num, const struct few_keys *k)
{
    /* Byte orders for the cipher's output, which begins with the right half. */
    alignas(16) static const uint8_t right_half[16] = { 3,    2,    1,    0,    7,    6,
                                                        5,    4,    0x80, 0x80, 0x80, 0x80,
                                                        0x80, 0x80, 0x80, 0x80 };
    alignas(16) static const uint8_t left_half[16] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                                       0x80, 0x80, 3,    2,    1,    0,
                                                       7,    6,    5,    4 };
    const uint64_t *key = k->first + k->next;
    const ptrdiff_t next = k->next;
    unsigned rounds = k->rounds;
    V left[FEW], right[FEW];
#define EACH _Pragma("GCC unroll 4") for (unsigned i = 0; i < num; i++)
#define ADD_KEY(x, n) kept((x) ^ spread(key + (n)*next))
    EACH
    {
        left[i] = one_enter(x[i] ^ load8(k->first), 0);
        right[i] = one_enter(x[i], 1);
    }
    for (;;) {
        for (unsigned n = 0; n < 2; n++, key += 2 * next) {
            EACH right[i] = one_round(ADD_KEY(right[i], 0), left[i]);
            EACH left[i] = one_round(ADD_KEY(left[i], 1), right[i]);
        }
        EACH
        {
            right[i] = one_round(ADD_KEY(right[i], 0), left[i]);
            const V other = one_leave(ADD_KEY(left[i], 1));
            left[i] = one_last_round(kept(other), right[i]);
            right[i] = one_leave(right[i]);
        }
        key += 2 * next;
        rounds -= 6;
        if (!rounds)
            break;
        EACH
        {
            left[i] = one_fl_left(one_fl_right(left[i], load8(key)), load8(key + next));
            left[i] = one_enter(left[i], 2);
            right[i] = one_fl_left(right[i], load8(key + 2 * next));
            right[i] = one_enter(one_fl_right(right[i], load8(key + 3 * next)), 2);
        }
        key += 4 * next;
    }
    EACH x[i] =
        look(left[i], load(left_half)) ^ kept(look(right[i], load(right_half)) ^ load8(key));
#undef EACH
#undef ADD_KEY
}

INLINE TARGET void one_enter_six(uint64_t *entries)
{
    for (unsigned i = 0; i < 6; i++) {
        const V x = look(one_map(spread(entries + i), camellia_one_enter), load(one_order[4]));
        memcpy(entries + i, &x, 8);
    }
}

TARGET void MODE(form)(struct camellia_key *key)
{
    few_form(key, one_enter_six);
    few_end();
}

/* ---- definitions for block_modes.h ---- */

typedef V block;

INLINE TARGET block load16(const uint8_t *p)
{
    return load(p);
}

INLINE TARGET void store16(uint8_t *p, block x)
{
    store(p, x);
}

INLINE TARGET block xor16(block a, block b)
{
    return a ^ b;
}

INLINE TARGET block few_one(block x, const struct few_keys *k)
{
    one_crypt(&x, 1, k);
    return x;
}

INLINE TARGET void one_blocks(uint8_t *at, unsigned num, const struct few_keys *k)
{
    V x[FEW];
    for (unsigned i = 0; i < num; i++)
        x[i] = load(at + 16 * i);
    one_crypt(x, num, k);
    for (unsigned i = 0; i < num; i++)
        store(at + 16 * i, x[i]);
}

INLINE TARGET void few_crypt(uint8_t *at, size_t num, const struct few_keys *k)
{
    if (num == 1)
        one_blocks(at, 1, k);
    else if (num == 2)
        one_blocks(at, 2, k);
    else
        one_blocks(at, FEW, k);
}

#include "../block_modes.h"
