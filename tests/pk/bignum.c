/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo odd numbers of any size: every kernel, reductions, powers and inverses against
 * schoolbook arithmetic that adds and doubles. */
#include "bignum/mont_kernels.h"
#include "bignum/mont_power.h"
#include "test.h"

static int quick;

/* ---- the slow reference: z = x y mod m, x and y of num limbs, y of any size ---- */

static void times(uint64_t *z, const uint64_t *x, const uint64_t *y, size_t y_num,
                  const struct modulus *m)
{
    uint64_t sum[MONT_MAX_LIMBS] = { 0 };
    for (size_t bit = 64 * y_num; bit--;) {
        bn_mod_add(sum, sum, sum, m->m, m->num);
        if (y[bit / 64] >> bit % 64 & 1)
            bn_mod_add(sum, sum, x, m->m, m->num);
    }
    memcpy(z, sum, 8 * m->num);
}

/* ---- operands ---- */

struct operands {
    uint64_t m[MONT_MAX_LIMBS], r2[MONT_MAX_LIMBS], one[MONT_MAX_LIMBS];
    struct modulus modulus;
};

/* Random words, or runs of zeros and ones. */
static void any_words(uint64_t *z, size_t num)
{
    random_bytes(z, 8 * num);
    if (random_below(3) == 0)
        for (size_t i = 0; i < num; i++)
            z[i] = random_below(2) ? UINT64_MAX : 0;
}

static void any_modulus(struct operands *o, size_t num)
{
    memset(o, 0, sizeof *o);
    any_words(o->m, num);
    if (random_below(2))
        o->m[num - 1] |= UINT64_C(1) << 63;
    else
        o->m[num - 1] >>= random_below(64); /* of any number of bits */
    o->m[0] |= 3;
    o->one[0] = 1;
    mont_init(&o->modulus, o->m, num, o->r2);
}

/* A number below m: 0, 1, m - 1, or any. */
static void below(uint64_t *z, const struct operands *o)
{
    const uint32_t kind = random_below(8);
    uint64_t any[MONT_MAX_LIMBS];
    memset(z, 0, 8 * o->modulus.num);
    any_words(any, o->modulus.num);
    z[0] = kind == 1;
    if (kind == 2)
        bn_sub(z, o->m, o->one, o->modulus.num);
    if (kind > 2)
        times(z, o->one, any, o->modulus.num, &o->modulus);
}

