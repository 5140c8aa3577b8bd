/* SPDX-License-Identifier: Apache-2.0 */
/* mont [t4 NAME]: the T4's kernels of Montgomery arithmetic compute what portable C does, also
 * where instructions fail, and leave nothing of modulus and numbers in registers, in any register
 * window, and where traps put windows.  NAME is ignored. mont steps LIMBS SQUARINGS: one call, for
 * counts of instructions. */
#include "bignum/mont_kernels.h"
#include "test.h"

enum { MOST = 32, EDGES = 4, SEEN = 9 + 132 + 19 + 84 }; /* in mont_call_and_look's order */
enum { LOOKS = 8 };

typedef int run_fn(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                   const struct modulus *m);
run_fn mont_run_t4_8, mont_run_t4_16, mont_run_t4_24, mont_run_t4_32, mont_leaves_five;
void mont_call_and_look(run_fn *fn, const uintptr_t args[5], uint64_t seen[SEEN]);

static uint64_t m_limbs[MOST], x[MOST], y[MOST], z[MOST];
static struct modulus modulus = { .m = m_limbs };

/* make_modulus makes a random odd number with or without its highest bit, or 2^(64 num) - 1. */
static void make_modulus(size_t num, unsigned which)
{
    if (which < EDGES - 1)
        random_bytes(m_limbs, num * 8);
    else
        memset(m_limbs, 0xff, num * 8);
    m_limbs[0] |= 1;
    m_limbs[num - 1] |= (uint64_t)(which & 1) << 63;
    modulus.num = num;
    modulus.m0 = 1;
    for (unsigned i = 0; i < 6; i++) /* Newton's iteration for -1/m */
        modulus.m0 *= 2 + m_limbs[0] * modulus.m0;
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

/* differences returns how many words differ after two calls with other secrets.  0 and 1 say
 * whether an instruction failed, which need not be so in both. */
static unsigned differences(run_fn *fn, size_t num, unsigned squarings)
{
    static uint64_t seen[2][SEEN];
    const uintptr_t args[5] = { (uintptr_t)z, (uintptr_t)x, squarings, (uintptr_t)y,
                                (uintptr_t)&modulus };
    unsigned n = 0;
    for (unsigned i = 0; i < 2; i++) {
        make_modulus(num, 1);
        below(x, 3);
        below(y, 3);
        mont_call_and_look(fn, args, seen[i]);
    }
    for (size_t i = 0; i < SEEN; i++)
        n += seen[0][i] != seen[1][i] && (seen[0][i] | seen[1][i]) > 1;
    return n;
}

static void test_leftovers(run_fn *fn, size_t num)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        const unsigned n = differences(fn, num, i);
        if (n)
            complain("%zu limbs, %u squarings: %u words", num, i, n);
    }
    tap(1, "%zu limbs: nothing is left", num);
}

static int one_call(size_t num, unsigned squarings)
{
    make_modulus(num, 1);
    below(x, 3);
    below(y, 3);
    mont_kernel(num)->steps(z, x, squarings, y, &modulus);
    return 0;
}

int main(int argc, char **argv)
{
    static run_fn *const runs[] = { mont_run_t4_8, mont_run_t4_16, mont_run_t4_24, mont_run_t4_32 };
    if (argc == 4)
        return one_call((size_t)atoi(argv[2]), (unsigned)atoi(argv[3]));
    for (const struct mont_kernel *kernel = mont_kernels; kernel->needs; kernel++)
        for (size_t num = kernel->min_limbs; num <= kernel->max_limbs; num++)
            if (mont_kernel(num) == kernel)
                test_size(kernel, num);
            else
                tap_skip("not on this CPU", "%s, %zu limbs", kernel->name, num);
    tap(differences(mont_leaves_five, 8, 0) == 5, "what is left in five places is seen");
    for (size_t i = 0; i < COUNT_OF(runs); i++)
        test_leftovers(runs[i], 8 * (i + 1));
    return tap_done();
}
