/* SPDX-License-Identifier: Apache-2.0 */
/* Key expansion, FIPS 197 section 5.2: w[i] = w[i - n] ^ f(w[i - 1]).
 *
 * AESE with a key of zero on a state of four equal columns computes SubWord of each column, since
 * ShiftRows only exchanges bytes between equal columns.
 *
 *   void aes_expand_ce(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int decrypt);
 *
 * bytes_len is 16, 24 or 32; any alignment; bytes lie outside *key.
 *
 * The decryption schedule is that of section 5.3.5: the round keys in reverse order, with
 * InvMixColumns applied to all but the first and the last. */
#include "aes_ce.h"

INLINE TARGET uint32_t sub_word(uint32_t word)
{
    const block x = vreinterpretq_u8_u32(vdupq_n_u32(word));
    return vgetq_lane_u32(vreinterpretq_u32_u8(enc_last(x, vdupq_n_u8(0))), 0);
}

static TARGET void expand_decrypt(struct aes_key *key)
{
    const unsigned rounds = key->rounds;
    memcpy(key->dec[0], key->enc[rounds], 16);
    for (unsigned r = 1; r < rounds; r++)
        store16(key->dec[r], inv_mix_columns(load16(key->enc[rounds - r])));
    memcpy(key->dec[rounds], key->enc[0], 16);
}

TARGET void aes_expand_ce(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int decrypt)
{
    const size_t num = bytes_len / 4;
    uint32_t w[60], rcon = 1; /* words in memory order: byte 0 is the lowest */
    key->rounds = (uint32_t)num + 6;
    const size_t total = 4 * (key->rounds + 1);
    memcpy(w, bytes, bytes_len);
    for (size_t i = num; i < total; i += num) {
        w[i] = w[i - num] ^ rotr32(sub_word(w[i - 1]), 8) ^ rcon;
        rcon = rcon << 1 ^ (0x11b & (0 - (rcon >> 7)));
        for (size_t k = 1; k < num && i + k < total; k++)
            w[i + k] =
                w[i + k - num] ^ (num == 8 && k == 4 ? sub_word(w[i + k - 1]) : w[i + k - 1]);
    }
    memcpy(key->enc, w, 4 * total);
    WIPE(&w);
    if (decrypt)
        expand_decrypt(key);
}
