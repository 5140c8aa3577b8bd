/* SPDX-License-Identifier: Apache-2.0 */
/* GCM, SP 800-38D section 7: out[i] = in[i] ^ E(ctr + i), and GHASH of the ciphertext.  The file
 * that includes this one defines the CPU. Prototypes: aead.h. out is equal to in or does not
 * overlap it; any alignment.
 *
 * Eight counters are encrypted at once.  Between their rounds, eight blocks of ciphertext are
 * absorbed: in decryption those that are being decrypted, in encryption those of the batch before.
 */
#include "ghash_ce.h"

static_assert((int)BATCH == (int)GROUP, "a batch is absorbed while the next is encrypted");

/* Returns a counter block with each 32-bit word as a number, so that the last word can be counted
 * modulo 2^32. */
INLINE TARGET block counter_of(block x)
{
    return vrev32q_u8(x);
}

INLINE TARGET block count(block *counter)
{
    const block now = vrev32q_u8(*counter);
    const uint32x4_t one = vreinterpretq_u32_u8(count_up(UINT64_C(1) << 32, 0));
    *counter = vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(*counter), one));
    return now;
}

/* Encrypts or decrypts a batch.  Meanwhile y absorbs the GROUP blocks at `absorbed`; the first
 * batch of encryption has none to absorb. */
INLINE TARGET void batch(uint8_t *out, const uint8_t *in, const uint8_t *absorbed, int is_first,
                         block *counter, block *y, const struct aead_key *key, unsigned rounds)
{
    const size_t num = BATCH;
    block s[BATCH];
    struct sum sum;
    EACH(num, s[i] = count(counter));
#pragma GCC unroll 14
    for (unsigned r = 0; r < rounds - 1; r++) {
        const block k = load16(key->aes.enc[r]);
        EACH(num, s[i] = enc_round(s[i], k));
        if (!is_first && r % 2 == 0 && r < GROUP)
            absorb_pair(&sum, absorbed, r / 2, *y, key);
        /* Keeps round keys from being loaded early, for which registers are lacking. */
        __asm__ volatile("" : : : "memory");
    }
    if (!is_first)
        *y = reduce(sum);
    const block k = load16(key->aes.enc[rounds - 1]), last = load16(key->aes.enc[rounds]);
    EACH(num, s[i] = xor3(enc_last(s[i], k), last, load16(in + 16 * i)));
    EACH(num, store16(out + 16 * i, s[i]));
}

INLINE TARGET void batch_ctr(uint8_t *out, const uint8_t *in, size_t num, block *counter,
                             const struct aead_key *key, unsigned rounds)
{
    block s[BATCH];
    EACH(num, s[i] = count(counter));
    encrypt(s, num, &key->aes, rounds);
    EACH(num, store16(out + 16 * i, xor16(s[i], load16(in + 16 * i))));
}

INLINE TARGET void blocks(uint8_t *out, const uint8_t *in, size_t num_blocks,
                          const struct aead_key *key, uint8_t ctr[16], uint8_t y[16], enum hr_op op,
                          unsigned rounds)
{
    block counter = counter_of(load16(ctr)), hash = turn(load16(y));
    const uint8_t *waiting = op == HR_OP_ENCRYPT ? out : in; /* ciphertext that is not yet
                                                              * absorbed */
    if (op == HR_OP_ENCRYPT && num_blocks >= BATCH) {
        batch(out, in, NULL, 1, &counter, &hash, key, rounds);
        num_blocks -= BATCH, in += 16 * BATCH, out += 16 * BATCH;
    }
    for (; num_blocks >= BATCH; num_blocks -= BATCH, in += 16 * BATCH, out += 16 * BATCH) {
        batch(out, in, waiting, 0, &counter, &hash, key, rounds);
        waiting += 16 * BATCH;
    }
    if (op == HR_OP_DECRYPT)
        hash = ghash(hash, waiting, num_blocks, key);
#pragma GCC unroll 3
    for (size_t num = BATCH / 2; num; num /= 2)
        if (num_blocks & num) {
            batch_ctr(out, in, num, &counter, key, rounds);
            in += 16 * num, out += 16 * num;
        }
    if (op == HR_OP_ENCRYPT)
        hash = ghash(hash, waiting, (size_t)(out - waiting) / 16, key);
    store16(ctr, counter_of(counter));
    store16(y, turn(hash));
}

TARGET void KERNEL(gcm_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    FOR_ROUNDS(&key->aes, blocks, out, in, num_blocks, key, ctr, y, HR_OP_ENCRYPT);
}

TARGET void KERNEL(gcm_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    FOR_ROUNDS(&key->aes, blocks, out, in, num_blocks, key, ctr, y, HR_OP_DECRYPT);
}

TARGET void KERNEL(gcm_hash)(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                             const struct aead_key *key)
{
    store16(y, turn(ghash(turn(load16(y)), in, num_blocks, key)));
}

