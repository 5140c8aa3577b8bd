/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, CTR, and decryption in CBC and CFB of byte-sliced Camellia, 16 vectors of blocks at a time;
 * fewer blocks take as long.  This is the one source for all CPUs.  A file that includes it
 * defines, besides what camellia_slice.h needs:
 *   KERNEL(stem): the name of a kernel;
 *   V load(const uint8_t *), void store(uint8_t *, V): at any address;
 *   V fill(uint8_t byte): the same byte in all lanes; V below(V a, V b): for each lane, a < b ?
 *   0xff : 0;
 *   struct slice_words: the keys in memory; slice_keys make_keys(struct slice_words *w, const
 *   struct camellia_key *key, enum hr_op op);
 *   leave_vectors(void): called before a return. */
#include "camellia_slice.h"

enum { SLICED = LANES, SLICED_LEN = 16 * LANES };

/* The buffers that a kernel has on its stack; they are wiped at its end. */
struct slice_work {
    struct slice_words keys;
    alignas(64) uint8_t part[SLICED_LEN], before[sizeof(V)];
};

INLINE TARGET void load_blocks(V x[16], const uint8_t *in)
{
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < 16; i++) x[i] = load(in + i * sizeof(V));
}

INLINE TARGET void crypt_blocks(V x[16], slice_keys k, unsigned rounds)
{
    slice_transpose(x);
    slice_crypt(x, k, rounds);
    slice_transpose(x);
}

/* Returns the number of each lane's block in the batch: block j of vector i is lane 16 j + i, and
 * its number is i * LANES / 16 + j. */
INLINE TARGET V numbers(void)
{
    V x;
    uint8_t *const lane = (uint8_t *)&x;
    for (unsigned l = 0; l < LANES; l++)
        lane[l] = (uint8_t)(l % 16 * (LANES / 16) + l / 16);
    return x;
}

/* Makes sliced counter blocks from hi:lo on.  The lowest byte overflows at most once in a batch, so
 * the bytes above it have two values.  The second one is for the lanes whose lowest byte has
 * wrapped, which shows by its being below the first lane's. */
INLINE TARGET void make_counters(V x[16], uint64_t hi, uint64_t lo)
{
    const uint64_t lo1 = lo + 0x100, hi1 = hi + (lo1 < 0x100);
    const V first = fill((uint8_t)lo);
    x[15] = (V)((bytes)first + (bytes)numbers());
    const V carried = below(x[15], first);
    UNROLL for (unsigned i = 0; i < 8; i++) x[i] =
        fill((uint8_t)(hi >> (56 - 8 * i))) ^
        (carried & fill((uint8_t)((hi ^ hi1) >> (56 - 8 * i))));
    UNROLL for (unsigned i = 0; i < 7; i++) x[8 + i] =
        fill((uint8_t)(lo >> (56 - 8 * i))) ^
        (carried & fill((uint8_t)((lo ^ lo1) >> (56 - 8 * i))));
}

struct slice_chain {
    uint64_t hi, lo;  /* CTR: the next counter */
    uint8_t last[16]; /* CBC, CFB: the ciphertext block before the batch */
};

INLINE TARGET void ecb(uint8_t *out, const uint8_t *in, slice_keys k, unsigned rounds,
                       struct slice_chain *chain, struct slice_work *w)
{
    V x[16];
    load_blocks(x, in);
    crypt_blocks(x, k, rounds);
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < 16; i++) store(out + i * sizeof(V), x[i]);
}

INLINE TARGET void ctr(uint8_t *out, const uint8_t *in, slice_keys k, unsigned rounds,
                       struct slice_chain *chain, struct slice_work *w)
{
    V x[16];
    make_counters(x, chain->hi, chain->lo);
    chain->lo += LANES;
    chain->hi += chain->lo < LANES;
    slice_crypt(x, k, rounds);
    slice_transpose(x);
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < 16; i++)
        store(out + i * sizeof(V), x[i] ^ load(in + i * sizeof(V)));
}

/* Returns the ciphertext blocks that precede the blocks of the first vector, and saves the batch's
 * last ciphertext block in chain->last. */
INLINE TARGET V first_before(const uint8_t *in, struct slice_chain *chain, struct slice_work *w)
{
    memcpy(w->before, chain->last, 16);
    memcpy(w->before + 16 % sizeof(V), in, sizeof(V) - 16);
    memcpy(chain->last, in + SLICED_LEN - 16, 16);
    return load(w->before);
}

