/* SPDX-License-Identifier: Apache-2.0 */
/* f8 of KASUMI by look-ups in tables at places that depend on the data, to be compared with the
 * library's kernels, which compute S7 and S9.
 *
 * Small: the tables of S7 and S9.  Merged: FI(x, k) = LT1[LT0[x] ^ k], two tables of 65,536 words
 * (the form in which an accelerator may have them): half as many look-ups, each as far away as the
 * second level of caches.  48 of them depend on one another in a block, and so it is the slower
 * one. */
#include "../lib/kasumi/kasumi_tables.h"
#include "../lib/kasumi/kasumi.h"
#include "kasumi.h"
#include <stdio.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint32_t fi_fn(uint32_t x, uint32_t k);

/* half computes half of FI, from nine bits above seven bits to seven bits above nine bits. */
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

static uint16_t lt0[65536], lt1[65536];

static void make_merged(void)
{
    for (uint32_t x = 0; x < 65536; x++) {
        lt0[x] = (uint16_t)half(x);
        lt1[x] = (uint16_t)half(swap(x));
    }
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

INLINE void f8(struct messages *m, const struct kasumi_key *keys, fi_fn *fi)
{
    for (int i = 0; i < MANY; i++) {
        const struct hr_kasumi_f8_message *const f = &m->list[i];
        uint8_t state[KASUMI_F8_IV];
        hr_kasumi_f8_iv(state, f->count, f->bearer, f->direction);
        kasumi_f8_start(state, &keys[i], state);
        const uint64_t a = load_be64(state + KASUMI_F8_A);
        uint64_t ksb = 0;
        for (unsigned j = 0; j < LEN / 8; j++) {
            ksb = encrypt(a ^ j ^ ksb, &keys[i], fi);
            store_be64(m->out[i] + 8 * j, load_be64(m->in[i] + 8 * j) ^ ksb);
        }
    }
}

static void f8_small_vartime(struct messages *m, void *keys)
{
    f8(m, keys, fi_small);
}

static void f8_merged_vartime(struct messages *m, void *keys)
{
    f8(m, keys, fi_merged);
}

/* ---- contenders ---- */

static void check(struct contender *c, struct messages *m)
{
    static uint8_t want[MANY][LEN];
    if (hr_kasumi_f8_many(m->list, MANY))
        abort();
    memcpy(want, m->out, sizeof want);
    memset(m->out, 0, sizeof m->out);
    c->run(m, c->keys);
    if (memcmp(want, m->out, sizeof want)) {
        fprintf(stderr, "%s: differs from the library's\n", c->name);
        exit(1);
    }
}

unsigned table_contenders(struct contender *c, struct messages *m)
{
    static struct kasumi_key keys[MANY];
    for (int i = 0; i < MANY; i++)
        kasumi_expand(&keys[i], m->keys[i]);
    make_merged();
    c[0] = (struct contender){ "one message, kept keys: small_vartime", f8_small_vartime, keys, 1 };
    c[1] =
        (struct contender){ "one message, kept keys: merged_vartime", f8_merged_vartime, keys, 1 };
    check(&c[0], m);
    check(&c[1], m);
    return 2;
}
