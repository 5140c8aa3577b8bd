/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec512.h"
#include "xts_tweak.h"

#undef TARGET
#define TARGET LEAF __attribute__((target("vaes,vpclmulqdq,aes,avx512f,avx512bw")))

#define WIDE 8

struct tweaks {
    vec now, after; /* now: t, t x, t x^2, t x^3; after: the next four */
};

/* Returns t x^i ... t x^(i + 3). */
INLINE TARGET vec four_tweaks(vec t, unsigned i)
{
    const vec by =
        _mm512_add_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0), _mm512_set1_epi64((long long)i));
    const vec out = _mm512_srlv_epi64(t, _mm512_sub_epi64(_mm512_set1_epi64(64), by));
    const vec fold = _mm512_clmulepi64_epi128(out, low64(0x87), 0x01);
    return xor(xor(_mm512_sllv_epi64(t, by), _mm512_bslli_epi128(out, 8)), fold);
}

INLINE TARGET struct tweaks first_tweaks(block t)
{
    const vec all = _mm512_broadcast_i32x4(t);
    return (struct tweaks){ four_tweaks(all, 0), four_tweaks(all, 4) };
}

/* Multiplies by x^8: the byte that is shifted out comes back as its product with 0x87.  Shifts of
 * whole bytes are used because shifts of bits take the port that AES needs. */
INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const vec t = tweaks->now;
    const vec fold = _mm512_clmulepi64_epi128(_mm512_bsrli_epi128(t, 15), low64(0x87), 0x00);
    tweaks->now = tweaks->after;
    tweaks->after = xor(_mm512_bslli_epi128(t, 1), fold);
    return t;
}

/* ---- batches of eight vectors ---- */

/* The bytes that leave t when it is multiplied by x^8 one to four times are its upper four.  One
 * multiplication makes their products with 0x87, which have 15 bits: words 0 to 3 of each lane. */
INLINE TARGET vec four_folds(vec t)
{
    const vec bytes = _mm512_broadcast_i32x4(
        _mm_setr_epi8(15, -1, 14, -1, 13, -1, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1));
    return _mm512_clmulepi64_epi128(_mm512_shuffle_epi8(t, bytes), low64(0x87), 0x00);
}

/* Returns t x^8, where word i of `folds` is the fold. */
INLINE TARGET vec step(vec t, vec folds, int i)
{
    const __m128i word = _mm_setr_epi8((char)(2 * i), (char)(2 * i + 1), -1, -1, -1, -1, -1, -1, -1,
                                       -1, -1, -1, -1, -1, -1, -1);
    return xor(_mm512_bslli_epi128(t, 1), _mm512_shuffle_epi8(folds, _mm512_broadcast_i32x4(word)));
}

/* The tweaks of two batches, and the folds of the second one's vectors 0 and 1. */
struct ahead {
    vec t[10], folds[2];
};

/* Computes t[2] to t[9] from t[0] and t[1], in ten steps, 1 to 10. */
INLINE TARGET void tweak_step(struct ahead *a, unsigned i)
{
    if (i <= 2)
        a->folds[i - 1] = four_folds(a->t[i - 1]);
    else
        a->t[i - 1] = step(a->t[i - 3], a->folds[(i - 1) % 2], (int)(i - 3) / 2);
}

INLINE TARGET vec round_of(vec s, vec key, enum hr_op op)
{
    return op == HR_OP_ENCRYPT ? enc(s, key) : dec(s, key);
}

INLINE TARGET vec last_round_of(vec s, vec key, enum hr_op op)
{
    return op == HR_OP_ENCRYPT ? enc_last(s, key) : dec_last(s, key);
}

/* The next batch's tweaks are computed between the rounds of this one: a Zen 4, which has the ports
 * for both, does not reach so far ahead by itself (16 KiB of AES-128: 13.4 cycles a vector when
 * they are computed between batches, 10.7 here; the rounds alone take 10.1). */
INLINE TARGET size_t xts_ahead(uint8_t *out, const uint8_t *in, size_t num_blocks,
                               struct tweaks *tweaks, const struct aes_key *key, enum hr_op op,
                               unsigned rounds)
{
    const uint8_t(*const keys)[16] = op == HR_OP_ENCRYPT ? key->enc : key->dec;
    struct ahead now = { .t = { tweaks->now, tweaks->after } }, next;
    if (num_blocks < 8 * LANES)
        return num_blocks;
    EACH_ROUND(11, tweak_step(&now, r));
    for (; num_blocks >= 8 * LANES; num_blocks -= 8 * LANES) {
        vec s[8];
        next.t[0] = now.t[8], next.t[1] = now.t[9];
        vec k = round_key(keys[0]);
        EACH(8, s[i] = xor(xor(now.t[i], load(in + i * sizeof(vec))), k));
        EACH_ROUND(rounds, {
            k = round_key(keys[r]);
            EACH(8, s[i] = round_of(s[i], k, op));
            if (r <= 8)
                tweak_step(&next, r);
        });
        k = round_key(keys[rounds]);
        EACH(8, store(out + i * sizeof(vec), xor(now.t[i], last_round_of(s[i], k, op))));
        tweak_step(&next, 9);
        tweak_step(&next, 10);
        now = next;
        in += 8 * sizeof(vec), out += 8 * sizeof(vec);
    }
    *tweaks = (struct tweaks){ now.t[0], now.t[1] };
    return num_blocks;
}
#define XTS_WIDE xts_ahead

#include "../aes_xts.h"