/* CBC decryption of a batch.  It goes from the last vector to the first: out may be equal to in,
 * and a vector needs the ciphertext block before it, which must not yet be overwritten. */
INLINE TARGET void cbc_decrypt(uint8_t *out, const uint8_t *in, slice_keys k, unsigned rounds,
                               struct slice_chain *chain, struct slice_work *w)
{
    V x[16];
    const V before = first_before(in, chain, w);
    load_blocks(x, in);
    crypt_blocks(x, k, rounds);
    _Pragma("GCC unroll 16") for (unsigned i = 15; i > 0; i--)
        store(out + i * sizeof(V), x[i] ^ load(in + i * sizeof(V) - 16));
    store(out, x[0] ^ before);
}

INLINE TARGET void cfb_decrypt(uint8_t *out, const uint8_t *in, slice_keys k, unsigned rounds,
                               struct slice_chain *chain, struct slice_work *w)
{
    V x[16];
    x[0] = first_before(in, chain, w);
    _Pragma("GCC unroll 16") for (unsigned i = 1; i < 16; i++) x[i] = load(in + i * sizeof(V) - 16);
    crypt_blocks(x, k, rounds);
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < 16; i++)
        store(out + i * sizeof(V), x[i] ^ load(in + i * sizeof(V)));
}

typedef void slice_batch_fn(uint8_t *out, const uint8_t *in, slice_keys k, unsigned rounds,
                            struct slice_chain *chain, struct slice_work *w);

/* Processes whole batches, then a copy of the blocks that are left. */
INLINE TARGET void walk(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                        enum hr_op op, struct slice_chain *chain, slice_batch_fn *batch)
{
    const unsigned rounds = ((const struct camellia_key *)key)->rounds;
    struct slice_work w;
    const slice_keys k = make_keys(&w.keys, key, op);
    while (num_blocks) {
        if (num_blocks >= SLICED) {
            batch(out, in, k, rounds, chain, &w);
            num_blocks -= SLICED, in += SLICED_LEN, out += SLICED_LEN;
            continue;
        }
        memcpy(w.part, in, 16 * num_blocks);
        memset(w.part + 16 * num_blocks, 0, SLICED_LEN - 16 * num_blocks);
        batch(w.part, w.part, k, rounds, chain, &w);
        memcpy(out, w.part, 16 * num_blocks);
        WIPE(&w.part);
        break;
    }
    WIPE(&w.keys);
    leave_vectors();
}

TARGET int KERNEL(camellia_ecb_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                        const void *key, const uint8_t iv[16], uint8_t next[16])
{
    walk(out, in, num_blocks, key, HR_OP_ENCRYPT, NULL, ecb);
    return 0;
}

TARGET int KERNEL(camellia_ecb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                        const void *key, const uint8_t iv[16], uint8_t next[16])
{
    walk(out, in, num_blocks, key, HR_OP_DECRYPT, NULL, ecb);
    return 0;
}

TARGET int KERNEL(camellia_ctr)(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                                const uint8_t iv[16], uint8_t next[16])
{
    const uint64_t hi = load_be64(iv), lo = load_be64(iv + 8);
    struct slice_chain chain = { .hi = hi, .lo = lo };
    walk(out, in, num_blocks, key, HR_OP_ENCRYPT, &chain, ctr);
    if (next) {
        store_be64(next, hi + (lo + num_blocks < lo));
        store_be64(next + 8, lo + num_blocks);
    }
    return 0;
}

/* CBC and CFB decryption.  The last ciphertext block is saved before it can be overwritten. */
INLINE TARGET void unchain(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                           enum hr_op op, const uint8_t iv[16], uint8_t next[16],
                           slice_batch_fn *batch)
{
    struct slice_chain chain;
    uint8_t last[16];
    memcpy(chain.last, iv, 16);
    memcpy(last, num_blocks ? in + 16 * num_blocks - 16 : iv, 16);
    walk(out, in, num_blocks, key, op, &chain, batch);
    if (next)
        memcpy(next, last, 16);
}

TARGET int KERNEL(camellia_cbc_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                        const void *key, const uint8_t iv[16], uint8_t next[16])
{
    unchain(out, in, num_blocks, key, HR_OP_DECRYPT, iv, next, cbc_decrypt);
    return 0;
}

TARGET int KERNEL(camellia_cfb_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                        const void *key, const uint8_t iv[16], uint8_t next[16])
{
    unchain(out, in, num_blocks, key, HR_OP_ENCRYPT, iv, next, cfb_decrypt);
    return 0;
}
