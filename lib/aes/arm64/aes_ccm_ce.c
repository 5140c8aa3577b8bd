/* SPDX-License-Identifier: Apache-2.0 */
/* CCM, SP 800-38C: CBC-MAC of the plaintext, y = E(y ^ plain[i]), and out[i] = in[i] ^ E(ctr + i).
 * Prototypes: aead.h. out is equal to in or does not overlap it; any alignment.
 *
 * The MAC is a chain (aes_chain_ce.h), and its latency is the time that a block takes: a counter is
 * encrypted while the chain waits.  In decryption, where the chain waits for the plaintext, that is
 * the counter of the block after. */
#include "../../aead.h"
#include "aes_chain_ce.h"

struct ccm {
    struct schedule s;
    block first;   /* the first round key */
    block x;       /* the chain's state, as in aes_chain_ce.h */
    block counter; /* a vector of two 64-bit numbers */
};

INLINE TARGET struct ccm start(const struct aead_key *key, const uint8_t ctr[16],
                               const uint8_t y[16], unsigned rounds)
{
    struct ccm m;
    load_schedule(&m.s, &key->aes, rounds);
    m.first = load16(key->aes.enc[0]);
    m.x = xor16(load16(y), m.s.last);
    m.counter = vrev64q_u8(load16(ctr));
    return m;
}

INLINE TARGET void end(uint8_t ctr[16], uint8_t y[16], const struct ccm *m)
{
    store16(ctr, vrev64q_u8(m->counter));
    store16(y, xor16(m->x, m->s.last));
}

INLINE TARGET block count(struct ccm *m)
{
    const block now = vrev64q_u8(m->counter);
    const uint64x2_t one = vcombine_u64(vcreate_u64(0), vcreate_u64(1));
    m->counter = vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(m->counter), one));
    return now;
}

/* Absorbs `plain` into the chain, and returns the encryption of the next counter. */
INLINE TARGET block chain_and_count(struct ccm *m, block plain, unsigned rounds)
{
    block x = enc_round(m->x, xor16(m->s.both, plain)), c = enc_round(count(m), m->first);
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds - 1; r++) {
        x = enc_round(x, m->s.middle[r]);
        c = enc_round(c, m->s.middle[r]);
    }
    m->x = enc_last(x, m->s.middle[rounds - 1]);
    return xor16(enc_last(c, m->s.middle[rounds - 1]), m->s.last);
}

INLINE TARGET void chain(struct ccm *m, block plain, unsigned rounds)
{
    m->x = chain_rounds(m->x, xor16(m->s.both, plain), &m->s, rounds);
}

INLINE TARGET void hash(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                        const struct aead_key *key, unsigned rounds)
{
    struct ccm m = start(key, y, y, rounds);
    for (; num_blocks; num_blocks--, in += 16)
        chain(&m, load16(in), rounds);
    store16(y, xor16(m.x, m.s.last));
}

INLINE TARGET void encrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                           const struct aead_key *key, uint8_t ctr[16], uint8_t y[16],
                           unsigned rounds)
{
    struct ccm m = start(key, ctr, y, rounds);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        const block plain = load16(in);
        store16(out, xor16(plain, chain_and_count(&m, plain, rounds)));
    }
    end(ctr, y, &m);
}

INLINE TARGET void decrypt(uint8_t *out, const uint8_t *in, size_t num_blocks,
                           const struct aead_key *key, uint8_t ctr[16], uint8_t y[16],
                           unsigned rounds)
{
    struct ccm m = start(key, ctr, y, rounds);
    block stream = encrypt16(count(&m), &key->aes, rounds);
    for (; num_blocks > 1; num_blocks--, in += 16, out += 16) {
        const block plain = xor16(load16(in), stream);
        store16(out, plain);
        stream = chain_and_count(&m, plain, rounds);
    }
    const block plain = xor16(load16(in), stream);
    store16(out, plain);
    chain(&m, plain, rounds);
    end(ctr, y, &m);
}

TARGET void aes_ccm_hash_ce(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                            const struct aead_key *key)
{
    FOR_ROUNDS(&key->aes, hash, y, in, num_blocks, key);
}

TARGET void aes_ccm_encrypt_ce(uint8_t *out, const uint8_t *in, size_t num_blocks,
                               const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    FOR_ROUNDS(&key->aes, encrypt, out, in, num_blocks, key, ctr, y);
}

TARGET void aes_ccm_decrypt_ce(uint8_t *out, const uint8_t *in, size_t num_blocks,
                               const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    if (num_blocks)
        FOR_ROUNDS(&key->aes, decrypt, out, in, num_blocks, key, ctr, y);
}
