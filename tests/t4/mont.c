/* SPDX-License-Identifier: Apache-2.0 */
/* mont [t4 NAME]: the T4's kernels of Montgomery arithmetic compute what portable C does, also
 * where instructions fail, and leave nothing of modulus and numbers in registers, in any register
 * window, and where traps put windows.  NAME is ignored. mont steps LIMBS SQUARINGS, mont power
 * LIMBS BITS: one call, for counts of instructions. */
#include "bignum/mont_kernels.h"
#include "bignum/mont_power.h"
#include "test.h"

enum { MOST = 32, EDGES = 4, SEEN = 10 + 132 + 31 + 84 }; /* in mont_call_and_look's order */
enum { LOOKS = 8 };

enum { DIGITS = 6 };

/* mont_call_and_look calls either kind. */
typedef int run_fn(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                   const struct modulus *m);
run_fn mont_run_t4_8, mont_run_t4_16, mont_run_t4_24, mont_run_t4_32, mont_leaves_five;
typedef int power_fn(uint64_t *z, uint64_t *table, const int8_t *digits, const uint64_t *of,
                     const struct modulus *m);
power_fn mont_power_t4_8, mont_power_t4_16, mont_power_t4_24, mont_power_t4_32;
void mont_call_and_look(void (*fn)(void), const uintptr_t args[5], uint64_t seen[SEEN]);

static uint64_t m_limbs[MOST], x[MOST], y[MOST], z[MOST], r2[MOST];
static struct modulus modulus;
static int8_t digits[DIGITS + 1] = { [DIGITS] = -1 };

/* make_modulus makes a random odd number with or without its highest bit, or 2^(64 num) - 1. */
static void make_modulus(size_t num, unsigned which)
{
    if (which < EDGES - 1)
        random_bytes(m_limbs, num * 8);
    else
        memset(m_limbs, 0xff, num * 8);
    m_limbs[0] |= 1;
    m_limbs[num - 1] |= (uint64_t)(which & 1) << 63;
    mont_init(&modulus, m_limbs, num, r2);
}

/* below makes 0, 1, m - 1, or a random number below m. */
static void below(uint64_t *out, unsigned which)
{
    const size_t num = modulus.num;
    memset(out, 0, num * 8);
    if (which == 1)
        out[0] = 1;
    if (which == 2) {
        memcpy(out, m_limbs, num * 8);
        out[0]--;
    }
    if (which == 3) {
        random_bytes(out, num * 8);
        if (!bn_less(out, m_limbs, num))
            out[num - 1] = m_limbs[num - 1] >> 1;
    }
}

/* test_steps compares with portable C; z is another number, x, or y. */
static void test_steps(const struct mont_kernel *kernel, unsigned edges, unsigned squarings)
{
    uint64_t wanted[MOST];
    const size_t num = modulus.num;
    uint64_t *const out = (uint64_t *[]){ z, x, y }[random_below(3)];
    below(x, edges % EDGES);
    below(y, edges / EDGES);
    mont_steps_c(wanted, x, squarings, y, &modulus);
    kernel->steps(out, x, squarings, y, &modulus);
    if (memcmp(out, wanted, num * 8) != 0)
        complain("%zu limbs, operands %u, %u squarings: wrong number", num, edges, squarings);
    below(x, 3);
    below(y, 3);
    mont_mul(wanted, x, y, &modulus);
    kernel->mul(out, x, y, &modulus);
    if (memcmp(out, wanted, num * 8) != 0)
        complain("%zu limbs: wrong product", num);
}

static void test_size(const struct mont_kernel *kernel, size_t num)
{
    static const unsigned squarings[] = { 0, 1, 5 };
    for (unsigned which = 0; which < EDGES; which++) {
        make_modulus(num, which);
        for (unsigned edges = 0; edges < EDGES * EDGES; edges++)
            test_steps(kernel, edges, squarings[(edges + which) % COUNT_OF(squarings)]);
    }
    tap(1, "%s, %zu limbs", kernel->name, num);
}

