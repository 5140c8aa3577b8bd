/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of cyclic redundancy checks, and the constants with which PCLMULQDQ folds them (Gopal and
 * others, Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009).
 */
#include "constants_private.h"

static uint64_t reverse(uint64_t x, unsigned width)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < width; i++)
        out |= (x >> i & 1) << (width - 1 - i);
    return out;
}

struct check {
    uint64_t poly; /* most significant coefficient first, without x^width */
    uint8_t width;
    bool reflected;
};

/* CRC-16: ARC, X-25 and Kermit, XMODEM, IBM 3740, T10 DIF, mirrored Modbus, DNP. */
static const struct check crc16[NUM_CRC16] = {
    { 0x8005, 16, true },  { 0x1021, 16, true }, { 0x1021, 16, false }, { 0x8005, 16, false },
    { 0x8bb7, 16, false }, { 0x3d65, 16, true }, { 0x3d65, 16, false },
};

/* CRC-32: Ethernet, Castagnoli's, Koopman's, D, Q; and the 24-bit CRC of OpenPGP. */
static const struct check crc32[NUM_CRC32] = {
    { 0x04c11db7, 32, true },  { 0x1edc6f41, 32, true },  { 0x741b8cd7, 32, true },
    { 0xa833982b, 32, true },  { 0x814141ab, 32, true },  { 0x04c11db7, 32, false },
    { 0x1edc6f41, 32, false }, { 0x814141ab, 32, false }, { 0x864cfb, 24, false },
    { 0x864cfb, 24, true },
};

/* CRC-64: ECMA-182 (XZ), ISO 3309, Jones's, NVMe's. */
static const struct check crc64[NUM_CRC64] = {
    { 0x42f0e1eba9ea3693, 64, true }, { 0x42f0e1eba9ea3693, 64, false },
    { 0x000000000000001b, 64, true }, { 0xad93d23594c935a9, 64, true },
    { 0xad93d23594c93659, 64, true },
};

/* ---- tables of 256 entries ---- */

static uint64_t entry(const struct check *c, unsigned i)
{
    const uint64_t top = (uint64_t)1 << (c->width - 1), mask = top | (top - 1);
    uint64_t r = reverse(i, 8) << (c->width - 8);
    if (!c->reflected)
        r = (uint64_t)i << (c->width - 8);
    for (unsigned k = 0; k < 8; k++)
        r = (r << 1 & mask) ^ (r & top ? c->poly : 0);
    return c->reflected ? reverse(r, c->width) : r;
}

static void table(uint64_t *out, const struct check *c)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = entry(c, i);
}

void crc16_values(uint64_t *out, unsigned variant)
{
    table(out, &crc16[variant]);
}

void crc32_values(uint64_t *out, unsigned variant)
{
    table(out, &crc32[variant]);
}

void crc64_values(uint64_t *out, unsigned variant)
{
    table(out, &crc64[variant]);
}

/* ---- folding ---- */

static const struct check folded[NUM_FOLDED] = {
    { 0x04c11db7, 32, true },         { 0x1edc6f41, 32, true },
    { 0x04c11db7, 32, false },        { 0x42f0e1eba9ea3693, 64, true },
    { 0xad93d23594c935a9, 64, true }, { 0xad93d23594c93659, 64, true },
};

static uint64_t next_power(uint64_t r, const struct check *c)
{
    const uint64_t top = (uint64_t)1 << (c->width - 1), mask = top | (top - 1);
    return (r << 1 & mask) ^ (r & top ? c->poly : 0);
}

/* x^(2 width) / P without its leading term, for Barrett reduction. */
static uint64_t quotient(const struct check *c)
{
    uint64_t r = c->poly, q = 0; /* x^width mod P */
    for (unsigned i = 0; i < c->width; i++) {
        q = q << 1 | (r >> (c->width - 1) & 1);
        r = next_power(r, c);
    }
    return q;
}

/* The forms of a folding constant for reflected CRCs. Products of reflected operands are one bit
 * short, so a constant is either rotated by one bit, or computed for x^(n-1). Of P and its
 * inverse, 33 bits are kept reflected. */
static size_t reflected_forms(uint64_t *out, uint64_t power, unsigned n, const struct check *c)
{
    const uint64_t r = reverse(power, c->width);
    if (c->width == 32 && n % 32 == 0) {
        out[0] = r << 1;
        return 1;
    }
    out[0] = r;
    return n % 32 == 31 || (c->width == 64 && n % 64 == 0);
}

size_t crc_fold_values(uint64_t *out, unsigned variant)
{
    enum { LAST = 4096 + 64 };
    const struct check *c = &folded[variant];
    size_t num = 0;
    uint64_t power = 1;
    for (unsigned n = 0; n <= LAST && num < MAX_FOLDS - 2; n++) {
        if (n > c->width && !c->reflected && n % 32 == 0)
            out[num++] = power;
        else if (n > c->width && c->reflected)
            num += reflected_forms(out + num, power, n, c);
        power = next_power(power, c);
    }
    const uint64_t barrett[2] = { c->poly, quotient(c) };
    for (unsigned i = 0; i < 2; i++)
        out[num++] = c->reflected ? reverse(barrett[i], c->width) << 1 | 1
                                  : barrett[i] | (uint64_t)1 << (c->width % 64);
    return num;
}
