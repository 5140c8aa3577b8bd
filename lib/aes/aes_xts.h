/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES, IEEE 1619 section 5: out[i] = E(in[i] ^ t[i]) ^ t[i], or D for E, where t[i] = E2(iv)
 * x^i.  The file that includes this one defines the vector width and the CPU.
 *
 *   int aes_xts_<direction>_<isa>(uint8_t *out, const uint8_t *in, size_t len,
 *                                 const struct xts_key *key, const uint8_t iv[16]);
 *
 * out is equal to in or does not overlap it; any alignment; len >= 16.
 *
 * The including file also defines, besides the operations of aes_vec.h:
 *   first_tweaks(t): a struct tweaks that begins with t;
 *   next_tweaks(tweaks): the next vector of tweaks, t, t x, t x^2 ...;
 *   next_tweak(t): t x;
 *   WIDE: how many vectors are computed at once;
 *   XTS_WIDE, where xts_batch() is not fastest for whole batches: a function like xts_wide();
 *   with_end(whole, last, part): a block that begins with the last `part` bytes of `last` and goes
 *   on as `whole`;
 *   begin_behind(whole, part): a block that ends with the first bytes of `whole`, from byte 16 -
 *   part on. */
#include "../xts.h"

INLINE TARGET void xts_batch(uint8_t *out, const uint8_t *in, size_t num, size_t part,
                             struct tweaks *tweaks, enum hr_op op, const struct aes_key *key,
                             unsigned rounds)
{
    vec t[BATCH], s[BATCH];
    EACH(num, t[i] = next_tweaks(tweaks));
    EACH(num, s[i] = xor(t[i], load_at(in, i, part)));
    if (op == HR_OP_ENCRYPT)
        encrypt(s, num, key, rounds);
    else
        decrypt(s, num, key, rounds);
    EACH(num, store_at(out, i, xor(t[i], s[i]), part));
}

/* Processes whole batches of WIDE vectors.  Returns how many blocks are left. */
#ifndef XTS_WIDE
#define XTS_WIDE xts_wide
INLINE TARGET size_t xts_wide(uint8_t *out, const uint8_t *in, size_t num_blocks,
                              struct tweaks *tweaks, const struct aes_key *key, enum hr_op op,
                              unsigned rounds)
{
    for (; num_blocks >= WIDE * LANES; num_blocks -= WIDE * LANES) {
        xts_batch(out, in, WIDE, 0, tweaks, op, key, rounds);
        in += WIDE * sizeof(vec), out += WIDE * sizeof(vec);
    }
    return num_blocks;
}
#endif

INLINE TARGET block xts_one(block x, block t, enum hr_op op, const struct aes_key *key,
                            unsigned rounds)
{
    x = xor16(x, t);
    x = op == HR_OP_ENCRYPT ? encrypt16(x, key, rounds) : decrypt16(x, key, rounds);
    return xor16(x, t);
}

/* Ciphertext stealing, sections 5.3.2 and 5.4.2, of the last whole block and the `part` bytes
 * behind it.  Decryption uses their two tweaks in the opposite order.  All input is read before
 * anything is written. */
INLINE TARGET void steal(uint8_t *out, const uint8_t *in, size_t part, block t, enum hr_op op,
                         const struct aes_key *key, unsigned rounds)
{
    const block after = next_tweak(t), last = load16(in + part);
    const block whole = xts_one(load16(in), op == HR_OP_ENCRYPT ? t : after, op, key, rounds);
    const block mixed = with_end(whole, last, part);
    store16(out + part, begin_behind(whole, part));
    store16(out, xts_one(mixed, op == HR_OP_ENCRYPT ? after : t, op, key, rounds));
}

/* Extracts block `num` of a vector, num < LANES. */
INLINE TARGET block block_at(vec t, size_t num)
{
    uint8_t bytes[sizeof(vec)];
    store(bytes, t);
    const block x = load16(bytes + 16 * num);
    WIPE(&bytes);
    return x;
}

/* `data` is the data's key as encrypt() and decrypt() want it. */
INLINE TARGET void xts(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
                       const struct aes_key *data, const uint8_t iv[16], enum hr_op op,
                       unsigned rounds)
{
    const block t = encrypt16(load16(iv), &key->tweak, rounds);
    if (len == 16) {
        store16(out, xts_one(load16(in), t, op, &key->data, rounds));
        return;
    }
    const size_t part = len % 16;
    size_t num_blocks = len / 16 - (part ? 1 : 0);
    struct tweaks tweaks = first_tweaks(t);
    const size_t left = XTS_WIDE(out, in, num_blocks, &tweaks, data, op, rounds);
    in += 16 * (num_blocks - left), out += 16 * (num_blocks - left);
    num_blocks = left;
    EACH_BATCH_STEP(xts_batch, out, in, num_blocks, 4, &tweaks, op, data, rounds)
    EACH_BATCH_STEP(xts_batch, out, in, num_blocks, 2, &tweaks, op, data, rounds)
    EACH_BATCH_STEP(xts_batch, out, in, num_blocks, 1, &tweaks, op, data, rounds)
    num_blocks %= LANES;
    if (num_blocks) {
        struct tweaks same = tweaks;
        xts_batch(out, in, 1, num_blocks, &same, op, data, rounds);
        in += 16 * num_blocks, out += 16 * num_blocks;
    }
    if (part)
        steal(out, in, part, block_at(next_tweaks(&tweaks), num_blocks), op, &key->data, rounds);
    leave();
}

/* Defines a kernel with separate code for each key length, without a loop over the rounds.  XTS has
 * no AES-192. */
#ifndef XTS_KERNEL
#define XTS_KERNEL(stem, op)                                                 \
    TARGET int KERNEL(stem)(uint8_t * out, const uint8_t *in, size_t len,    \
                            const struct xts_key *key, const uint8_t iv[16]) \
    {                                                                        \
        if (key->data.rounds == 10)                                          \
            xts(out, in, len, key, &key->data, iv, op, 10);                  \
        else                                                                 \
            xts(out, in, len, key, &key->data, iv, op, 14);                  \
        return 0;                                                            \
    }
#endif

XTS_KERNEL(aes_xts_encrypt, HR_OP_ENCRYPT)
XTS_KERNEL(aes_xts_decrypt, HR_OP_DECRYPT)
