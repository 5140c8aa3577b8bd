/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on one block in each 16 bytes of a vector, for few blocks and for chains: GFNI, AVX-512.
 * A half lies twice in its 16 bytes; both then go through the S-boxes, to under the two maps that
 * camellia_filters.h tells of, and P's shuffles take of each what is read next.  Included once for
 * each width, with W, the vector, OP(name) its instructions, WIDE(name) names here and MASK
 * its masks of bytes. */

INLINE TARGET W WIDE(pair)(uint64_t low, uint64_t high)
{
    return OP(broadcast)(_mm_set_epi64x((long long)high, (long long)low));
}

#define BOX(s) \
    OP(gf2p8affineinv_epi64_epi8)(x, WIDE(pair)(CAMELLIA_S##s, CAMELLIA_S##s##_TURNED), 0)
#define SHUFFLE(z, i) OP(shuffle_epi8)(z, OP(set1_epi64)((long long)load_le64(p[i])))
#define ADD3(a, b, c) OP(ternarylogic_epi64)(a, b, c, 0x96)

/* other + F(x), less what keys add.  A shuffle takes what it wants of one S-box's image of all
 * bytes: to mask images would cost more time than two shuffles more. */
INLINE TARGET W WIDE(add_f)(W other, W x)
{
    static const uint8_t p[8][8] = { CAMELLIA_P };
    const W a = BOX(1), b = BOX(2), c = BOX(3);
    const W first = ADD3(SHUFFLE(a, 0), SHUFFLE(a, 1), SHUFFLE(a, 2));
    const W second = ADD3(SHUFFLE(a, 3), SHUFFLE(b, 4), SHUFFLE(b, 5));
    return ADD3(ADD3(other, SHUFFLE(c, 6), SHUFFLE(c, 7)), first, second);
}

/* Under one map in the lower 8 bytes, under the other in the upper ones; then of each its own. */
#define AFFINE(x, map) \
    OP(gf2p8affine_epi64_epi8)(x, WIDE(pair)(CAMELLIA_##map, CAMELLIA_##map##_TURNED), 0)

INLINE TARGET W WIDE(enter)(W x)
{
    const uint64_t own = 0x070e05040b020100;
    return OP(shuffle_epi8)(AFFINE(x, ENTER), WIDE(pair)(own, own));
}

INLINE TARGET W WIDE(leave)(W x)
{
    const uint64_t own = 0x070e05040b020100;
    return OP(shuffle_epi8)(AFFINE(x, LEAVE), WIDE(pair)(own, own));
}

#define KEY(n) OP(set1_epi64)((long long)k->program[n])

/* Words of 32 bits, which the RFC writes with the first byte highest; the left one is the lower. */
INLINE TARGET W WIDE(words)(W x)
{
    return OP(shuffle_epi8)(x, WIDE(pair)(0x0405060700010203, 0x0c0d0e0f08090a0b));
}

/* The same of a half under its maps: leave() and words(). */
INLINE TARGET W WIDE(leave_words)(W x)
{
    const uint64_t own = 0x04050e070001020b;
    return OP(shuffle_epi8)(AFFINE(x, LEAVE), WIDE(pair)(own, own));
}

/* Section 2.4.2: what FL adds to the right words, and to the left ones. */
INLINE TARGET W WIDE(fl_right)(W x, W key)
{
    const W t = OP(rol_epi32)(x, 1) & key;
    return x ^ OP(slli_epi64)(t, 32);
}

INLINE TARGET W WIDE(fl_left)(W x, W key)
{
    return x ^ OP(srli_epi64)(x | key, 32);
}

/* With entries n and n + 1, from under the maps and back. */
INLINE TARGET W WIDE(fl)(W x, const struct few_keys *k, unsigned n, int inverse)
{
    const W key = WIDE(words)(KEY(n)), turned = key | WIDE(words)(KEY(n + 1));
    x = WIDE(leave_words)(x);
    x = inverse ? WIDE(fl_right)(WIDE(fl_left)(x, key), turned)
                : WIDE(fl_left)(WIDE(fl_right)(x, turned), key);
    return WIDE(enter)(WIDE(words)(x));
}

/* num vectors, a constant, through the cipher. */
INLINE TARGET void WIDE(crypt)(W *x, unsigned num, const struct few_keys *k)
{
    W left[2], right[2];
    unsigned n = 1, rounds = k->rounds;
#define EACH _Pragma("GCC unroll 2") for (unsigned i = 0; i < num; i++)
    EACH
    {
        left[i] = WIDE(enter)(OP(unpacklo_epi64)(x[i], x[i]) ^ KEY(0));
        right[i] = WIDE(enter)(OP(unpackhi_epi64)(x[i], x[i]));
    }
    for (;;) {
        for (const unsigned end = n + 6; n < end; n += 2) {
            EACH right[i] = WIDE(add_f)(right[i] ^ KEY(n), left[i]);
            EACH left[i] = WIDE(add_f)(left[i] ^ KEY(n + 1), right[i]);
        }
        rounds -= 6;
        if (!rounds)
            break;
        EACH
        {
            left[i] = WIDE(fl)(left[i], k, n, 0);
            right[i] = WIDE(fl)(right[i], k, n + 2, 1);
        }
        n += 4;
    }
    EACH x[i] = OP(unpacklo_epi64)(WIDE(leave)(right[i]) ^ KEY(n), WIDE(leave)(left[i]));
#undef EACH
}

#undef BOX
#undef SHUFFLE
#undef ADD3
#undef AFFINE
#undef KEY
#undef W
#undef OP
#undef WIDE
#undef MASK