/* test_power compares with portable C, for exponents of any number of bits; z may be x. */
static void test_power(const struct mont_kernel *kernel, size_t num)
{
    static const size_t bits[] = { 1, 4, 17, 64, 131, 192 };
    for (unsigned i = 0; i < 4 * COUNT_OF(bits); i++) {
        const size_t e_bits = bits[i / 4];
        uint64_t wanted[MOST], e[3];
        uint64_t *const out = i & 4 ? x : z;
        make_modulus(num, i % EDGES);
        below(x, random_below(EDGES));
        random_bytes(e, sizeof e);
        if (random_below(4) == 0)
            memset(e, random_below(2) ? 0xff : 0, sizeof e);
        if (e_bits % 64)
            e[e_bits / 64] &= (UINT64_C(1) << e_bits % 64) - 1;
        mont_power_by(&mont_kernels[mont_num_kernels - 1], wanted, x, e, e_bits, &modulus);
        kernel->power(out, x, e, e_bits, &modulus);
        if (memcmp(out, wanted, num * 8) != 0)
            complain("%zu limbs, exponent of %zu bits: wrong power", num, e_bits);
    }
    tap(1, "%s, %zu limbs: powers", kernel->name, num);
}

/* differences returns how many words differ after two calls with other secrets.  0 and 1 say
 * whether an instruction failed, which need not be so in both. */
static unsigned differences(void (*fn)(void), const uintptr_t args[5], size_t num)
{
    static uint64_t seen[2][SEEN];
    unsigned n = 0;
    for (unsigned i = 0; i < 2; i++) {
        make_modulus(num, 1);
        below(x, 3);
        below(y, 3);
        for (unsigned j = 0; j < DIGITS; j++)
            digits[j] = (int8_t)random_below(16);
        mont_call_and_look(fn, args, seen[i]);
    }
    for (size_t i = 0; i < SEEN; i++)
        n += seen[0][i] != seen[1][i] && (seen[0][i] | seen[1][i]) > 1;
    return n;
}

static unsigned steps_leave(run_fn *fn, size_t num, unsigned squarings)
{
    const uintptr_t args[5] = { (uintptr_t)z, (uintptr_t)x, squarings, (uintptr_t)y,
                                (uintptr_t)&modulus };
    return differences((void (*)(void))fn, args, num);
}

static void test_leftovers(run_fn *steps, power_fn *power, size_t num)
{
    static uint64_t table[17 * MOST] __attribute__((aligned(128)));
    const uintptr_t args[5] = { (uintptr_t)z, (uintptr_t)table, (uintptr_t)digits, (uintptr_t)x,
                                (uintptr_t)&modulus };
    for (unsigned i = 0; i < LOOKS; i++) {
        const unsigned n = steps_leave(steps, num, i);
        if (n)
            complain("%zu limbs, %u squarings: %u words", num, i, n);
        const unsigned power_n = differences((void (*)(void))power, args, num);
        if (power_n)
            complain("%zu limbs, a power: %u words", num, power_n);
    }
    tap(1, "%zu limbs: nothing is left", num);
}

/* The kernel itself, as the set-up of the modulus takes products, too. */
static int one_call(const char *what, size_t num, unsigned n)
{
    const struct mont_kernel *const kernel = mont_kernel(num);
    m_limbs[0] = 3;
    m_limbs[num - 1] = 1;
    modulus = (struct modulus){ .m = m_limbs, .r2 = r2, .m0 = mont_m0(3), .num = num };
    x[0] = 2;
    memset(y, 0xff, sizeof y);
    if (!strcmp(what, "power"))
        kernel->power(z, x, y, n, &modulus);
    else
        kernel->steps(z, x, n, x, &modulus);
    return 0;
}

int main(int argc, char **argv)
{
    static run_fn *const runs[] = { mont_run_t4_8, mont_run_t4_16, mont_run_t4_24, mont_run_t4_32 };
    static power_fn *const powers[] = { mont_power_t4_8, mont_power_t4_16, mont_power_t4_24,
                                        mont_power_t4_32 };
    if (argc == 4)
        return one_call(argv[1], (size_t)atoi(argv[2]), (unsigned)atoi(argv[3]));
    for (const struct mont_kernel *kernel = mont_kernels; kernel->power; kernel++)
        for (size_t num = kernel->min_limbs; num <= kernel->max_limbs; num++)
            if (mont_kernel(num) == kernel) {
                test_size(kernel, num);
                test_power(kernel, num);
            } else
                tap_skip("not on this CPU", "%s, %zu limbs", kernel->name, num);
    tap(steps_leave(mont_leaves_five, 8, 0) == 5, "what is left in five places is seen");
    for (size_t i = 0; i < COUNT_OF(runs); i++)
        test_leftovers(runs[i], powers[i], 8 * (i + 1));
    return tap_done();
}
