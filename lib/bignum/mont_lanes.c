/* SPDX-License-Identifier: Apache-2.0 */
#include "mont_lanes.h"
#include "../internal.h"
#include "mont_power.h"

#define IFMA512 (CPU(AVX512IFMA) | CPU(BMI2))
#define IFMA256 (CPU(AVX512IFMA) | CPU(AVX512VL) | CPU(BMI2))
#define FMA512 (CPU(AVX512F) | CPU(BMI2))
#define FMA256 (CPU(AVX2) | CPU(FMA) | CPU(BMI2))

/* The numbers of lanes from which on a kernel is the best were measured on an Emerald Rapids.  At
 * 512 to 4,096 bits a call takes as long as 1.1 or 1.2 powers by s2n-bignum (ifma256), 1.3 or 1.4
 * (ifma512), 2.1 to 2.4 (fma256), and 2.9 to 3.3 (fma512).  With the exponent 65,537 and moduli of
 * 1,024, 2,048, 3,072 and 4,096 bits these are 1.7, 1.5, 1.3, 1.4 (ifma256), 2.7, 1.8, 1.5, 1.5
 * (ifma512), 3.1, 2.7, 2.3, 2.5 (fma256), and 4.3, 3.7, 3.3, 3.6 (fma512).
 *
 * On a later CPU (Intel family 6 model 167) a call of one row takes 0.78, 0.50, 0.37 and 0.31
 * powers by s2n-bignum at 512, 1,024, 1,536 and 2,048 bits, of two rows 0.94, 0.78, 0.63 and 0.58,
 * and ifma256 1.1; with 65,537 at 512, 1,024, 2,048 and 4,096 bits a row 1.4, 0.75, 0.42 and 0.37,
 * two 1.75, 1.1, 0.78 and 0.74, and ifma256 2.3, 1.8, 1.5 and 1.4. */
/* clang-format off */
#define IFMA256_ROW(more) \
    KERNEL_X86("ifma256", IFMA256 | (more), mont_lanes_ifma256, .lanes = 4, .least = 3, \
               .public_least = 3, .long_more = 1)
const struct mont_lanes_kernel mont_lanes_kernels[] = { /* best first; portable C last */
    IFMA256_ROW(CPU(HALVES512))
    KERNEL_X86("ifma512", IFMA512, mont_lanes_ifma512, .lanes = 8, .least = 5, .public_least = 5)
    IFMA256_ROW(0)
    KERNEL_X86("rows_ifma512", IFMA512, mont_rows_ifma512, .lanes = 2, .rows = 1, .least = 2,
               .public_least = 2)
    KERNEL_X86("row_ifma512", IFMA512, mont_rows_one_ifma512, .lanes = 1, .rows = 1, .least = 1,
               .public_least = 1, .public_limbs = 9)
    KERNEL_X86("fma512", FMA512, mont_lanes_fma512, .lanes = 8, .doubles = 1,
               .least = 5, .public_least = 5)
    KERNEL_X86("fma256", FMA256, mont_lanes_fma256, .lanes = 4, .doubles = 1,
               .least = 3, .public_least = 3, .public_limbs = 17)
    KERNEL_C(NULL, .lanes = 1, .least = 1, .public_least = 1)
};
/* clang-format on */
const size_t mont_lanes_num_kernels = COUNT(mont_lanes_kernels);

static int serves(const struct mont_lanes_kernel *kernel, size_t limbs, size_t num, unsigned flags)
{
    const size_t more = limbs > MONT_LANES_SHORT ? kernel->long_more : 0;
    if (kernel->info.needs & ~hr_cpu_features() || (kernel->doubles && flags & MONT_LANES_STRICT))
        return 0;
    return flags & MONT_LANES_PUBLIC
               ? num >= kernel->public_least + more && limbs >= kernel->public_limbs
               : num >= kernel->least + more;
}

