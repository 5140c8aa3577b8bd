/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI, TS 35.202, bit-sliced: a vector holds one bit of each of LANES blocks, and each lane has
 * a key of its own.  S7 and S9 are netlists of gates.  A rotation only determines which vectors a
 * gate reads; the same holds for subkeys, which are rotated words of the key, or of the key and a
 * constant.
 *
 * The outputs of S7 and S9 for zero are left out of the netlists, so KASUMI_FI_0 is missing in FI
 * twice.  In the middle of FI, it is included in the planes of KI. At the end, it is added to KO3
 * and to the result of FO, where it costs nothing with gates of three inputs.
 *
 * A kernel's file first includes a des_vec_<isa>.h, which defines V, a vector or uint64_t, INLINE,
 * TARGET, KERNEL, and T3 where the CPU has gates of three inputs (x86's VPTERNLOG). */
#ifndef HR_KASUMI_SLICE_H
#define HR_KASUMI_SLICE_H

#include "kasumi_lanes.h"

enum { WORDS = sizeof(V) / 8, LANES = 64 * WORDS };

#define XOR2(a, b) ((a) ^ (b))
#define MUL(a, b) ((a) & (b))
#ifdef T3
#define XOR3(a, b, c) T3(a, b, c, 0x96)
#define XNOR3(a, b, c) T3(a, b, c, 0x69)
#define ADDMUL(c, a, b) T3(c, a, b, 0x78)
#define ADDOR(c, a, b) T3(c, a, b, 0x1e)
#define ADDORN(c, a, b) T3(c, a, b, 0x2d) /* c ^ (a | ~b) */
#else
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define XNOR3(a, b, c) (~((a) ^ (b) ^ (c)))
#define ADDMUL(c, a, b) ((c) ^ ((a) & (b)))
#define ADDOR(c, a, b) ((c) ^ ((a) | (b)))
#define ADDORN(c, a, b) (~((c) ^ (~(a) & (b))))
#endif
#include "kasumi_sboxes.h"

/* The lanes' keys as bit planes: the words of K, and those of K', which is K XOR constants. */
struct planes {
    V k[8][16], other[8][16]; /* indexed by word and bit; `other` is K' ^ KASUMI_FI_0 */
};

/* ---- conversion between lanes and planes: a transposition of 64 x 64 bits in each word ---- */

/* Exchanges the bits of *a whose index has bit s set (s is a power of two) and the bits of *b whose
 * index has it clear. */
#ifdef T3
INLINE TARGET void swap_bits(V *a, V *b, unsigned s)
{
    const V mask = (uint64_t)(UINT64_MAX / ((1ull << s) + 1)) - (V){ 0 };
    const V low = T3(*b << s, *a, mask, 0xd8); /* mask ? *a : *b << s */
    *b = T3(*a >> s, *b, mask, 0xe4);
    *a = low;
}
#else
INLINE TARGET void swap_bits(V *a, V *b, unsigned s)
{
    const V mask = (uint64_t)(UINT64_MAX / ((1ull << s) + 1)) - (V){ 0 };
    const V differ = ((*a >> s) ^ *b) & mask;
    *b ^= differ;
    *a ^= differ << s;
}
#endif

/* For eight vectors at distances of `step`: exchanges the three bits of their index with three bits
 * of the index within a word, from the bit of weight `unit` on. */
INLINE TARGET void swap_eight(V *out, const V *in, unsigned step, unsigned unit)
{
    V v[8];
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        v[i] = in[i * step];
#pragma GCC unroll 3
    for (unsigned d = 4; d; d >>= 1)
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            if (!(i & d))
                swap_bits(&v[i], &v[i | d], d * unit);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        out[i * step] = v[i];
}

/* Moves bit j of word w of in[i] to bit i of word w of out[j]. */
static __attribute__((noinline)) TARGET void transpose(V out[64], const V in[64])
{
    for (unsigned at = 0; at < 8; at++)
        swap_eight(out + at, in + at, 8, 8);
    for (unsigned at = 0; at < 64; at += 8)
        swap_eight(out + at, out + at, 1, 1);
}

static __attribute__((noinline)) TARGET void make_planes(struct planes *p,
                                                         const struct kasumi_lanes *l)
{
    static const uint16_t constants[8] = { 0x0123, 0x4567, 0x89ab, 0xcdef,
                                           0xfedc, 0xba98, 0x7654, 0x3210 };
    V x[64];
    for (int half = 0; half < 2; half++) {
        transpose(x, (const V *)l->keys[half]);
        for (int j = 0; j < 4; j++)
            for (int b = 0; b < 16; b++) {
                const int word = 4 * half + j;
                const uint64_t flip =
                    -(uint64_t)((unsigned)(constants[word] ^ KASUMI_FI_0) >> b & 1);
                p->k[word][b] = x[16 * (3 - j) + b];
                p->other[word][b] = x[16 * (3 - j) + b] ^ flip;
            }
    }
    for (int i = 0; i < 64; i++)
        x[i] = (V){ 0 };
    __asm__ volatile("" : : "r"(x) : "memory");
}

/* ---- the cipher ---- */

/* Bit i of a word that is rotated left by n. */
#define ROTATED(word, i, n) ((word)[((i) + 16 - (n)) % 16])
#define MISSING(i) (KASUMI_FI_0 >> (i)&1)

/* Computes y = FI(x) without KASUMI_FI_0 at its end; ki includes the KASUMI_FI_0 for the middle. */
INLINE TARGET void fi(V y[16], const V x[16], const V ki[16])
{
    V a[9], b[7], c[9];
    kasumi_s9(a, x + 7);
    kasumi_s7(b, x);
#pragma GCC unroll 9
    for (int i = 0; i < 9; i++) {
        if (i < 7) {
            a[i] ^= x[i];
            b[i] = XOR3(b[i], a[i], ki[i + 9]);
        }
        c[i] = a[i] ^ ki[i];
    }
    kasumi_s9(y, c);
    kasumi_s7(y + 9, b);
#pragma GCC unroll 7
    for (int i = 0; i < 7; i++) {
        y[i] ^= b[i];
        y[i + 9] ^= y[i];
    }
}

/* Replaces x by FO of x.  The left half is x[16] to x[31], the right half x[0] to x[15]. */
static __attribute__((noinline)) TARGET void fo(V x[32], const struct planes *p, unsigned round)
{
    const V *const ko1 = p->k[(round + 1) % 8], *const ko2 = p->k[(round + 5) % 8];
    const V *const ko3 = p->k[(round + 6) % 8];
    V t[16], y1[16], y2[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        t[i] = x[16 + i] ^ ROTATED(ko1, i, 5);
    fi(y1, t, p->other[(round + 4) % 8]);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        t[i] = x[i] ^ ROTATED(ko2, i, 8);
    fi(y2, t, p->other[(round + 3) % 8]);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        t[i] = MISSING(i) ? XNOR3(y1[i], x[i], ROTATED(ko3, i, 13))
                          : XOR3(y1[i], x[i], ROTATED(ko3, i, 13));
        x[16 + i] = XOR3(y2[i], y1[i], x[i]);
    }
    fi(y1, t, p->other[(round + 7) % 8]);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = MISSING(i) ? ~(y1[i] ^ x[16 + i]) : y1[i] ^ x[16 + i];
}

INLINE TARGET void fl(V y[32], const V x[32], const struct planes *p, unsigned round)
{
    const V *const kl1 = p->k[round], *const kl2 = p->other[(round + 2) % 8];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        const int j = (i + 15) % 16; /* rotated left by 1 */
        y[i] = ADDMUL(x[i], x[16 + j], ROTATED(kl1, j, 1));
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        const int j = (i + 15) % 16;
        y[16 + i] = MISSING(j) ? ADDORN(x[16 + i], y[j], kl2[j]) : ADDOR(x[16 + i], y[j], kl2[j]);
    }
}

INLINE TARGET void add(V out[32], const V x[32])
{
#pragma GCC unroll 32
    for (int i = 0; i < 32; i++)
        out[i] ^= x[i];
}

static __attribute__((noinline)) TARGET void encrypt_planes(V x[64], const struct planes *p)
{
    V t[32];
    for (unsigned round = 0; round < 8; round += 2) {
        fl(t, x + 32, p, round);
        fo(t, p, round);
        add(x, t);
        memcpy(t, x, sizeof t);
        fo(t, p, round + 1);
        fl(t, t, p, round + 1);
        add(x + 32, t);
    }
    for (int i = 0; i < 32; i++)
        t[i] = (V){ 0 };
    __asm__ volatile("" : : "r"(t) : "memory");
}

#endif