INLINE TARGET void setup(struct aead_key *key, unsigned rounds)
{
    make_powers(key->powers, encrypt16(vdupq_n_u8(0), &key->aes, rounds));
}

TARGET void KERNEL(gcm_setup)(struct aead_key *key)
{
    FOR_ROUNDS(&key->aes, setup, key);
}

TARGET void KERNEL(gcm_powers)(struct aead_key *key, const uint8_t h[16])
{
    make_powers(key->powers, load16(h));
}

/* ---- whole messages ---- */

/* Loads the first len < 16 bytes of a block; the rest is zero. */
INLINE TARGET block load_bytes(const uint8_t *p, size_t len)
{
    uint64_t lo = 0, hi = 0;
    if (len > 8) {
        lo = load_le64(p);
        hi = load_le64(p + len - 8) >> 8 * (16 - len);
    } else if (len >= 4) {
        lo = load_le32(p) | (uint64_t)load_le32(p + len - 4) << 8 * (len - 4);
    } else if (len) {
        lo = p[0] | (uint64_t)p[len / 2] << 8 * (len / 2) | (uint64_t)p[len - 1] << 8 * (len - 1);
    }
    return count_up(hi, lo);
}

INLINE TARGET void store_bytes(uint8_t *p, block x, size_t len)
{
    const uint64x2_t words = vreinterpretq_u64_u8(x);
    uint64_t rest = vgetq_lane_u64(words, 0);
    if (len & 8) {
        store_le64(p, rest);
        rest = vgetq_lane_u64(words, 1), p += 8;
    }
    if (len & 4) {
        store_le32(p, (uint32_t)rest);
        rest >>= 32, p += 4;
    }
    if (len & 2) {
        store_le16(p, (uint16_t)rest);
        rest >>= 16, p += 2;
    }
    if (len & 1)
        *p = (uint8_t)rest;
}

/* Keeps the first len bytes of a block and zeroes the rest. */
INLINE TARGET block keep_bytes(block x, size_t len)
{
    static const uint8_t mask[32] = { 255, 255, 255, 255, 255, 255, 255, 255,
                                      255, 255, 255, 255, 255, 255, 255, 255 };
    return vandq_u8(x, load16(mask + 16 - len));
}

/* A group of at most GROUP blocks: the next block is to be multiplied by H^n. */
struct group {
    struct sum sum;
    block y;
    size_t n;
};

INLINE TARGET void absorb_next(struct group *g, block x, const struct aead_key *key)
{
    absorb(&g->sum, xor16(turn(x), g->y), load16(key->powers[--g->n]));
    g->y = vdupq_n_u8(0);
}

/* Absorbs bytes, with zeros behind them up to a whole block. */
INLINE TARGET void absorb_bytes(struct group *g, const uint8_t *in, size_t len,
                                const struct aead_key *key)
{
    for (; len >= 16; len -= 16, in += 16)
        absorb_next(g, load16(in), key);
    if (len)
        absorb_next(g, load_bytes(in, len), key);
}

/* Rounds `from` to `to` - 1 of the cipher, counted from 0.  encrypt_any() serves all key lengths:
 * the rounds stand one after the other, with two branches. */
INLINE TARGET void rounds_from(block s[BATCH], size_t num, const struct aes_key *key, unsigned from,
                               unsigned to)
{
#pragma GCC unroll 9
    for (unsigned r = from; r < to; r++) {
        const block k = load16(key->enc[r]);
        EACH(num, s[i] = enc_round(s[i], k));
    }
}

INLINE TARGET void encrypt_any(block s[BATCH], size_t num, const struct aes_key *key)
{
    rounds_from(s, num, key, 0, 9);
    if (UNLIKELY(key->rounds > 10)) {
        rounds_from(s, num, key, 9, 11);
        if (key->rounds > 12)
            rounds_from(s, num, key, 11, 13);
    }
    const block k = load16(key->enc[key->rounds - 1]), last = load16(key->enc[key->rounds]);
    EACH(num, s[i] = xor16(enc_last(s[i], k), last));
}

/* Processes block i of the text, which has `whole` whole blocks.  If i is the block behind them,
 * stores its keystream in *last. */
INLINE TARGET void text_block(uint8_t *out, const uint8_t *in, block stream, size_t i, size_t whole,
                              block *last, struct group *g, const struct aead_key *key,
                              enum hr_op op)
{
    if (i < whole) {
        const block x = load16(in + 16 * i), y = xor16(x, stream);
        store16(out + 16 * i, y);
        absorb_next(g, op == HR_OP_ENCRYPT ? y : x, key);
    } else if (i == whole) {
        *last = stream;
    }
}

