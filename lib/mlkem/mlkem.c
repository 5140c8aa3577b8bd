/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM: the kernel tables.  Each kernel is mlkem-native with another backend; Keccak, which takes
 * most of the time, has kernels of its own. */
#include "mlkem.h"
#include <headrace/algorithms.h>

#define AVX2 (CPU(AVX2) | CPU(BMI2))

/* clang-format off */
#define KERNELS(set) \
    static const struct kem_kernel kernels##set[] = { /* best first */ \
        KERNEL_PROVEN_X86("avx2", AVX2, &mlkem##set##_avx2) \
        KERNEL_PROVEN_ARM64("neon", CPU(ARM_NEON), &mlkem##set##_neon) \
        KERNEL_PROVEN_C(&mlkem##set##_c) \
        KERNEL_C(NULL) \
    };
/* clang-format on */
KERNELS(512)
KERNELS(768)
KERNELS(1024)

static _Atomic(const struct kem_kernel *) chosen[3];
static const struct kem_op ops[] = {
    { kernels512, COUNT(kernels512), &chosen[0], 768 },
    { kernels768, COUNT(kernels768), &chosen[1], 1088 },
    { kernels1024, COUNT(kernels1024), &chosen[2], 1568 },
};
static_assert(HR_MLKEM768 == HR_MLKEM512 + 1 && HR_MLKEM1024 == HR_MLKEM512 + 2, "ops by row");

const struct kem_op *kem_op(hr_alg alg)
{
    return (unsigned)alg - HR_MLKEM512 < COUNT(ops) ? &ops[alg - HR_MLKEM512] : NULL;
}
