/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 as its paper defines it, one bit at a time, with numbers modulo p = 2^130 - 5 in three
 * words. */
#include "test.h"

/* reduce replaces x < 2 p by x mod p: if x + 5 reaches 2^130, it subtracts p. */
static void reduce(uint64_t x[3])
{
    uint64_t y[3] = { x[0] + 5, x[1], x[2] };
    if (y[0] < 5 && ++y[1] == 0)
        y[2]++;
    if (y[2] >> 2) {
        y[2] -= 4;
        memcpy(x, y, sizeof y);
    }
}

static void add(uint64_t x[3], const uint64_t y[3])
{
    const uint64_t low = x[0] + y[0], carry = low < y[0], middle = x[1] + y[1];
    x[2] += y[2] + (middle < y[1]) + (middle + carry < carry);
    x[1] = middle + carry;
    x[0] = low;
    reduce(x);
}

static uint64_t word(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--)
        x = x << 8 | p[i];
    return x;
}

/* multiply replaces x by x r with clamped r, by Horner's rule over the bits of r. */
static void multiply(uint64_t x[3], const uint8_t r[16])
{
    const uint64_t clamped[2] = { word(r) & UINT64_C(0x0ffffffc0fffffff),
                                  word(r + 8) & UINT64_C(0x0ffffffc0ffffffc) };
    uint64_t product[3] = { 0, 0, 0 };
    for (int i = 127; i >= 0; i--) {
        const uint64_t twice[3] = { product[0], product[1], product[2] };
        add(product, twice);
        if (clamped[i / 64] >> i % 64 & 1)
            add(product, x);
    }
    memcpy(x, product, sizeof product);
}

void model_poly1305_blocks(uint64_t h[3], const uint8_t *in, size_t len, const uint8_t r[16])
{
    /* h may be any number of 131 bits, which is below 3 p */
    reduce(h);
    reduce(h);
    for (size_t at = 0; at < len; at += 16) {
        const size_t n = len - at < 16 ? len - at : 16;
        uint8_t block[24] = { 0 };
        memcpy(block, in + at, n);
        block[n] = 1;
        const uint64_t c[3] = { word(block), word(block + 8), word(block + 16) };
        add(h, c);
        multiply(h, r);
    }
}

void model_poly1305(uint8_t out[16], const uint8_t *in, size_t len, const uint8_t r[16],
                    const uint8_t s[16])
{
    uint64_t h[3] = { 0, 0, 0 };
    model_poly1305_blocks(h, in, len, r);
    const uint64_t low = h[0] + word(s), high = h[1] + word(s + 8) + (low < h[0]);
    for (int i = 0; i < 8; i++) {
        out[i] = (uint8_t)(low >> 8 * i);
        out[8 + i] = (uint8_t)(high >> 8 * i);
    }
}
