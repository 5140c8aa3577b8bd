/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the powers of r for poly1305_words.h. */
#include "poly1305_words.h"
#include "poly1305_field.h"

static void limbs(uint32_t out[5], const uint64_t x[3])
{
    const uint64_t mask = (1 << 26) - 1;
    out[0] = (uint32_t)(x[0] & mask);
    out[1] = (uint32_t)(x[0] >> 26 & mask);
    out[2] = (uint32_t)((x[0] >> 52 | x[1] << 12) & mask);
    out[3] = (uint32_t)(x[1] >> 14 & mask);
    out[4] = (uint32_t)(x[1] >> 40 | x[2] << 24);
}

static void group(struct poly1305_words *w, size_t j, const uint64_t power[3])
{
    uint64_t x[3] = { power[0], power[1], power[2] };
    for (int a = 0; a < 5; a++) {
        limbs(w->rows[j][a], x);
        poly1305_shift(x, x, 32);
    }
    for (int b = 0; b < 5; b++)
        w->sums[j + 1][b] = w->sums[j][b] + w->rows[j][4][b];
    WIPE(&x);
}

void poly1305_setup_words(struct poly1305_key *key)
{
    static const uint8_t lane[WORDS_LANES] = { 7, 3, 6, 2, 5, 1, 4, 0 };
    struct poly1305_words *w = (void *)key->powers;
    uint64_t power[WORDS_LANES][3] = { { key->r[0], key->r[1], 0 } }, x[3] = { 1, 0, 0 };
    uint32_t five[5];
    for (int i = 1; i < WORDS_LANES; i++) /* r^(i+1) from two powers of half the exponent, so
                                           * that the multiplications overlap */
        poly1305_product(power[i], power[i / 2], power[(i - 1) / 2]);
    for (int i = 0; i < WORDS_LANES; i++) {
        limbs(five, power[lane[i]]);
        for (int b = 0; b < 5; b++)
            w->lanes[b][i] = five[b];
    }
    memset(w->sums[0], 0, sizeof w->sums[0]);
    for (size_t j = 0; j < WORDS_GROUPS; j++) {
        group(w, j, x);
        poly1305_product(x, x, power[7]);
    }
    limbs(w->turn[0], x);
    for (int b = 0; b < 5; b++)
        w->turn[1][b] = 5 * w->turn[0][b];
    WIPE(&power);
    WIPE(&x);
    WIPE(&five);
}