/* Processes the last len bytes of the text, fewer than 16 * num; returns the tag. */
INLINE TARGET block finish(uint8_t *out, const uint8_t *in, size_t len, block lengths, block first,
                           block counter, struct group *g, const struct aead_key *key,
                           enum hr_op op, size_t num)
{
    block s[BATCH], last;
    const size_t whole = len / 16, part = len % 16;
    EACH(num, s[i] = i ? count(&counter) : first);
    encrypt_any(s, num, &key->aes);
    last = s[0];
    EACH(num - 1, text_block(out, in, s[i + 1], i, whole, &last, g, key, op));
    if (part) {
        const block x = load_bytes(in + 16 * whole, part), y = xor16(x, last);
        store_bytes(out + 16 * whole, y, part);
        absorb_next(g, op == HR_OP_ENCRYPT ? keep_bytes(y, part) : x, key);
    }
    absorb_next(g, lengths, key);
    return xor16(turn(reduce(g->sum)), s[0]);
}

/* Processes the text's whole groups, and GROUP / 2 more blocks if otherwise GROUP blocks would be
 * left, the last of them incomplete; returns the number of bytes processed. */
INLINE TARGET size_t bulk(uint8_t *out, const uint8_t *in, size_t len, block *counter, block *y,
                          const struct aead_key *key, enum hr_op op)
{
    size_t num_blocks = len / 16 / GROUP * GROUP;
    if (len % (16 * GROUP) > 16 * (GROUP - 1))
        num_blocks += GROUP / 2;
    uint8_t ctr[16], hash[16];
    store16(ctr, counter_of(*counter));
    store16(hash, turn(*y));
    if (op == HR_OP_ENCRYPT)
        KERNEL(gcm_encrypt)(out, in, num_blocks, key, ctr, hash);
    else
        KERNEL(gcm_decrypt)(out, in, num_blocks, key, ctr, hash);
    *counter = counter_of(load16(ctr));
    *y = turn(load16(hash));
    WIPE(&hash);
    return 16 * num_blocks;
}

/* Processes a whole message.  AAD, text and lengths are absorbed as one group if they fit into one.
 */
INLINE TARGET block message(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                            size_t aad_len, const struct aead_key *key, const uint8_t iv[12],
                            enum hr_op op)
{
    const block lengths = count_up(bswap64((uint64_t)len * 8), bswap64((uint64_t)aad_len * 8));
    const block first = count_up((uint64_t)1 << 56 | load_le32(iv + 8), load_le64(iv));
    const block zero = vdupq_n_u8(0);
    block counter = counter_of(first);
    count(&counter);
    struct group g = { empty_sum(), ghash_groups(zero, aad, aad_len / (16 * GROUP), key), 0 };
    aad += aad_len / (16 * GROUP) * (16 * GROUP);
    aad_len %= 16 * GROUP;
    size_t num_aad = (aad_len + 15) / 16, num_text = (len + 15) / 16;
    if (num_aad + num_text >= GROUP) {
        if (aad_len) {
            g.n = num_aad;
            absorb_bytes(&g, aad, aad_len, key);
            g = (struct group){ empty_sum(), reduce(g.sum), 0 };
            aad_len = num_aad = 0;
        }
        if (num_text >= GROUP) {
            const size_t done = bulk(out, in, len, &counter, &g.y, key, op);
            out += done, in += done, len -= done;
            num_text = (len + 15) / 16;
        }
    }
    g.n = num_aad + num_text + 1;
    absorb_bytes(&g, aad, aad_len, key);
    if (num_text == 0)
        return finish(out, in, len, lengths, first, counter, &g, key, op, 1);
    if (num_text < 4)
        return finish(out, in, len, lengths, first, counter, &g, key, op, 4);
    return finish(out, in, len, lengths, first, counter, &g, key, op, 8);
}

TARGET int KERNEL(gcm_encrypt_direct)(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                      size_t len, const uint8_t *aad, size_t aad_len,
                                      const struct aead_key *key, const uint8_t *iv, size_t iv_len)
{
    const int error = gcm_check(out, tag_len, in, len, aad_len);
    if (UNLIKELY(error))
        return error;
    const block full = message(out, in, len, aad, aad_len, key, iv, HR_OP_ENCRYPT);
    if (LIKELY(tag_len == 16))
        store16(tag, full);
    else
        store_bytes(tag, full, tag_len);
    return 0;
}

TARGET int KERNEL(gcm_decrypt_direct)(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                      size_t len, const uint8_t *aad, size_t aad_len,
                                      const struct aead_key *key, const uint8_t *iv, size_t iv_len)
{
    const int error = gcm_check(out, tag_len, in, len, aad_len);
    if (UNLIKELY(error))
        return error;
    const block full = message(out, in, len, aad, aad_len, key, iv, HR_OP_DECRYPT);
    const block given = LIKELY(tag_len == 16) ? load16(tag) : load_bytes(tag, tag_len);
    const uint64x2_t words = vreinterpretq_u64_u8(xor16(keep_bytes(full, tag_len), given));
    uint64_t differs = vgetq_lane_u64(words, 0) | vgetq_lane_u64(words, 1);
    CT_PUBLIC(&differs, sizeof differs);
    if (LIKELY(!differs))
        return 0;
    if (len)
        memset(out, 0, len);
    return HR_EMAC;
}
