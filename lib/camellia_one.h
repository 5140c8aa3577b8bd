/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia, RFC 3713, on one block, for chains, and on a few side by side: AES's S-box is
 * Camellia's between linear maps, for which nibbles are looked up; P is shuffles of what the maps
 * put out.
 *
 * A half is a vector of 16 bytes, a byte in each word of 16 bits, the upper one: so a shift of
 * words makes indices of high nibbles. It is kept under the map that AES's S-box wants, and the
 * bytes that s4 reads turned before it. Four maps are then enough: turned by one bit less or more,
 * s1's image is those of s2, s3 and s4. In the lower bytes are sums of half of P's terms, which a
 * shift adds to the others; what comes of them behind is never looked at. On the chain of a round
 * are
 *
 *   the S-box, a shift, a look-up, a sum with the low nibbles' one, a word of another map,
 *   a shuffle, two sums, the shift and its sum
 *
 * and 12 look-ups and shuffles in all, for CPUs that begin one a cycle. The last round of six
 * writes to the clear, for FL.
 *
 * Who includes this has defined INLINE, TARGET, MODE(mode) as block_modes.h wants it, and on V, a
 * vector of 16 bytes with ^, & and |,
 *   V load(const uint8_t *), void store(uint8_t *, V); V load8(const uint64_t *), beside which are
 *     zeros; V spread(const uint64_t *), eight bytes as the upper ones of words;
 *   V look(V table, V index), of indices up to 15, or from 0x80 on for zero;
 *   V low(V x), V high(V x), the nibbles of bytes; V high_of_words(V x), of upper bytes;
 *   V sub(V x), AES's SubBytes after ShiftRows; V kept(V x), x, computed as it is written;
 *   V word1(V a, V b), b's word 1 of 32 bits among a's; V words36(V a, V b), b's words 3 and 6 of
 * 16 bits; V fold_words(V x), lower bytes of words to the upper ones' places; V fold_halves(V x),
 * the upper 8 bytes to the place of the lower ones; V turned(V x), words of 32 bits turned left by
 * a bit; V up(V x), V down(V x), of each 8 bytes the lower word to the upper one's place, or back.
 */
#include "camellia_form.h"
#include "camellia_layers.h"

enum { FEW = 4 };

/* Into a map or out of it, what s4 reads by the other one. */
INLINE TARGET V one_map(V x, const uint8_t map[4][16])
{
    const V l = low(x), h = high(x);
    return words36(look(load(map[0]), l) ^ look(load(map[1]), h),
                   look(load(map[2]), l) ^ look(load(map[3]), h));
}

/* The terms of F(x) by two. */
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

/* other + F(x), less what keys add. */
INLINE TARGET V one_round(V other, V x)
{
    const V sum = one_terms(x, &camellia_to_box);
    return kept(sum ^ other) ^ fold_words(sum);
}

/* The same to the clear. */
INLINE TARGET V one_last_round(V other, V x)
{
    const V sum = one_terms(x, &camellia_to_clear);
    return kept(sum ^ other) ^ fold_halves(sum);
}

/* To the upper bytes of words from 8 bytes, from the 8 behind them, from words of 32 bits; to
 * these; and to bytes. */
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

/* To words. */
INLINE TARGET V one_leave(V x)
{
    return look(one_map(x, camellia_one_leave), load(one_order[3]));
}

/* Section 2.4.2. */
INLINE TARGET V one_fl_right(V x, V key)
{
    return x ^ (up(turned(x)) & key);
}

INLINE TARGET V one_fl_left(V x, V key)
{
    return x ^ (down(x) | key);
}

/* num blocks through the cipher, num a constant. */
INLINE TARGET void one_crypt(V *x, unsigned num, const struct few_keys *k)
{
    /* As the cipher's output has them: the right half first. */
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

/* ---- what block_modes.h wants ---- */

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

#include "block_modes.h"