static void times_word(uint64_t *z, const uint64_t *x, uint64_t word, size_t num)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < num; i++) {
        const bn_wide sum = (bn_wide)x[i] * word + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

static void same(const uint64_t *x, const uint64_t *y, size_t num, const char *what)
{
    if (memcmp(x, y, 8 * num))
        complain("%s: wrong for %zu limbs", what, num);
}

/* ---- kernels ---- */

/* z R = x y, and z of steps is x^(2^n) y / R^(2^n). */
static void compare_kernel(const struct mont_kernel *kernel, const struct operands *o)
{
    const struct modulus *const m = &o->modulus;
    uint64_t x[MONT_MAX_LIMBS], y[MONT_MAX_LIMBS], z[MONT_MAX_LIMBS], want[MONT_MAX_LIMBS];
    uint64_t r[MONT_MAX_LIMBS + 1] = { 0 };
    r[m->num] = 1;
    below(x, o);
    below(y, o);
    kernel->mul(z, x, y, m);
    if (!(bn_less(z, m->m, m->num)))
        complain("%s: mul is not reduced", kernel->name);
    times(z, z, r, m->num + 1, m);
    times(want, x, y, m->num, m);
    same(z, want, m->num, kernel->name);
    any_words(r, m->num); /* one factor may be above m */
    kernel->mul(z, r, y, m);
    mont_mul(want, r, y, m);
    same(z, want, m->num, kernel->name);
    const unsigned squarings = random_below(7);
    mont_steps_c(want, x, squarings, y, m);
    kernel->steps(z, x, squarings, y, m);
    same(z, want, m->num, kernel->name);
    memcpy(z, x, 8 * m->num);
    kernel->steps(z, z, squarings, y, m);
    same(z, want, m->num, kernel->name);
    memcpy(z, y, 8 * m->num);
    kernel->steps(z, x, squarings, z, m);
    same(z, want, m->num, kernel->name);
    mont_mul(want, x, x, m);
    for (unsigned i = 1; i < squarings; i++)
        mont_mul(want, want, want, m);
    if (squarings) {
        mont_mul(want, want, y, m);
        same(z, want, m->num, kernel->name);
    }
}

/* The kernel's own powers are those by its products. */
static void compare_power(const struct mont_kernel *kernel, const struct operands *o)
{
    uint64_t x[MONT_MAX_LIMBS], want[MONT_MAX_LIMBS], e[2];
    const size_t bits = 1 + random_below(8 * sizeof e);
    if (!kernel->power)
        return;
    below(x, o);
    any_words(e, COUNT_OF(e));
    for (size_t i = bits; i < 8 * sizeof e; i++)
        e[i / 64] &= ~(UINT64_C(1) << i % 64);
    mont_power_by(kernel, want, x, e, bits, &o->modulus);
    kernel->power(x, x, e, bits, &o->modulus);
    same(x, want, o->modulus.num, kernel->name);
}

static void check_kernel(const struct mont_kernel *kernel)
{
    static struct operands o;
    const char *reason = cannot_run(kernel->needs);
    if (reason) {
        tap_skip(reason, "%s, %zu to %zu limbs", kernel->name, kernel->min_limbs,
                 kernel->max_limbs);
        return;
    }
    const size_t most =
        quick && kernel->max_limbs > 40 && kernel->min_limbs < 40 ? 40 : kernel->max_limbs;
    for (int i = 0; i < (quick ? 40 : 80) && !complaints_suffice(); i++) {
        const size_t span = most - kernel->min_limbs + 1;
        any_modulus(&o, kernel->min_limbs + random_below((uint32_t)span));
        compare_kernel(kernel, &o);
        compare_power(kernel, &o);
    }
    tap(1, "%s, %zu to %zu limbs", kernel->name, kernel->min_limbs, kernel->max_limbs);
}

/* ---- what is made of them ---- */

static void check_reduce(void)
{
    static struct operands o;
    for (int i = 0; i < (quick ? 60 : 150); i++) {
        uint64_t x[100], z[MONT_MAX_LIMBS], want[MONT_MAX_LIMBS];
        const size_t x_num = 1 + random_below(COUNT_OF(x));
        any_modulus(&o, 1 + random_below(40));
        any_words(x, x_num);
        mont_reduce(z, x, x_num, &o.modulus);
        times(want, o.one, x, x_num, &o.modulus);
        same(z, want, o.modulus.num, "reduce");
        below(x, &o);
        below(z, &o);
        times(want, x, z, o.modulus.num, &o.modulus);
        mont_product(z, x, z, &o.modulus);
        same(z, want, o.modulus.num, "product");
    }
    tap(1, "reductions and products");
}

static void slow_power(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_num,
                       const struct operands *o)
{
    uint64_t power[MONT_MAX_LIMBS] = { 1 };
    for (size_t bit = 64 * e_num; bit--;) {
        times(power, power, power, o->modulus.num, &o->modulus);
        if (e[bit / 64] >> bit % 64 & 1)
            times(power, power, x, o->modulus.num, &o->modulus);
    }
    memcpy(z, power, 8 * o->modulus.num);
}

/* x_power is x^e. */
static void check_power_two(const uint64_t *x, const uint64_t *e, size_t e_num,
                            const uint64_t *x_power, const struct operands *o)
{
    uint64_t y[MONT_MAX_LIMBS], z[MONT_MAX_LIMBS], want[MONT_MAX_LIMBS], f[3];
    below(y, o);
    any_words(f, e_num);
    slow_power(want, y, f, e_num, o);
    times(want, want, x_power, o->modulus.num, &o->modulus);
    mont_power_two_vartime(z, x, e, y, f, e_num, &o->modulus);
    same(z, want, o->modulus.num, "power_two_vartime");
}

static void check_power(void)
{
    static struct operands o;
    for (int i = 0; i < (quick ? 25 : 80); i++) {
        uint64_t x[MONT_MAX_LIMBS], z[MONT_MAX_LIMBS], want[MONT_MAX_LIMBS], e[3];
        const size_t e_num = 1 + random_below(COUNT_OF(e));
        any_modulus(&o, i % 5 ? 1 + random_below(6) : 8 * (1 + random_below(2)));
        below(x, &o);
        any_words(e, e_num);
        slow_power(want, x, e, e_num, &o);
        mont_power(z, x, e, e_num, &o.modulus);
        same(z, want, o.modulus.num, "power");
        if (bn_bits(e, e_num)) {
            mont_power_vartime(z, x, e, e_num, &o.modulus);
            same(z, want, o.modulus.num, "power_vartime");
        }
        check_power_two(x, e, e_num, want, &o);
    }
    tap(1, "powers");
}

static uint64_t divisor(uint64_t x, uint64_t y)
{
    while (y) {
        const uint64_t rest = x % y;
        x = y, y = rest;
    }
    return x;
}

/* Multiples of three have no inverse where the modulus is one too.  Numbers of one limb are
 * compared with Euclid's algorithm. */
static void check_inverse(void)
{
    static struct operands o;
    for (int i = 0; i < (quick ? 100 : 600); i++) {
        uint64_t x[MONT_MAX_LIMBS], z[MONT_MAX_LIMBS] = { 0 };
        any_modulus(&o, 1 + random_below(i % 10 ? 9 : MONT_INVERSE_LIMBS));
        below(x, &o);
        const uint64_t three[1] = { 3 };
        if (i % 3 == 0)
            times(x, x, three, 1, &o.modulus);
        const uint64_t found = mont_inverse(z, x, &o.modulus);
        uint64_t product[MONT_MAX_LIMBS], other[MONT_MAX_LIMBS];
        if (mont_inverse_vartime(other, x, &o.modulus) != found)
            complain("inverse_vartime: found or not");
        if (found)
            same(other, z, o.modulus.num, "inverse_vartime");
        times(product, x, z, o.modulus.num, &o.modulus);
        if (found)
            same(product, o.one, o.modulus.num, "inverse");
        else if (bn_equal(product, o.one, o.modulus.num))
            complain("an inverse of %zu limbs is not found", o.modulus.num);
        if (o.modulus.num == 1 && (divisor(o.m[0], x[0]) == 1) != (found != 0))
            complain("an inverse of %016llx modulo %016llx", (unsigned long long)x[0],
                     (unsigned long long)o.m[0]);
        if (bn_less(z, o.m, o.modulus.num) != UINT64_MAX)
            complain("an inverse is not reduced");
        if (bn_equal(x, o.one, o.modulus.num) && !found)
            complain("1 has no inverse");
    }
    tap(1, "inverses");
}

/* g divides g x and g m, and so the divisor that x and m have in common is 1 more often than not:
 * it is that of two words, by Euclid. */
static void check_gcd(void)
{
    for (int i = 0; i < (quick ? 60 : 600); i++) {
        const size_t num = 2 + random_below(MONT_INVERSE_LIMBS - 1);
        uint64_t g[MONT_INVERSE_LIMBS], x[MONT_INVERSE_LIMBS], m[MONT_INVERSE_LIMBS];
        uint64_t z[MONT_INVERSE_LIMBS], word[2];
        random_bytes(word, sizeof word);
        word[0] = random_below(8) ? word[0] >> random_below(64) : 0;
        word[1] |= 1;
        uint64_t a = word[0], b = word[1];
        while (a) {
            const uint64_t rest = b % a;
            b = a;
            a = rest;
        }
        any_words(g, num);
        g[0] |= 1;
        g[num - 1] = 0;
        times_word(x, g, word[0], num);
        times_word(m, g, word[1], num);
        times_word(g, g, b, num);
        mont_gcd(z, x, &(struct modulus){ .m = m, .m0 = mont_m0(m[0]), .num = num });
        same(z, g, num, "greatest common divisor");
    }
    tap(1, "greatest common divisors");
}

/* The Jacobi symbol of small numbers by its definition: Legendre symbols by Euler's criterion, one
 * for each prime of n. */
static int small_jacobi(uint64_t x, uint64_t n)
{
    int symbol = 1;
    for (uint64_t p = 3; n > 1; p += 2)
        for (; n % p == 0; n /= p) {
            uint64_t power = 1;
            for (uint64_t i = 0; i < (p - 1) / 2; i++)
                power = power * (x % p) % p;
            symbol *= power == p - 1 ? -1 : (int)power;
        }
    return symbol;
}

/* Of long numbers, the symbol of a product is the product of the symbols. */
static void check_jacobi(void)
{
    static struct operands o;
    for (uint64_t n = 3; n < 200; n += 2)
        for (uint64_t x = 0; x < n; x++)
            if (bn_jacobi_vartime(&x, &n, 1) != small_jacobi(x, n))
                complain("the Jacobi symbol of %d modulo %d", (int)x, (int)n);
    for (int i = 0; i < (quick ? 60 : 300); i++) {
        uint64_t x[MONT_MAX_LIMBS], y[MONT_MAX_LIMBS], product[MONT_MAX_LIMBS];
        any_modulus(&o, 1 + random_below(40));
        const size_t num = o.modulus.num;
        below(x, &o);
        below(y, &o);
        times(product, x, y, num, &o.modulus);
        if (bn_jacobi_vartime(product, o.m, num) !=
            bn_jacobi_vartime(x, o.m, num) * bn_jacobi_vartime(y, o.m, num))
            complain("the Jacobi symbol of a product, %zu limbs", num);
    }
    tap(1, "Jacobi symbols");
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; i < mont_num_kernels; i++)
        check_kernel(&mont_kernels[i]);
    check_reduce();
    check_power();
    check_inverse();
    check_gcd();
    check_jacobi();
    return tap_done();
}
