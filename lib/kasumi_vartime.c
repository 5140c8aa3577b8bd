/* SPDX-License-Identifier: Apache-2.0 */
/* f8 of KASUMI by tables that data index, to be compared with what computes S7 and S9; no kernel
 * here is chosen for anything.
 *
 * Small: the tables of S7 and S9.  Merged: FI(x, k) = LT1[LT0[x] ^ k], two tables of 65,536 words
 * (the form in which an accelerator may have them): half as many look-ups, each as far away as the
 * second level of caches.  48 of them depend on one another in a block, and so it is the slower
 * one. */
#include "kasumi.h"
#include "kasumi_tables.h"

#define INLINE static inline __attribute__((always_inline))

typedef uint32_t fi_fn(uint32_t x, uint32_t k);

/* Half of FI: nine bits above seven to seven above nine. */
INLINE uint32_t half(uint32_t x)
{
    const uint32_t nine = kasumi_s9_table[x >> 7] ^ (x & 0x7f);
    return ((kasumi_s7_table[x & 0x7f] ^ nine) & 0x7f) << 9 | nine;
}

INLINE uint32_t swap(uint32_t x)
{
    return (x & 0x1ff) << 7 | x >> 9;
}

INLINE uint32_t fi_small(uint32_t x, uint32_t k)
{
    return half(swap(half(x) ^ k));
}

/* ---- the merged tables, made by whoever needs them first; others do without meanwhile ---- */

static uint16_t lt0[65536], lt1[65536];
static _Atomic(int) tables; /* 1: someone makes them, 2: they are made */

static int have_tables(void)
{
    int none = 0;
    if (atomic_load_explicit(&tables, memory_order_acquire) == 2)
        return 1;
    if (!atomic_compare_exchange_strong(&tables, &none, 1))
        return 0;
    for (uint32_t x = 0; x < 65536; x++) {
        lt0[x] = (uint16_t)half(x);
        lt1[x] = (uint16_t)half(swap(x));
    }
    atomic_store_explicit(&tables, 2, memory_order_release);
    return 1;
}

INLINE uint32_t fi_merged(uint32_t x, uint32_t k)
{
    return lt1[lt0[x] ^ k];
}

/* ---- the cipher ---- */

INLINE uint32_t rotl1(uint32_t x)
{
    return (x << 1 | x >> 15) & 0xffff;
}

INLINE uint32_t fl(uint32_t x, const uint16_t *k)
{
    const uint32_t r = (x & 0xffff) ^ rotl1(x >> 16 & k[KL1]);
    return (x >> 16 ^ rotl1(r | k[KL2])) << 16 | r;
}

INLINE uint32_t fo(uint32_t x, const uint16_t *k, fi_fn *fi)
{
    const uint32_t r0 = x & 0xffff, r1 = fi(x >> 16 ^ k[KO1], k[KI1]) ^ r0;
    const uint32_t r2 = fi(r0 ^ k[KO2], k[KI2]) ^ r1;
    return r2 << 16 | (fi(r1 ^ k[KO3], k[KI3]) ^ r2);
}

INLINE uint64_t encrypt(uint64_t x, const struct kasumi_key *key, fi_fn *fi)
{
    uint32_t l = (uint32_t)(x >> 32), r = (uint32_t)x;
    for (int i = 0; i < 8; i += 2) {
        r ^= fo(fl(l, key->round[i]), key->round[i], fi);
        l ^= fl(fo(r, key->round[i + 1], fi), key->round[i + 1]);
    }
    return (uint64_t)l << 32 | r;
}

INLINE int f8(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
              const uint8_t *iv, uint8_t *next, fi_fn *fi)
{
    const uint64_t a = load_be64(iv + KASUMI_F8_A);
    uint64_t ksb = load_be64(iv + KASUMI_F8_KSB), count = load_be64(iv + KASUMI_F8_COUNT);
    for (size_t i = 0; i < num_blocks; i++, count++) {
        ksb = encrypt(a ^ count ^ ksb, key, fi);
        store_be64(out + 8 * i, load_be64(in + 8 * i) ^ ksb);
    }
    if (next) {
        store_be64(next + KASUMI_F8_A, a);
        store_be64(next + KASUMI_F8_KSB, ksb);
        store_be64(next + KASUMI_F8_COUNT, count);
    }
    return 0;
}

int kasumi_f8_small_vartime(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                            const uint8_t *iv, uint8_t *next)
{
    return f8(out, in, num_blocks, key, iv, next, fi_small);
}

int kasumi_f8_merged_vartime(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t *iv, uint8_t *next)
{
    return have_tables() ? f8(out, in, num_blocks, key, iv, next, fi_merged)
                         : f8(out, in, num_blocks, key, iv, next, fi_small);
}
