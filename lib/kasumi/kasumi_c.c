/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI in portable C and constant time: TS 35.202.  The first two FI of an FO do not depend on
 * each other, so two blocks give four FI that can be computed at once.  Each of them has one bit in
 * every 16 of a 64-bit word, which is a bit plane, and S9 and S7 are computed by their equations.
 */
#include "kasumi.h"

typedef uint64_t V;
#define XOR2(a, b) ((a) ^ (b))
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define MUL(a, b) ((a) & (b))
#define ADDMUL(c, a, b) ((c) ^ ((a) & (b)))
#define INLINE static inline __attribute__((always_inline))
#define TARGET
#include "kasumi_sboxes.h"

/* A word holds 32 bits of data of each of two blocks, or four numbers of 16 bits. */
#define LOW UINT64_C(0x0000ffff0000ffff)
#define ONES UINT64_C(0x0001000100010001)

/* Returns FI of four numbers with four keys.  KASUMI_FI_0 (kasumi.h) is left out at the end; `ki`
 * includes it for the middle. */
static V fi(V x, V ki)
{
    V p[16], a[9], b[7], sum = 0;
    for (int i = 0; i < 16; i++)
        p[i] = x >> i & ONES;
    kasumi_s9(a, p + 7);
    kasumi_s7(b, p);
    for (int i = 0; i < 7; i++) {
        a[i] ^= p[i];
        b[i] ^= a[i] ^ (ki >> (i + 9) & ONES);
    }
    for (int i = 0; i < 9; i++)
        p[i] = a[i] ^ (ki >> i & ONES);
    kasumi_s9(a, p);
    kasumi_s7(p, b);
    for (int i = 0; i < 7; i++) {
        a[i] ^= b[i];
        sum |= (p[i] ^ a[i]) << (i + 9);
    }
    for (int i = 0; i < 9; i++)
        sum |= a[i] << i;
    return sum;
}

/* both() repeats 32 bits for both blocks; pair() makes them of two 16-bit subkeys first. */
static inline V both(uint32_t x)
{
    return (V)x << 32 | x;
}
static inline V pair(uint32_t high, uint32_t low)
{
    return both(high << 16 | low);
}
static inline V rotl1(V x)
{
    return (x << 1 | x >> 15) & LOW;
}

static V fo(V x, const uint16_t k[KASUMI_SUBKEYS])
{
    const V y = fi(x ^ pair(k[KO1], k[KO2]), pair(k[KI1], k[KI2]) ^ both(KASUMI_FI_0 * 0x10001u));
    const V r1 = (y >> 16 ^ x) & LOW, r2 = (y & LOW) ^ r1;
    const V r3 = fi(r1 ^ both(k[KO3] ^ KASUMI_FI_0), both(k[KI3] ^ KASUMI_FI_0)) ^ r2;
    return r2 << 16 | ((r3 ^ both(KASUMI_FI_0)) & LOW);
}

static V fl(V x, const uint16_t k[KASUMI_SUBKEYS])
{
    const V l = x >> 16 & LOW, r = (x & LOW) ^ rotl1(l & both(k[KL1]));
    return (l ^ rotl1(r | both(k[KL2]))) << 16 | r;
}

static inline V f(V x, const struct kasumi_key *key, int round)
{
    const uint16_t *const k = key->round[round];
    return round % 2 ? fl(fo(x, k), k) : fo(fl(x, k), k);
}

/* encrypt() and decrypt() process two blocks; `l` has their left halves, `r` their right halves. */
static void encrypt(V *l, V *r, const struct kasumi_key *key)
{
    for (int i = 0; i < 8; i += 2) {
        *r ^= f(*l, key, i);
        *l ^= f(*r, key, i + 1);
    }
}

static void decrypt(V *l, V *r, const struct kasumi_key *key)
{
    for (int i = 6; i >= 0; i -= 2) {
        *l ^= f(*r, key, i + 1);
        *r ^= f(*l, key, i);
    }
}

static uint64_t encrypt_one(uint64_t x, const struct kasumi_key *key)
{
    V l = x >> 32, r = x & UINT32_MAX;
    encrypt(&l, &r, key);
    return l << 32 | (r & UINT32_MAX);
}

static inline void ecb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct kasumi_key *key,
                       void (*two)(V *, V *, const struct kasumi_key *))
{
    for (; num_blocks; out += 16, in += 16) {
        const uint64_t a = load_be64(in), b = num_blocks > 1 ? load_be64(in + 8) : 0;
        V l = a >> 32 << 32 | b >> 32, r = a << 32 | (b & UINT32_MAX);
        two(&l, &r, key);
        store_be64(out, l >> 32 << 32 | r >> 32);
        if (num_blocks == 1)
            return;
        store_be64(out + 8, l << 32 | (r & UINT32_MAX));
        num_blocks -= 2;
    }
}

int kasumi_ecb_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                         const uint8_t *iv, uint8_t *next)
{
    ecb(out, in, num_blocks, key, encrypt);
    return 0;
}

int kasumi_ecb_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                         const uint8_t *iv, uint8_t *next)
{
    ecb(out, in, num_blocks, key, decrypt);
    return 0;
}

int kasumi_f8_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                const uint8_t *iv, uint8_t *next)
{
    const uint64_t a = load_be64(iv + KASUMI_F8_A);
    uint64_t ksb = load_be64(iv + KASUMI_F8_KSB), count = load_be64(iv + KASUMI_F8_COUNT);
    for (size_t i = 0; i < num_blocks; i++, count++) {
        ksb = encrypt_one(a ^ count ^ ksb, key);
        store_be64(out + 8 * i, load_be64(in + 8 * i) ^ ksb);
    }
    if (next) {
        store_be64(next + KASUMI_F8_A, a);
        store_be64(next + KASUMI_F8_KSB, ksb);
        store_be64(next + KASUMI_F8_COUNT, count);
    }
    return 0;
}

void kasumi_f9_c(uint8_t state[16], const uint8_t *in, size_t num_blocks,
                 const struct kasumi_key *key)
{
    uint64_t a = load_be64(state), b = load_be64(state + 8);
    for (size_t i = 0; i < num_blocks; i++) {
        a = encrypt_one(a ^ load_be64(in + 8 * i), key);
        b ^= a;
    }
    store_be64(state, a);
    store_be64(state + 8, b);
}
