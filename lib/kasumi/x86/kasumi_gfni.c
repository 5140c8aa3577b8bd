/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI of a single chain, TS 35.202, without tables in memory: a register holds one number,
 * repeated in all its bytes or words, and latency determines the time.
 *
 *   int kasumi_ecb_{en,de}crypt_gfni(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                                    const struct kasumi_key *key, const uint8_t *iv,
 *                                    uint8_t *next);
 *   int kasumi_f8_gfni(the same parameters);
 *   void kasumi_f9_gfni(uint8_t state[16], const uint8_t *in, size_t num_blocks,
 *                       const struct kasumi_key *key);
 *
 * out is equal to in or does not overlap it; any alignment.
 *
 * S9 is quadratic: its bit k is u . (Q_k u ^ h m_k) ^ h c_k, where u is eight of its nine input
 * bits and h is the ninth.  A GF2P8AFFINEQB with the matrices Q_k computes the rows Q_k u, a
 * permutation moves them to where the next GF2P8AFFINEQB reads its matrix, and that one computes
 * eight bits of the result: 3 + 3 + 1 + 3 cycles and an addition.  The ninth bit is computed in the
 * same way without the permutation, as a mask.  S7 is a table lookup in 128 bytes of registers: two
 * VPERMB, and a selection by bit 6; its 4 cycles run beside S9.  FI consists of two S9, a doubling
 * and an addition, 24 cycles.  Two of FO's three FI run side by side, so the chain of a block has
 * 16 FI, and 8 FL of 8 cycles: 450 cycles. */
#include "../kasumi.h"
#include "../kasumi_tables.h"
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define TARGET \
    __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,gfni"), no_stack_protector))

typedef __m512i V;

#define T3(a, b, c, imm) _mm512_ternarylogic_epi64(a, b, c, imm)
#define XOR2(a, b) _mm512_xor_si512(a, b)
#define XOR3(a, b, c) T3(a, b, c, 0x96)
#define ADDMUL(c, a, b) T3(c, a, b, 0x78) /* c ^ (a & b) */
#define AFFINE(x, matrix) _mm512_gf2p8affine_epi64_epi8(x, matrix, 0)

/* S9 in two forms: u is input bits 8 to 1 and h bit 0, as FI's input has them, or u is bits 7 to 0
 * and h bit 8, as FI goes on. */
struct quadratic {
    uint64_t q[9]; /* Q_k; row i of a matrix is its byte 7 - i */
    uint64_t m;    /* m_k in the same order, for bits 0 to 7 */
    uint8_t m8, c; /* m8: m_8; c: c_k of bits 0 to 7 (that of bit 8 is zero) */
};
/* Computed from the equations of TS 35.202 section 4.5 by tools/gen/kasumi_quadratic.py.  The test
 * of kernels covers every input of S9. */
static const struct quadratic quadratics[2] = {
    { { 0x40500480a0008000, 0x4944100080200000, 0x0120284060400080, 0xa208004010008000,
        0x8480a00800400000, 0x2802405080c08000, 0x9014a030a000c000, 0x0264241040000080,
        0x3292882000004000 },
      0x421994a451200007,
      0x01,
      0x48 },
    { { 0x8480a00800400000, 0x3292882000004000, 0x2802405080c08000, 0x4944100080200000,
        0xa208004010008000, 0x40500480a0008000, 0x0120284060400080, 0x0e04c84820800000,
        0x0264241040000080 },
      0xb02001830ee0aa00,
      0x0c,
      0x84 },
};
#define S9_0 0xa7 /* S9(0) = 167; its bit 8 is zero */

/* Constants that stay in registers, or are loaded when there are too few. */
struct constants {
    V q[2], q8[2], m[2], m8[2], c[2]; /* the members of `quadratics` */
    V s7[2], rows, high, low, bit7, bit6, seven;
};

/* The two bytes of a 16-bit word, the high one and the low one, each repeated in a whole vector. */
struct bytes {
    V h, l;
};

struct fi_key {
    V low, bit8; /* low: low byte of KI2 ^ S9_0; bit8: ninth bit of KI2 as a mask */
    V seven;     /* KI1 ^ the low 7 bits of KI2 */
};
struct round_keys {
    V kl1, kl2, ko1, ko2, ko3; /* repeated in all words */
    struct fi_key ki[3];
};

INLINE TARGET V bytes_of(uint32_t x)
{
    return _mm512_set1_epi8((char)x);
}
INLINE TARGET V words_of(uint32_t x)
{
    return _mm512_set1_epi16((short)x);
}

