/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentiation by fixed windows: every window of the exponent costs the same squarings, one
 * product, and a look at the whole table of powers. */
#include "mont_power.h"
#include "../internal.h"
#include "mont_kernels.h"

enum { WINDOW = 5, POWERS = 1 << WINDOW };

static void copy(uint64_t *z, const uint64_t *x, size_t num)
{
    memcpy(z, x, num * sizeof *z);
}
static void set_word(uint64_t *z, uint64_t word, size_t num)
{
    memset(z, 0, num * sizeof *z);
    z[0] = word;
}

/* ---- the modulus ---- */

/* Newton's iteration doubles the number of right bits: m is its own inverse modulo 8. */
uint64_t mont_m0(uint64_t low)
{
    uint64_t inverse = low;
    for (int bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - low * inverse;
    return 0 - inverse;
}

static size_t word_bits(uint64_t x)
{
    uint64_t bits = 0;
    for (unsigned half = 32; half; half /= 2) {
        const uint64_t mask = ~bn_word_is_zero(x >> half);
        bits += half & mask;
        x = ((x >> half) & mask) | (x & ~mask);
    }
    return (size_t)(bits + x);
}

size_t bn_bits(const uint64_t *x, size_t num)
{
    size_t bits = 0;
    for (size_t i = 0; i < num; i++) {
        const uint64_t is_zero = bn_word_is_zero(x[i]);
        bits = (bits & is_zero) | ((64 * i + word_bits(x[i])) & ~is_zero);
    }
    CT_PUBLIC(&bits, sizeof bits);
    return bits;
}

/* Doubling makes 2^num in Montgomery's form of the largest power of two below m, and six squarings
 * make 2^(64 num), that is R, of it. */
void mont_init(struct modulus *modulus, const uint64_t *m, size_t num, uint64_t *r2)
{
    const size_t bits = bn_bits(m, num);
    *modulus = (struct modulus){ .m = m, .r2 = r2, .m0 = mont_m0(m[0]), .num = num };
    set_word(r2, 0, num);
    r2[(bits - 1) / 64] = UINT64_C(1) << (bits - 1) % 64;
    for (size_t i = bits - 1; i < 64 * num + num; i++)
        bn_mod_add(r2, r2, r2, m, num);
    const struct mont_kernel *const kernel = mont_kernel(num);
    for (int i = 0; i < 6; i++)
        kernel->mul(r2, r2, r2, modulus);
}

/* ---- products ---- */

void mont_product(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *m)
{
    uint64_t t[MONT_MAX_LIMBS];
    const struct mont_kernel *const kernel = mont_kernel(m->num);
    kernel->mul(t, x, m->r2, m);
    kernel->mul(z, t, y, m);
    wipe_bytes(t, m->num * sizeof *t);
}

/* Horner's rule over parts of as many limbs as m has, for R x; a part may be above m. */
void mont_reduce(uint64_t *z, const uint64_t *x, size_t x_num, const struct modulus *m)
{
    uint64_t sum[MONT_MAX_LIMBS], part[MONT_MAX_LIMBS], one[MONT_MAX_LIMBS];
    const struct mont_kernel *const kernel = mont_kernel(m->num);
    const size_t num = m->num, len = num * sizeof *sum;
    set_word(one, 1, num);
    set_word(sum, 0, num);
    for (size_t at = (x_num + num - 1) / num * num, from; at; at = from) {
        from = at - num;
        set_word(part, 0, num);
        copy(part, x + from, x_num - from < num ? x_num - from : num);
        kernel->mul(part, part, m->r2, m);
        if (at < x_num)
            kernel->mul(sum, sum, m->r2, m);
        bn_mod_add(sum, sum, part, m->m, num);
    }
    kernel->mul(z, sum, one, m);
    wipe_bytes(sum, len);
    wipe_bytes(part, len);
}

/* ---- powers ---- */

/* LANES limbs at once of all powers, so that they stay in registers. */
enum { LANES = 8 };
typedef uint64_t lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

static void look_up(uint64_t *z, const uint64_t *table, uint64_t index, size_t num)
{
    uint64_t masks[POWERS];
    for (uint64_t i = 0; i < POWERS; i++)
        masks[i] = bn_word_is_zero(i ^ index);
    size_t at = 0;
    for (; at + LANES <= num; at += LANES) {
        lanes sum = { 0 };
        for (size_t i = 0; i < POWERS; i++)
            sum |= *(const lanes *)(table + i * num + at) & masks[i];
        *(lanes *)(z + at) = sum;
    }
    for (; at < num; at++) {
        z[at] = 0;
        for (size_t i = 0; i < POWERS; i++)
            z[at] |= table[i * num + at] & masks[i];
    }
    WIPE(&masks);
}

/* The bits of e from `at` on; those past its end are zero. */
static uint64_t window(const uint64_t *e, size_t e_num, size_t at)
{
    const size_t limb = at / 64, shift = at % 64;
    uint64_t bits = e[limb] >> shift;
    if (shift > 64 - WINDOW && limb + 1 < e_num)
        bits |= e[limb + 1] << (64 - shift);
    return bits % POWERS;
}

void mont_power_by(const struct mont_kernel *kernel, uint64_t *z, const uint64_t *x,
                   const uint64_t *e, size_t e_bits, const struct modulus *m)
{
    uint64_t table[POWERS * MONT_POWER_LIMBS], power[MONT_POWER_LIMBS], one[MONT_POWER_LIMBS];
    const size_t num = m->num, e_num = (e_bits + 63) / 64;
    set_word(one, 1, num);
    kernel->mul(table, m->r2, one, m);
    kernel->mul(table + num, x, m->r2, m);
    for (size_t i = 2; i < POWERS; i++)
        kernel->mul(table + i * num, table + (i - 1) * num, table + num, m);
    size_t at = (e_bits - 1) / WINDOW * WINDOW;
    look_up(z, table, window(e, e_num, at), num);
    while (at) {
        at -= WINDOW;
        look_up(power, table, window(e, e_num, at), num);
        kernel->steps(z, z, WINDOW, power, m);
    }
    kernel->mul(z, z, one, m);
    wipe_bytes(table, POWERS * num * sizeof *table);
    wipe_bytes(power, num * sizeof *power);
}

void mont_power_bits(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_bits,
                     const struct modulus *m)
{
    const struct mont_kernel *const kernel = mont_kernel(m->num);
    if (kernel->power)
        kernel->power(z, x, e, e_bits, m);
    else
        mont_power_by(kernel, z, x, e, e_bits, m);
}

void mont_power(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_num,
                const struct modulus *m)
{
    mont_power_bits(z, x, e, 64 * e_num, m);
}

void mont_power_vartime(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_num,
                        const struct modulus *m)
{
    uint64_t base[MONT_MAX_LIMBS], one[MONT_MAX_LIMBS];
    const struct mont_kernel *const kernel = mont_kernel(m->num);
    unsigned squarings = 0;
    set_word(one, 1, m->num);
    kernel->mul(base, x, m->r2, m);
    copy(z, base, m->num);
    for (size_t at = bn_bits(e, e_num) - 1; at--;) {
        squarings++;
        if (e[at / 64] >> at % 64 & 1) {
            kernel->steps(z, z, squarings, base, m);
            squarings = 0;
        }
    }
    kernel->steps(z, z, squarings, one, m); /* which also leaves Montgomery's form */
    wipe_bytes(base, m->num * sizeof *base);
}
