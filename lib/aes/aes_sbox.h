/* SPDX-License-Identifier: Apache-2.0 */
/* The S-box of FIPS 197 section 5.1.1 as a Boolean circuit: inversion in GF(2^8), then an affine
 * map.
 *
 * Inversion is cheap in the tower of fields (Satoh, Morioka, Takano and Munetoh, Asiacrypt 2001)
 *
 *     GF(2^2) = GF(2)[w] / (w^2 + w + 1)
 *     GF(2^4) = GF(2^2)[x] / (x^2 + x + w)
 *     GF(2^8) = GF(2^4)[y] / (y^2 + y + v),  v = w x
 *
 * because for a = a1 y + a0 the norm n = v a1^2 + a0 (a1 + a0) lies in GF(2^4), and 1/a = (a1 y +
 * a1 + a0) / n; inversion in GF(2^4) is reduced to GF(2^2) in the same way.  Bits 0 to 7 of an
 * element are the coefficients of 1, w, x, wx, y, wy, xy, wxy.  FIPS 197's polynomial x^8 + x^4 +
 * x^3 + x + 1 has the root 0x7a in this field; the root's powers 1, 7a, 45, 48, 60, f4, 6a, 9a are
 * the columns of to_tower().  Of all choices of v and of the root, these make the four linear maps
 * cheapest: 11 + 12 + 12 + 12 XORs, found by computing the most frequent pair of terms once,
 * repeatedly (Paar, 1997).
 *
 * A plane holds one bit of each of 64 bytes: q[j] has their bits j.  The S-box's constant 0x63 is
 * not added in this file. */
#ifndef HR_AES_SBOX_H
#define HR_AES_SBOX_H

#include <stdint.h>

struct gf4 {
    uint64_t a0, a1;
};
struct gf16 {
    struct gf4 a0, a1;
};

static inline struct gf4 add4(struct gf4 a, struct gf4 b)
{
    return (struct gf4){ a.a0 ^ b.a0, a.a1 ^ b.a1 };
}

/* Karatsuba multiplication: three products at each level of the tower. */
static inline struct gf4 mul4(struct gf4 a, struct gf4 b)
{
    const uint64_t low = a.a0 & b.a0, high = a.a1 & b.a1, sum = (a.a0 ^ a.a1) & (b.a0 ^ b.a1);
    return (struct gf4){ low ^ high, low ^ sum };
}

static inline struct gf4 square4(struct gf4 a)
{
    return (struct gf4){ a.a0 ^ a.a1, a.a1 };
}

static inline struct gf4 mul4_w(struct gf4 a)
{
    return (struct gf4){ a.a1, a.a0 ^ a.a1 };
}

static inline struct gf16 add16(struct gf16 a, struct gf16 b)
{
    return (struct gf16){ add4(a.a0, b.a0), add4(a.a1, b.a1) };
}

static inline struct gf16 mul16(struct gf16 a, struct gf16 b)
{
    const struct gf4 low = mul4(a.a0, b.a0), high = mul4(a.a1, b.a1);
    const struct gf4 sum = mul4(add4(a.a0, a.a1), add4(b.a0, b.a1));
    return (struct gf16){ add4(low, mul4_w(high)), add4(low, sum) };
}

static inline struct gf16 mul16_square_v(struct gf16 a) /* returns v a^2 */
{
    const uint64_t b0 = a.a0.a0, b1 = a.a0.a1, b2 = a.a1.a0, b3 = a.a1.a1;
    return (struct gf16){ { b2, b2 ^ b3 }, { b1 ^ b2 ^ b3, b0 ^ b3 } };
}

static inline struct gf16 inverse16(struct gf16 a)
{
    const struct gf4 sum = add4(a.a0, a.a1);
    const struct gf4 norm = add4(mul4_w(square4(a.a1)), mul4(a.a0, sum));
    const struct gf4 inverse = square4(norm); /* the square is the inverse, because n^3 = 1 in
                                               * GF(2^2) */
    return (struct gf16){ mul4(sum, inverse), mul4(a.a1, inverse) };
}

