/* SPDX-License-Identifier: Apache-2.0 */
/* CCM, SP 800-38C section 6: CBC-MAC of the plaintext, and encryption by counters, in one pass.
 * The file that includes this one chooses the instruction encoding (SSE or VEX).
 *
 *   void aes_ccm_hash_<isa>(uint8_t y[16], const uint8_t *in, size_t num_blocks,
 *                           const struct aead_key *key);
 *   void aes_ccm_<direction>_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                                  const struct aead_key *key, uint8_t ctr[16], uint8_t y[16]);
 *
 * out is equal to in or does not overlap it; any alignment.  The latency of the CBC-MAC's chain
 * determines the time (aes_chain.h).  The keystream is computed while the chain waits; in
 * decryption it is one block ahead, since there the chain waits for the plaintext. */
#include "../../aead.h"
#include "aes_chain.h"

/* The middle rounds of a block of the chain and of a counter block; each round key is used for
 * both. */
INLINE TARGET void two_rounds(block *x, block *c, const struct schedule *s, unsigned rounds)
{
    EACH_MIDDLE(rounds, {
        const block k = i <= NUM_KEPT ? s->middle[i % (NUM_KEPT + 1)] : key16(s->key->enc[i]);
        *x = _mm_aesenc_si128(*x, k);
        *c = _mm_aesenc_si128(*c, k);
    });
}

struct counter {
    uint64_t high; /* in memory order */
    uint64_t low;  /* as a number */
};

INLINE TARGET block count(struct counter *c, const struct schedule *s)
{
    const block x = _mm_set_epi64x((long long)bswap64(c->low), (long long)c->high);
    c->low++;
    return _mm_xor_si128(x, s->first);
}

INLINE TARGET void hash(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                        const struct aes_key *key, unsigned rounds)
{
    struct schedule s;
    if (!num_blocks)
        return;
    load_schedule(&s, key, rounds);
    block x = _mm_xor_si128(_mm_xor_si128(load16(y), s.first), load16(in));
    for (; --num_blocks; in += 16)
        x = _mm_aesenclast_si128(middle_rounds(x, &s, rounds),
                                 _mm_xor_si128(s.both, load16(in + 16)));
    store16(y, _mm_aesenclast_si128(middle_rounds(x, &s, rounds), s.last));
}

INLINE TARGET void encrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                           const struct aes_key *key, uint8_t ctr[16], uint8_t y[16],
                           unsigned rounds)
{
    struct schedule s;
    struct counter counter = { load_le64(ctr), load_be64(ctr + 8) };
    load_schedule(&s, key, rounds);
    block plain = load16(in);
    block x = _mm_xor_si128(_mm_xor_si128(load16(y), s.first), plain);
    while (1) {
        block c = count(&counter, &s);
        two_rounds(&x, &c, &s, rounds);
        const block cipher = _mm_aesenclast_si128(c, _mm_xor_si128(plain, s.last));
        if (!--num_blocks) {
            store16(out, cipher);
            break;
        }
        plain = load16(in + 16); /* read before the store, because out may be equal to in */
        x = _mm_aesenclast_si128(x, _mm_xor_si128(s.both, plain));
        store16(out, cipher);
        in += 16, out += 16;
    }
    store16(y, _mm_aesenclast_si128(x, s.last));
    store_be64(ctr + 8, counter.low);
}

INLINE TARGET void decrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                           const struct aes_key *key, uint8_t ctr[16], uint8_t y[16],
                           unsigned rounds)
{
    struct schedule s;
    struct counter counter = { load_le64(ctr), load_be64(ctr + 8) };
    load_schedule(&s, key, rounds);
    block c = middle_rounds(count(&counter, &s), &s, rounds);
    block plain = _mm_aesenclast_si128(c, _mm_xor_si128(load16(in), s.last));
    block x = _mm_xor_si128(_mm_xor_si128(load16(y), s.first), plain);
    store16(out, plain);
    while (--num_blocks) {
        in += 16, out += 16;
        c = count(&counter, &s);
        two_rounds(&x, &c, &s, rounds);
        plain = _mm_aesenclast_si128(c, _mm_xor_si128(load16(in), s.last));
        x = _mm_aesenclast_si128(x, _mm_xor_si128(s.both, plain));
        store16(out, plain);
    }
    store16(y, _mm_aesenclast_si128(middle_rounds(x, &s, rounds), s.last));
    store_be64(ctr + 8, counter.low);
}

#define CCM_KERNEL(stem, crypt)                                                          \
    TARGET void KERNEL(stem)(uint8_t * out, const uint8_t *in, size_t num_blocks,        \
                             const struct aead_key *key, uint8_t ctr[16], uint8_t y[16]) \
    {                                                                                    \
        if (num_blocks)                                                                  \
            FOR_ROUNDS(&key->aes, crypt, out, in, num_blocks, &key->aes, ctr, y);        \
    }

TARGET void KERNEL(aes_ccm_hash)(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                                 const struct aead_key *key)
{
    FOR_ROUNDS(&key->aes, hash, y, in, num_blocks, &key->aes);
}

CCM_KERNEL(aes_ccm_encrypt, encrypt)
CCM_KERNEL(aes_ccm_decrypt, decrypt)
