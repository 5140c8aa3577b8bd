/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on one block in each 16 bytes of a vector, for few blocks and for chains, with GFNI and
 * AVX-512.  A half lies twice in its 16 bytes.  Both copies go through the S-boxes, but with
 * results under two different maps, and P's shuffles take from each the bytes that are needed next
 * (camellia_filters.h).  The last of six rounds leaves its half without a map, for which there is
 * time while the other half is computed; so between two groups of rounds there is nothing but FL
 * and the application of the maps.  Included once for each vector width, with W, the vector,
 * OP(name), its intrinsics, and WIDE(name), names of functions. */

INLINE TARGET W WIDE(pair)(uint64_t low, uint64_t high)
{
    return OP(broadcast)(_mm_set_epi64x((long long)high, (long long)low));
}

#define SPREAD(qword) OP(set1_epi64)((long long)(qword))
#define GATE(a, b, c, table) OP(ternarylogic_epi64)(a, b, c, table)
#define ADD3(a, b, c) GATE(a, b, c, 0x96)

/* Returns other + F(x); the round's key has been added to x already. */
INLINE TARGET W WIDE(add_terms)(W other, W x, const uint64_t images[3][2], const uint8_t p[6][8])
{
    W t[6];
    _Pragma("GCC unroll 6") for (unsigned i = 0; i < 6; i++)
    {
        const W map = WIDE(pair)(images[i / 2][0], images[i / 2][1]);
        t[i] = OP(shuffle_epi8)(OP(gf2p8affineinv_epi64_epi8)(x, map, 0), SPREAD(load_le64(p[i])));
    }
    return ADD3(ADD3(other, t[0], t[2]), ADD3(t[1], t[3], t[4]), t[5]);
}

INLINE TARGET W WIDE(add_f)(W other, W x)
{
    static const uint64_t images[3][2] = { CAMELLIA_IMAGES };
    static const uint8_t p[6][8] = { CAMELLIA_P };
    return WIDE(add_terms)(other, x, images, p);
}

/* Returns other + F(x), where `other` and the result are words without a map, but x is under its
 * maps. */
INLINE TARGET W WIDE(add_clear_f)(W other, W x)
{
    static const uint64_t images[3][2] = { CAMELLIA_CLEAR_IMAGES };
    static const uint8_t p[6][8] = { CAMELLIA_CLEAR_P };
    return WIDE(add_terms)(other, x, images, p);
}

/* AFFINE applies one map to the lower 8 bytes and another to the upper 8.  ENTER does so and then
 * selects for each byte the map that it needs. */
#define AFFINE(x, map) \
    OP(gf2p8affine_epi64_epi8)(x, WIDE(pair)(CAMELLIA_##map, CAMELLIA_##map##_TURNED), 0)
#define ENTER(x, own) OP(shuffle_epi8)(AFFINE(x, ENTER), SPREAD(own))

/* Returns x with the bytes of each 32-bit word reversed: the RFC writes words with the first byte
 * highest; the left word is the lower one. */
INLINE TARGET W WIDE(words)(W x)
{
    return OP(shuffle_epi8)(x, WIDE(pair)(0x0405060700010203, 0x0c0d0e0f08090a0b));
}

INLINE TARGET W WIDE(enter)(W x)
{
    return ENTER(x, 0x070e05040b020100);
}

INLINE TARGET W WIDE(enter_words)(W x)
{
    return ENTER(x, 0x040d060708010203);
}

INLINE TARGET W WIDE(leave_words)(W x)
{
    return OP(shuffle_epi8)(AFFINE(x, LEAVE), SPREAD(0x04050e070001020b));
}

/* The two steps of FL, RFC 3713 section 2.4.2: fl_right() changes the right words, fl_left() the
 * left words. */
INLINE TARGET W WIDE(fl_right)(W x, W key)
{
    return GATE(x, OP(slli_epi64)(OP(rol_epi32)(x, 1), 32), key, 0x78);
}

INLINE TARGET W WIDE(fl_left)(W x, W key)
{
    return GATE(x, OP(srli_epi64)(x, 32), key, 0x1e);
}

#define KEY(n) SPREAD(key[(n)*next])
#define EACH _Pragma("GCC unroll 2") for (unsigned i = 0; i < num; i++)

/* Runs all rounds but the last one, whose key it adds, on num vectors; num is a constant.  The
 * halves are under their maps and have the first key added.  Returns the address of the entry that
 * is added after the last round. */
INLINE TARGET const uint64_t *WIDE(run)(W left[2], W right[2], unsigned num,
                                        const struct few_keys *k)
{
    const uint64_t *key = k->first + k->next;
    const ptrdiff_t next = k->next;
    for (unsigned rounds = k->rounds;; key += 4 * next) {
        _Pragma("GCC unroll 2") for (unsigned n = 0; n < 2; n++, key += 2 * next)
        {
            EACH right[i] = WIDE(add_f)(right[i] ^ KEY(0), left[i]);
            EACH left[i] = WIDE(add_f)(left[i] ^ KEY(1), right[i]);
        }
        EACH
        {
            right[i] = WIDE(add_f)(right[i] ^ KEY(0), left[i]);
            left[i] ^= KEY(1);
        }
        key += 2 * next;
        rounds -= 6;
        if (!rounds)
            return key;
        EACH
        {
            const W l = WIDE(add_clear_f)(WIDE(leave_words)(left[i]), right[i]);
            const W r = WIDE(leave_words)(right[i]);
            left[i] = WIDE(enter_words)(WIDE(fl_left)(WIDE(fl_right)(l, KEY(0)), KEY(1)));
            right[i] = WIDE(enter_words)(WIDE(fl_right)(WIDE(fl_left)(r, KEY(2)), KEY(3)));
        }
    }
}

/* Encrypts or decrypts num vectors. */
INLINE TARGET void WIDE(crypt)(W *x, unsigned num, const struct few_keys *k)
{
    W left[2], right[2];
    EACH
    {
        left[i] = WIDE(enter)(OP(unpacklo_epi64)(x[i], x[i]) ^ SPREAD(*k->first));
        right[i] = WIDE(enter)(OP(unpackhi_epi64)(x[i], x[i]));
    }
    const W last = WIDE(words)(SPREAD(*WIDE(run)(left, right, num, k)));
    EACH
    {
        const W l = WIDE(add_clear_f)(WIDE(leave_words)(left[i]), right[i]);
        x[i] = WIDE(words)(OP(unpacklo_epi64)(WIDE(leave_words)(right[i]) ^ last, l));
    }
}

#undef EACH
#undef KEY
#undef SPREAD
#undef GATE
#undef ADD3
#undef AFFINE
#undef ENTER
#undef W
#undef OP
#undef WIDE