INLINE TARGET void constants_init(struct constants *c)
{
    for (int i = 0; i < 2; i++) {
        const struct quadratic *const from = &quadratics[i];
        c->q[i] = _mm512_loadu_si512(from->q);
        c->q8[i] = _mm512_set1_epi64((long long)from->q[8]);
        c->m[i] = _mm512_set1_epi64((long long)from->m);
        c->m8[i] = bytes_of(from->m8);
        c->c[i] = bytes_of(from->c);
        c->s7[i] = _mm512_loadu_si512(kasumi_s7_table + 64 * i);
    }
    /* selects byte 7 - k of every 64 bits, which holds bit k */
    c->rows = _mm512_set1_epi64(0x0008101820283038);
    c->high = words_of(0x0101);
    c->low = words_of(0x0000);
    c->bit7 = _mm512_set1_epi64((long long)0x8080808080808080);
    c->bit6 = _mm512_set1_epi64(0x4040404040404040);
    c->seven = bytes_of(0x7f);
}

INLINE TARGET V lookup_s7(V x, const struct constants *c)
{
    const V a = _mm512_permutexvar_epi8(x, c->s7[0]), b = _mm512_permutexvar_epi8(x, c->s7[1]);
    return T3(AFFINE(x, c->bit6), a, b, 0xac); /* bit 6 of x ? b : a */
}

/* Returns the low byte of S9 and in *bit8, as a mask, the ninth bit; both without the term h c_k.
 */
INLINE TARGET V s9(V *bit8, V u, V h, int which, const struct constants *c)
{
    const V rows = _mm512_permutexvar_epi8(c->rows, AFFINE(u, c->q[which]));
    *bit8 = AFFINE(u, ADDMUL(AFFINE(u, c->q8[which]), c->m8[which], h));
    return AFFINE(u, ADDMUL(rows, c->m[which], h));
}

/* Returns FI(x) XORed with `add`. */
INLINE TARGET struct bytes fi(struct bytes x, const struct fi_key *k, struct bytes add,
                              const struct constants *c)
{
    V bit8, h = AFFINE(x.l, c->bit7);
    const V r0 = _mm512_and_si512(x.l, c->seven);
    const V more = XOR2(k->low, r0);
    V y = s9(&bit8, x.h, h, 0, c);
    y = XOR2(y, ADDMUL(more, c->c[0], h));
    h = XOR2(bit8, k->bit8);
    const V r2 = ADDMUL(XOR2(lookup_s7(x.l, c), k->seven), y, c->seven);
    const V over = XOR2(r2, bytes_of(S9_0));
    V z = s9(&bit8, y, h, 1, c);
    z = XOR2(z, ADDMUL(over, c->c[1], h));
    const V top = lookup_s7(r2, c);
    /* the high byte is (S7 ^ the low 7 bits) doubled, and the ninth bit */
    const V rest = T3(_mm512_add_epi8(top, top), bit8, bytes_of(1), 0x78);
    return (struct bytes){ XOR3(_mm512_add_epi8(z, z), rest, add.h), XOR2(z, add.l) };
}

INLINE TARGET struct bytes split(V words, const struct constants *c)
{
    return (struct bytes){ _mm512_shuffle_epi8(words, c->high),
                           _mm512_shuffle_epi8(words, c->low) };
}

INLINE TARGET V join(struct bytes x)
{
    return _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, x.l, x.h);
}

INLINE TARGET void fo(V *l, V *r, const struct round_keys *k, const struct constants *c)
{
    const struct bytes none = { _mm512_setzero_si512(), _mm512_setzero_si512() };
    const struct bytes r3 = split(XOR2(*r, k->ko3), c);
    struct bytes y = fi(split(XOR2(*l, k->ko1), c), &k->ki[0], r3, c); /* input of the third FI */
    const V left = XOR3(join(fi(split(XOR2(*r, k->ko2), c), &k->ki[1], none, c)), join(y), k->ko3);
    *r = XOR2(join(fi(y, &k->ki[2], none, c)), left);
    *l = left;
}

INLINE TARGET V rotl1(V x)
{
    return _mm512_shldi_epi16(x, x, 1);
}

INLINE TARGET void fl(V *l, V *r, const struct round_keys *k)
{
    *r = XOR2(*r, rotl1(_mm512_and_si512(*l, k->kl1)));
    *l = XOR2(*l, rotl1(_mm512_or_si512(*r, k->kl2)));
}

/* ---- blocks, which are four words ---- */

struct state {
    V w[4]; /* the left half (two words), then the right half */
};

INLINE TARGET void odd_round(struct state *s, const struct round_keys *k, const struct constants *c)
{
    V l = s->w[0], r = s->w[1];
    fl(&l, &r, k);
    fo(&l, &r, k, c);
    s->w[2] = XOR2(s->w[2], l);
    s->w[3] = XOR2(s->w[3], r);
}

INLINE TARGET void even_round(struct state *s, const struct round_keys *k,
                              const struct constants *c)
{
    V l = s->w[2], r = s->w[3];
    fo(&l, &r, k, c);
    fl(&l, &r, k);
    s->w[0] = XOR2(s->w[0], l);
    s->w[1] = XOR2(s->w[1], r);
}