const struct mont_lanes_kernel *mont_lanes_kernel(size_t limbs, size_t num, unsigned flags)
{
    const struct mont_lanes_kernel *kernel = mont_lanes_kernels;
    while (kernel->steps && (limbs > MONT_LANES_LIMBS || !serves(kernel, limbs, num, flags)))
        kernel++;
    return kernel;
}

/* Returns whether m is an odd number that is not 1. */
static int is_modulus(const struct modulus *m, size_t most)
{
    uint64_t high = 0;
    if (m->num < 1 || m->num > most)
        return 0;
    for (size_t i = 1; i < m->num; i++)
        high |= m->m[i];
    uint64_t good = bn_mask(m->m[0] & 1) & ~(bn_word_is_zero(high) & bn_word_is_zero(m->m[0] ^ 1));
    CT_PUBLIC(&good, sizeof good);
    return good != 0;
}

typedef void run_fn(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                    size_t num);

/* Lanes of one kind go together: those that any kernel may take, those of no kernel of doubles, and
 * those whose modulus is too long for vectors. */
enum kind { ANY_KERNEL, STRICT, LONG, NUM_KINDS };

static enum kind kind_of(const struct mont_lane *lane)
{
    return lane->m.num > MONT_LANES_LIMBS ? LONG : lane->strict ? STRICT : ANY_KERNEL;
}

/* Runs the lanes of one kind, in groups as they come. */
static void run_kind(run_fn *run, unsigned flags, enum kind kind, const struct mont_lane *lane,
                     size_t num)
{
    struct mont_lane group[MONT_LANES_MOST];
    const struct mont_lane *const first = lane;
    size_t waiting = 0, limbs = 0;
    for (size_t i = 0; i < num; i++)
        if (kind_of(&lane[i]) == kind) {
            waiting++;
            limbs = lane[i].m.num > limbs ? lane[i].m.num : limbs;
        }
    for (size_t now; waiting; waiting -= now) {
        const struct mont_lanes_kernel *const kernel =
            mont_lanes_kernel(limbs, waiting, flags | (kind == STRICT ? MONT_LANES_STRICT : 0));
        now = waiting < kernel->lanes ? waiting : kernel->lanes;
        for (size_t n = 0; n < now; lane++)
            if (kind_of(lane) == kind)
                group[n++] = *lane;
        if (flags & MONT_LANES_PUBLIC) {
            group[0].e = first->e;
            group[0].e_bits = first->e_bits;
        }
        run(kernel, group, now);
    }
    WIPE(&group);
}

static int run_kinds(run_fn *run, unsigned flags, size_t most, const struct mont_lane *lane,
                     size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (!is_modulus(&lane[i].m, most) || !lane[i].e_bits)
            return HR_EINVAL;
    for (enum kind kind = 0; kind < NUM_KINDS; kind++)
        run_kind(run, flags, kind, lane, num);
    return 0;
}

int mont_lanes_power(const struct mont_lane *lane, size_t num)
{
    return run_kinds(mont_lanes_run, 0, MONT_POWER_LIMBS, lane, num);
}

int mont_lanes_power_vartime(const struct mont_lane *lane, size_t num)
{
    return run_kinds(mont_lanes_run_vartime, MONT_LANES_PUBLIC, MONT_MAX_LIMBS, lane, num);
}

void mont_lanes_alone(const struct mont_lane *lane)
{
    mont_lanes_run(mont_lanes_kernel(lane->m.num, 1, 0), lane, 1);
}

void mont_lanes_alone_vartime(const struct mont_lane *lane)
{
    mont_lanes_run_vartime(mont_lanes_kernel(lane->m.num, 1, MONT_LANES_PUBLIC), lane, 1);
}

void mont_lanes_each(mont_lanes_power_fn *run, int failed[], const struct mont_lane *lane,
                     size_t num)
{
    const int refused = run(lane, num);
    for (size_t i = 0; i < num; i++)
        failed[i] = refused && run(&lane[i], 1);
}
