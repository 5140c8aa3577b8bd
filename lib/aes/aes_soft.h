/* SPDX-License-Identifier: Apache-2.0 */
/* AES kernels for vector instructions without AES: eight vectors at once are bit-sliced
 * (aes_plane.h), fewer are computed by look-ups of nibbles (aes_nibble.h).  aes_vec_<isa>.h
 * includes this file after it has defined vec and its operations.
 *
 * An expanded key is the same for every kernel, so a call converts the round keys that it needs to
 * struct soft_keys.  Its first member has the type that the modes' functions pass on to encrypt()
 * and decrypt(): the first round key and the last one in the clear, the others as rounds by nibbles
 * want them, with the S-box's constant in them. */

INLINE TARGET block xor16(block a, block b)
{
    return a ^ b;
}

#include "aes_vec.h"

#include "aes_nibble.h"

#include "aes_plane.h"

/* Stores the IV that continues the message, if the caller wants it. */
INLINE TARGET void store_next(uint8_t next[16], block x)
{
    if (UNLIKELY(next)) /* direct calls pass NULL */
        store16(next, x);
}

struct soft_keys {
    struct aes_key key;
    uint8_t planes[13][8][16];
};

/* The cipher's direction; in a chain there is one block at a time, and so no planes. */
enum soft_use { FORTH, BACK, CHAIN };

INLINE TARGET void encrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
    const vec first = spread(key->enc[0]), last = spread(key->enc[rounds]);
    if (num == BATCH) {
        encrypt_planes(s, first, ((const struct soft_keys *)key)->planes, last, rounds);
        return;
    }
    EACH(num, s[i] = enter(s[i] ^ first, nibble_enter));
    for (unsigned r = 1; r < rounds; r++) {
        const vec k = spread(key->enc[r]);
        EACH(num, s[i] = encrypt_round(s[i], k, r));
    }
    EACH(num, s[i] = encrypt_last(s[i], last, rounds));
}

/* Encrypts a block of a chain, x with the first round key added.  The next one waits for it, so the
 * rounds of each key length are a straight line. */
INLINE TARGET block chain_block(block x, const struct aes_key *key, unsigned rounds)
{
    x = enter(x, nibble_enter);
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++)
        x = encrypt_round(x, load16(key->enc[r]), r);
    return encrypt_last(x, load16(key->enc[rounds]), rounds);
}

INLINE TARGET void decrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
    const vec first = spread(key->dec[0]), last = spread(key->dec[rounds]);
    if (num == BATCH) {
        decrypt_planes(s, first ^ all_bytes(0x63), ((const struct soft_keys *)key)->planes, last,
                       rounds);
        return;
    }
    EACH(num, s[i] = enter(s[i] ^ first, nibble_inv_enter));
    for (unsigned r = 1; r < rounds; r++) {
        const vec k = spread(key->dec[r]);
        EACH(num, s[i] = decrypt_round(s[i], k, r));
    }
    EACH(num, s[i] = decrypt_last(s[i], last, rounds));
}

/* Converts the keys for a message of num_blocks blocks, and returns those for encrypt() and
 * decrypt().  A single block uses the key as it was expanded. */
INLINE TARGET const struct aes_key *soft_begin(struct soft_keys *k, const struct aes_key *key,
                                               enum soft_use use, size_t num_blocks)
{
    if (num_blocks < 2)
        return key;
    const unsigned rounds = key->rounds;
    const uint8_t(*const from)[16] = use == BACK ? key->dec : key->enc;
    uint8_t(*const to)[16] = use == BACK ? k->key.dec : k->key.enc;
    const vec constant = all_bytes(0x63);
    k->key.rounds = rounds;
    store16(to[0], spread(from[0]));
    for (unsigned r = 1; r < rounds; r++) {
        store16(to[r], use == BACK ? decrypt_key(from[r], r) : encrypt_key(from[r], r));
        if (use != CHAIN && num_blocks >= BATCH * LANES)
            key_planes(k->planes[r - 1], spread(from[r]) ^ constant, use == BACK ? -r : r);
    }
    store16(to[rounds], use == BACK ? spread(from[rounds]) : xor16(spread(from[rounds]), constant));
    return &k->key;
}

INLINE TARGET void soft_end(struct soft_keys *k, enum soft_use use, size_t num_blocks)
{
    if (num_blocks < 2)
        return;
    if (use == BACK)
        WIPE(&k->key.dec);
    else
        WIPE(&k->key.enc);
    if (use != CHAIN && num_blocks >= BATCH * LANES)
        WIPE(&k->planes);
}

enum {
    USE_aes_ecb_encrypt = FORTH,
    USE_aes_ecb_decrypt = BACK,
    USE_aes_cbc_encrypt = CHAIN,
    USE_aes_cbc_decrypt = BACK,
    USE_aes_cfb_encrypt = CHAIN,
    USE_aes_cfb_decrypt = FORTH,
    USE_aes_ctr = FORTH,
};

/* Defines the kernel `stem` like the macro of aes_kernel.h, but without separate code for each key
 * length: a round takes longer than the loop around it. */
#undef AES_KERNEL
#define AES_KERNEL(stem, one, many)                                                            \
    static __attribute__((noinline))                                                           \
    TARGET void stem##_many(uint8_t *out, const uint8_t *in, size_t num_blocks,                \
                            const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]) \
    {                                                                                          \
        struct soft_keys k;                                                                    \
        const struct aes_key *const converted =                                                \
            soft_begin(&k, key, (enum soft_use)USE_##stem, num_blocks);                        \
        many(out, in, num_blocks, converted, iv, next, key->rounds);                           \
        soft_end(&k, (enum soft_use)USE_##stem, num_blocks);                                   \
    }                                                                                          \
    TARGET int KERNEL(stem)(uint8_t * out, const uint8_t *in, size_t num_blocks,               \
                            const void *schedule, const uint8_t iv[16], uint8_t next[16])      \
    {                                                                                          \
        const struct aes_key *key = schedule;                                                  \
        if (num_blocks == 1)                                                                   \
            one(out, in, key, iv, next, key->rounds);                                          \
        else                                                                                   \
            stem##_many(out, in, num_blocks, key, iv, next);                                   \
        return 0;                                                                              \
    }

INLINE TARGET vec xor (vec a, vec b) { return a ^ b; }
