/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum, RFC 1071. */
#include "../digest_rows.h"
#include "checksum.h"

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("avx512", CPU(AVX512F), ipsum_blocks_avx512, .value = ipsum_value_avx512)
    KERNEL_X86("avx2", CPU(AVX2), ipsum_blocks_avx2, .value = ipsum_value_avx2)
    KERNEL_ARM64("neon", CPU(ARM_NEON), ipsum_blocks_neon, .value = ipsum_value_neon)
    KERNEL_SPARC("vis3", CPU(SPARC_VIS3), ipsum_blocks_vis3, .value = ipsum_value_vis3)
    KERNEL_C(ipsum_blocks_c, .value = ipsum_value_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

static const uint16_t init[16] = { 0xffff }; /* of the state's full size; the sum of an empty
                                              * message is 0 */
CHECKSUM_IMPL(ipsum, init, 2, 2)

/* Adds in_len bytes to `sum`, modulo 2^16 - 1.  An odd byte at the end is the upper half of a word,
 * so only the last piece of a message may have an odd length. */
uint16_t hr_ipsum_update(uint16_t sum, const void *in_bytes, size_t in_len)
{
    const uint8_t *in = in_bytes;
    const uint32_t all = checksum_value(&ipsum_impl, sum, in, in_len / 2);
    return in_len & 1 ? ipsum_fold(all + ((uint64_t)in[in_len - 1] << 8)) : (uint16_t)all;
}

void hr_ipsum(uint8_t out[2], const void *in, size_t in_len)
{
    store_be16(out, (uint16_t)~hr_ipsum_update(0, in, in_len));
}
