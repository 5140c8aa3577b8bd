/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec128.h"
#include "xts_tweak.h"

#define WIDE 6 /* blocks at once: more would need tweaks too early in the first batch */

struct tweaks {
    vec t;
};

INLINE TARGET struct tweaks first_tweaks(block t)
{
    return (struct tweaks){ t };
}

INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const vec now = tweaks->t;
    tweaks->t = next_tweak(now);
    return now;
}

/* The next batch's tweaks are computed between the rounds of this one and wait in memory, as 16
 * registers do not hold both (16 KiB on a Zen 4: AES-128 5.9 cycles a block instead of 6.7, AES-256
 * 8.3 instead of 8.6). */
INLINE TARGET size_t xts_ahead(uint8_t *out, const uint8_t *in, size_t num_blocks,
                               struct tweaks *tweaks, const struct aes_key *key, enum hr_op op,
                               unsigned rounds)
{
    const uint8_t(*const keys)[16] = op == HR_OP_ENCRYPT ? key->enc : key->dec;
    vec both[2][WIDE], s[WIDE];
    unsigned now = 0;
    if (num_blocks < WIDE)
        return num_blocks;
    EACH(WIDE, both[0][i] = next_tweaks(tweaks));
    for (; num_blocks >= WIDE; num_blocks -= WIDE) {
        const vec *const t = both[now];
        vec *const next = both[now ^= 1];
        vec k = round_key(keys[0]);
        EACH(WIDE, s[i] = xor(xor(t[i], load16(in + 16 * i)), k));
        EACH_ROUND(rounds, {
            k = round_key(keys[r]);
            EACH(WIDE, s[i] = op == HR_OP_ENCRYPT ? enc(s[i], k) : dec(s[i], k));
            if (r <= WIDE)
                next[r - 1] = next_tweaks(tweaks);
        });
        k = round_key(keys[rounds]);
        EACH(WIDE, s[i] = op == HR_OP_ENCRYPT ? enc_last(s[i], k) : dec_last(s[i], k));
        EACH(WIDE, store16(out + 16 * i, xor(t[i], s[i])));
        in += 16 * WIDE, out += 16 * WIDE;
    }
    tweaks->t = both[now][0];
    WIPE(&both);
    return num_blocks;
}
#define XTS_WIDE xts_ahead

#include "../aes_xts.h"