static inline void inverse256(uint64_t q[8])
{
    const struct gf16 a0 = { { q[0], q[1] }, { q[2], q[3] } };
    const struct gf16 a1 = { { q[4], q[5] }, { q[6], q[7] } };
    const struct gf16 sum = add16(a0, a1);
    const struct gf16 inverse = inverse16(add16(mul16_square_v(a1), mul16(a0, sum)));
    const struct gf16 b0 = mul16(sum, inverse), b1 = mul16(a1, inverse);
    q[0] = b0.a0.a0, q[1] = b0.a0.a1, q[2] = b0.a1.a0, q[3] = b0.a1.a1;
    q[4] = b1.a0.a0, q[5] = b1.a0.a1, q[6] = b1.a1.a0, q[7] = b1.a1.a1;
}

static inline void to_tower(uint64_t q[8])
{
    const uint64_t t0 = q[1] ^ q[6], t1 = q[5] ^ t0, t2 = q[5] ^ q[7], t3 = q[7] ^ t0;
    const uint64_t t4 = q[4] ^ t1, t5 = q[2] ^ q[3], t6 = q[1] ^ t2, t7 = t4 ^ t5;
    const uint64_t t8 = q[2] ^ q[5], t9 = q[3] ^ t3, t10 = q[0] ^ q[2];
    q[0] = t10, q[1] = t3, q[2] = t8, q[3] = t9, q[4] = t6, q[5] = t4, q[6] = t7, q[7] = t2;
}

static inline void from_tower(uint64_t q[8])
{
    const uint64_t t0 = q[3] ^ q[6], t1 = q[5] ^ t0, t2 = q[1] ^ t1, t3 = q[2] ^ t2;
    const uint64_t t4 = q[4] ^ t1, t5 = q[7] ^ t3, t6 = q[1] ^ q[5], t7 = q[1] ^ q[3];
    const uint64_t t8 = q[2] ^ t4, t9 = q[4] ^ q[7], t10 = q[0] ^ t2, t11 = q[7] ^ t6;
    q[0] = t10, q[1] = t9, q[2] = t2, q[3] = t7, q[4] = t11, q[5] = t3, q[6] = t8, q[7] = t5;
}

/* The linear map out of the tower, followed by the matrix of the S-box's affine map. */
static inline void from_tower_affine(uint64_t q[8])
{
    const uint64_t t0 = q[4] ^ q[5], t1 = q[0] ^ t0, t2 = q[2] ^ t1, t3 = q[4] ^ q[6];
    const uint64_t t4 = q[0] ^ q[1], t5 = q[7] ^ t3, t6 = q[2] ^ t3, t7 = q[3] ^ t1;
    const uint64_t t8 = q[2] ^ t0, t9 = q[6] ^ t2, t10 = q[2] ^ t4, t11 = q[3] ^ t8;
    q[0] = t2, q[1] = t10, q[2] = t4, q[3] = t9, q[4] = t7, q[5] = t11, q[6] = t5, q[7] = t6;
}

/* The inverse of the affine map's matrix, followed by the map into the tower. */
static inline void affine_to_tower(uint64_t q[8])
{
    const uint64_t t0 = q[1] ^ q[2], t1 = q[7] ^ t0, t2 = q[4] ^ q[5], t3 = q[3] ^ t1;
    const uint64_t t4 = q[1] ^ t2, t5 = q[6] ^ t1, t6 = q[0] ^ q[3], t7 = q[4] ^ t0;
    const uint64_t t8 = t2 ^ t3, t9 = q[0] ^ t3, t10 = q[0] ^ t7, t11 = t0 ^ t2;
    q[0] = t11, q[1] = t4, q[2] = t0, q[3] = t10, q[4] = t9, q[5] = t8, q[6] = t6, q[7] = t5;
}

static inline void sub_bytes(uint64_t q[8]) /* SubBytes without the constant 0x63 */
{
    to_tower(q);
    inverse256(q);
    from_tower_affine(q);
}

static inline void inv_sub_bytes(uint64_t q[8]) /* InvSubBytes of bytes from which 0x63 has been
                                                 * subtracted */
{
    affine_to_tower(q);
    inverse256(q);
    from_tower(q);
}

#endif
