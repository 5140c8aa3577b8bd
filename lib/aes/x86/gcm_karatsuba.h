/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 128-bit polynomials by three multiplications (Karatsuba): (a1 + a0)(b1 + b0) - a1 b1
 * - a0 b0 = a1 b0 + a0 b1.  This is for CPUs without an instruction that adds three vectors.  The
 * sums b1 + b0 of the powers are stored with the powers.  Included by gcm_vec128.h and
 * gcm_vec256.h. */

/* A product that is not reduced, as low + (middle - low - high) * x^64 + high * x^128. */
struct sum {
    vec low, middle, high;
    int some; /* whether there is any; a constant wherever it is used */
};

struct power {
    vec h, halves;
};

enum { HALVES = GCM_POWERS / 2 };
static_assert(POWERS + LANES - 1 <= HALVES, "room for powers and what is read beyond them");

INLINE TARGET_GCM struct power power_of(vec h)
{
    return (struct power){ h, xor(h, swap(h)) };
}

/* The powers for the blocks of one vector, from power i on. */
INLINE TARGET_GCM struct power power_at(const struct aead_key *key, size_t i)
{
    return (struct power){ load(key->powers[i]), load(key->powers[HALVES + i]) };
}

/* Power i for all blocks of a vector. */
INLINE TARGET_GCM struct power power_spread(const struct aead_key *key, size_t i)
{
    return (struct power){ spread(key->powers[i]), spread(key->powers[HALVES + i]) };
}

/* The powers from i on, except that the last block's power is h. */
INLINE TARGET_GCM struct power power_and_h(const struct aead_key *key, size_t i)
{
    return (struct power){
        put_last(load(key->powers[i]), load16(key->powers[POWERS - 1])),
        put_last(load(key->powers[HALVES + i]), load16(key->powers[HALVES + POWERS - 1])),
    };
}

/* The barrier keeps the compiler from changing the order of summation in a way that needs more
 * registers. */
INLINE TARGET_GCM void add_product(struct sum *sum, vec x, struct power p)
{
    if (sum->some) {
        sum->low = xor(sum->low, PRODUCT(x, p.h, 0x00));
        sum->high = xor(sum->high, PRODUCT(x, p.h, 0x11));
        sum->middle = xor(sum->middle, PRODUCT(xor(x, swap(x)), p.halves, 0x00));
    } else {
        sum->low = PRODUCT(x, p.h, 0x00);
        sum->high = PRODUCT(x, p.h, 0x11);
        sum->middle = PRODUCT(xor(x, swap(x)), p.halves, 0x00);
    }
    sum->some = 1;
    __asm__("" : "+x"(sum->low), "+x"(sum->middle), "+x"(sum->high));
}

INLINE TARGET_GCM void add_products(struct sum *sum, vec x, struct power p, vec y, struct power q)
{
    add_product(sum, x, p);
    add_product(sum, y, q);
}

/* add_high() adds the product of h and a block whose low half is zero. */
INLINE TARGET_GCM void add_high(struct sum *sum, uint64_t x, const struct aead_key *key)
{
    const block y = _mm_slli_si128(_mm_cvtsi64_si128((long long)x), 8);
    add_product(sum, widen(y), power_at(key, POWERS - 1));
}

INLINE TARGET_GCM void add_low(struct sum *sum, block x, const struct aead_key *key)
{
    add_product(sum, widen(x), power_at(key, POWERS - 1));
}

INLINE TARGET_GCM vec middle_of(const struct sum *sum)
{
    return xor3(sum->middle, sum->low, sum->high);
}

INLINE TARGET_GCM void keep_halves(struct aead_key *key)
{
    for (unsigned i = 0; i < POWERS; i++) {
        const block h = load16(key->powers[i]);
        store16(key->powers[HALVES + i], xor16(h, _mm_shuffle_epi32(h, 0x4e)));
    }
}
