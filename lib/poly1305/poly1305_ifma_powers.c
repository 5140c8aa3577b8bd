/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the powers of r for poly1305_ifma.h. */
#include "poly1305_field.h"
#include "poly1305_ifma.h"

static void limbs(uint64_t *out, size_t step, const uint64_t power[3])
{
    const uint64_t mask = (UINT64_C(1) << 52) - 1;
    uint64_t x[3] = { power[0], power[1], power[2] };
    for (int a = 0; a < 3; a++, out += 3 * step) {
        out[0] = x[0] & mask;
        out[step] = (x[0] >> 52 | x[1] << 12) & mask;
        out[2 * step] = x[1] >> 40 | x[2] << 24;
        poly1305_shift(x, x, 52);
    }
}

void poly1305_setup_ifma(struct poly1305_key *key)
{
    static const uint8_t lane[IFMA_LANES] = { 7, 3, 6, 2, 5, 1, 4, 0 };
    struct poly1305_ifma *p = (void *)key->powers;
    uint64_t power[IFMA_LANES][3] = { { key->r[0], key->r[1], 0 } }, x[3] = { 1, 0, 0 };
    for (int i = 1; i < IFMA_LANES; i++) /* r^(i+1) from two powers of half the exponent, so that
                                          * the multiplications overlap */
        poly1305_product(power[i], power[i / 2], power[(i - 1) / 2]);
    for (int i = 0; i < IFMA_LANES; i++)
        limbs(&p->lanes[0][i], IFMA_LANES, power[lane[i]]);
    for (size_t j = 0; j <= IFMA_GROUPS; j++) {
        limbs(p->rows[j], 1, x);
        poly1305_product(x, x, power[7]);
    }
    WIPE(&power);
    WIPE(&x);
}