INLINE TARGET struct state load(uint64_t x)
{
    return (struct state){ { words_of((uint32_t)(x >> 48)), words_of((uint32_t)(x >> 32)),
                             words_of((uint32_t)(x >> 16)), words_of((uint32_t)x) } };
}

INLINE TARGET uint64_t store(const struct state *s)
{
    const V l = _mm512_unpacklo_epi16(s->w[1], s->w[0]),
            r = _mm512_unpacklo_epi16(s->w[3], s->w[2]);
    const V both = _mm512_unpacklo_epi32(r, l);
    return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(both));
}

struct schedule {
    struct round_keys round[8];
    struct constants c;
};

static __attribute__((noinline)) TARGET void expand(struct schedule *s,
                                                    const struct kasumi_key *key)
{
    constants_init(&s->c);
    for (int i = 0; i < 8; i++) {
        const uint16_t *const from = key->round[i];
        struct round_keys *const to = &s->round[i];
        to->kl1 = words_of(from[KL1]);
        to->kl2 = words_of(from[KL2]);
        to->ko1 = words_of(from[KO1]);
        to->ko2 = words_of(from[KO2]);
        to->ko3 = words_of(from[KO3]);
        for (int j = 0; j < 3; j++) {
            const uint32_t ki = from[KI1 + j];
            to->ki[j].low = bytes_of(ki ^ S9_0);
            to->ki[j].bit8 = bytes_of(0 - (ki >> 8 & 1));
            to->ki[j].seven = bytes_of(ki >> 9 ^ (ki & 0x7f));
        }
    }
}

INLINE TARGET void wipe(struct schedule *s)
{
    const V zero = _mm512_setzero_si512();
    V *const end = (V *)&s->round[8];
    for (V *at = (V *)s->round; at < end; at++)
        _mm512_store_si512(at, zero);
    __asm__ volatile("" : : "r"(s) : "memory");
}

static __attribute__((noinline)) TARGET uint64_t encrypt(uint64_t x, const struct schedule *s)
{
    struct state b = load(x);
    for (int i = 0; i < 8; i += 2) {
        odd_round(&b, &s->round[i], &s->c);
        even_round(&b, &s->round[i + 1], &s->c);
    }
    return store(&b);
}

static __attribute__((noinline)) TARGET uint64_t decrypt(uint64_t x, const struct schedule *s)
{
    struct state b = load(x);
    for (int i = 6; i >= 0; i -= 2) {
        even_round(&b, &s->round[i + 1], &s->c);
        odd_round(&b, &s->round[i], &s->c);
    }
    return store(&b);
}

TARGET int kasumi_ecb_encrypt_gfni(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const void *key, const uint8_t *iv, uint8_t *next)
{
    struct schedule s;
    expand(&s, key);
    for (size_t i = 0; i < num_blocks; i++)
        store_be64(out + 8 * i, encrypt(load_be64(in + 8 * i), &s));
    wipe(&s);
    return 0;
}

TARGET int kasumi_ecb_decrypt_gfni(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                   const void *key, const uint8_t *iv, uint8_t *next)
{
    struct schedule s;
    expand(&s, key);
    for (size_t i = 0; i < num_blocks; i++)
        store_be64(out + 8 * i, decrypt(load_be64(in + 8 * i), &s));
    wipe(&s);
    return 0;
}

TARGET int kasumi_f8_gfni(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                          const uint8_t *iv, uint8_t *next)
{
    const uint64_t a = load_be64(iv + KASUMI_F8_A);
    uint64_t ksb = load_be64(iv + KASUMI_F8_KSB), count = load_be64(iv + KASUMI_F8_COUNT);
    struct schedule s;
    expand(&s, key);
    for (size_t i = 0; i < num_blocks; i++, count++) {
        ksb = encrypt(a ^ count ^ ksb, &s);
        store_be64(out + 8 * i, load_be64(in + 8 * i) ^ ksb);
    }
    wipe(&s);
    if (next) {
        store_be64(next + KASUMI_F8_A, a);
        store_be64(next + KASUMI_F8_KSB, ksb);
        store_be64(next + KASUMI_F8_COUNT, count);
    }
    return 0;
}

TARGET void kasumi_f9_gfni(uint8_t state[16], const uint8_t *in, size_t num_blocks,
                           const struct kasumi_key *key)
{
    uint64_t a = load_be64(state), b = load_be64(state + 8);
    struct schedule s;
    expand(&s, key);
    for (size_t i = 0; i < num_blocks; i++) {
        a = encrypt(a ^ load_be64(in + 8 * i), &s);
        b ^= a;
    }
    wipe(&s);
    store_be64(state, a);
    store_be64(state + 8, b);
}
