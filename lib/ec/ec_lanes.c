/* SPDX-License-Identifier: Apache-2.0 */
#include "ec_lanes.h"
#include "../pk/many.h"
#include "ec_window.h"

#define IFMA512 (CPU(AVX512IFMA) | CPU(BMI2))
#define IFMA256 (CPU(AVX512IFMA) | CPU(AVX512VL) | CPU(BMI2))

/* From how many jobs on a kernel is the best, was measured on an Emerald Rapids. */
/* clang-format off */
#define P256_IFMA256_ROW(more) \
    KERNEL_X86("ifma256", IFMA256 | (more), 4, { 3, 2, 2 }, p256_sign_ifma256, \
               p256_scalars_vartime_ifma256, p256_verify_vartime_ifma256, p256_agree_ifma256)
static const struct ec_lanes_kernel p256_kernels[] = { /* best first; one after the other last */
    P256_IFMA256_ROW(CPU(HALVES512))
    KERNEL_X86("ifma512", IFMA512, 8, { 5, 5, 5 }, p256_sign_ifma512,
               p256_scalars_vartime_ifma512, p256_verify_vartime_ifma512, p256_agree_ifma512)
    P256_IFMA256_ROW(0)
    KERNEL_C(1, { 1, 1, 1 })
};

#define P384_IFMA256_ROW(more) \
    KERNEL_X86("ifma256", IFMA256 | (more), 4, { 3, 2, 3 }, p384_sign_ifma256, \
               p384_scalars_vartime_ifma256, p384_verify_vartime_ifma256, p384_agree_ifma256)
static const struct ec_lanes_kernel p384_kernels[] = { /* best first; one after the other last */
    P384_IFMA256_ROW(CPU(HALVES512))
    KERNEL_X86("ifma512", IFMA512, 8, { 5, 5, 5 }, p384_sign_ifma512,
               p384_scalars_vartime_ifma512, p384_verify_vartime_ifma512, p384_agree_ifma512)
    P384_IFMA256_ROW(0)
    KERNEL_C(1, { 1, 1, 1 })
};
/* clang-format on */

const struct ec_lanes_curve p256_lanes = { p256_kernels, COUNT(p256_kernels), 6 };
const struct ec_lanes_curve p384_lanes = { p384_kernels, COUNT(p384_kernels), 5 };

const struct ec_lanes_curve *ec_lanes_of(const struct ec_domain *domain)
{
    return domain == &p256_domain ? &p256_lanes : domain == &p384_domain ? &p384_lanes : NULL;
}

const struct ec_lanes_kernel *ec_lanes_kernel(const struct ec_lanes_curve *curve,
                                              enum ec_lanes_op op, size_t num)
{
    const struct ec_lanes_kernel *kernel = curve->kernels;
    const uint64_t have = hr_cpu_features();
    while (kernel->info.needs & ~have || num < kernel->least[op])
        kernel++;
    return kernel;
}

int ec_lanes_exist(const struct ec_key *key, enum ec_lanes_op op)
{
    const struct ec_lanes_curve *const curve = ec_lanes_of(key->ec.domain);
    return curve && ec_lanes_kernel(curve, op, PK_MANY)->lanes > 1;
}

void ec_lanes_put(struct ec_lanes_number *to, size_t lane, const uint64_t *x, size_t num)
{
    for (size_t i = 0; i < EC_LANES_DIGITS; i++) {
        const size_t bit = i * EC_LANES_DIGIT;
        to->digit[i][lane] = bit < 64 * num ? ec_bits(x, bit, EC_LANES_DIGIT, num) : 0;
    }
}

void ec_lanes_get(uint64_t *x, const struct ec_lanes_number *from, size_t lane, size_t num)
{
    memset(x, 0, num * sizeof *x);
    for (size_t i = 0; i * EC_LANES_DIGIT < 64 * num; i++) {
        const size_t limb = i * EC_LANES_DIGIT / 64, shift = i * EC_LANES_DIGIT % 64;
        const uint64_t digit = from->digit[i][lane];
        x[limb] |= digit << shift;
        if (shift > 64 - EC_LANES_DIGIT && limb + 1 < num)
            x[limb + 1] = digit >> (64 - shift);
    }
}

uint64_t ec_lanes_windows(struct ec_lanes_scalar *to, size_t lane, const uint64_t *k, size_t width,
                          const struct ec_domain *domain)
{
    uint64_t half[EC_LIMBS];
    const uint64_t negate = ec_halve(half, k, domain);
    for (size_t i = ec_num_windows(domain, width); i-- > 0;) {
        const struct ec_digit digit = ec_digit(half, i, width, domain->num);
        to->window[i][lane] = digit.size << 1 | (digit.negative & 1);
    }
    WIPE(&half);
    return negate;
}
