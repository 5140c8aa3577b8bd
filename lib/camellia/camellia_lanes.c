/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia-CBC and -CFB128 encryption of many messages: the lanes kernels of each mode. */
#include "camellia_filters.h"
#include "camellia_program.h"

#define GFNI512 (CPU(GFNI) | CPU(AVX512F) | CPU(AVX512BW) | CPU(AVX512VL))

/* The two numbers of an entry: the kernel's lanes, and from how many messages on it is faster than
 * one message after the other. */
/* clang-format off */
static const struct lanes_kernel cbc_kernels[] = { /* best first */
    KERNEL_X86("x64_gfni512", GFNI512, 64, 4, .wide = camellia_cbc_lanes_gfni512)
};
static const struct lanes_kernel cfb_kernels[] = {
    KERNEL_X86("x64_gfni512", GFNI512, 64, 4, .wide = camellia_cfb_lanes_gfni512)
};
/* clang-format on */

/* Makes a lane's key: the program for S-boxes by GFNI, not transformed by a map. */
static void program(uint8_t *to, const void *object)
{
    uint64_t entries[CAMELLIA_MAX_PROGRAM] = { 0 };
    camellia_program(entries, object, HR_OP_ENCRYPT, CAMELLIA_ADDED, CAMELLIA_ADDED, 0);
    memcpy(to, entries, CAMELLIA_LANE_KEY);
    WIPE(&entries);
}

static const struct wide_form of_18 = { program, NULL, CAMELLIA_LANE_KEY, 16, 16, 18 };
static const struct wide_form of_24 = { program, NULL, CAMELLIA_LANE_KEY, 16, 16, 24 };

const struct lanes_op camellia_lanes_ops[NUM_CAMELLIA_SETS] = {
    { cbc_kernels, COUNT(cbc_kernels), NULL, &of_18 },
    { cbc_kernels, COUNT(cbc_kernels), NULL, &of_24 },
    { cfb_kernels, COUNT(cfb_kernels), NULL, &of_18 },
    { cfb_kernels, COUNT(cfb_kernels), NULL, &of_24 },
};
