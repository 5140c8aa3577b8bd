/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI of many blocks, each with a key of its own, for the calls that process many messages.
 *
 * A lane is the place of one message.  The caller of a kernel writes the lanes' blocks and keys as
 * integers, and says in `new_keys` whether a key has changed.  In this case the kernel makes bit
 * planes of the keys, which takes a fifth of the time of encrypting a block of each lane.  Between
 * two blocks of a message, f8 and f9 execute a few instructions on integers; K ^ KM is treated as
 * another key. */
#ifndef HR_KASUMI_LANES_H
#define HR_KASUMI_LANES_H

#include "kasumi.h"

enum { KASUMI_MAX_LANES = 512 };

struct kasumi_lanes {
    alignas(64) uint64_t x[KASUMI_MAX_LANES];       /* load_be64() of a block; afterwards the
                                                     * encrypted block */
    alignas(64) uint64_t keys[2][KASUMI_MAX_LANES]; /* load_be64() of each half of a key */
    alignas(64) uint8_t planes[256 * 64];           /* the keys as bit planes, made by the kernel */
    uint32_t new_keys;                              /* whether a key has changed; the kernel
                                                     * resets it */
};

/* Encrypts the blocks of all lanes, also of those that have no message. */
typedef void kasumi_lanes_fn(struct kasumi_lanes *l);

struct kasumi_lanes_kernel {
    struct hr_kernel info;
    uint16_t lanes;
    uint16_t least; /* messages from which on this kernel is faster than one message after the
                     * other */
    kasumi_lanes_fn *encrypt;
};
struct kasumi_lanes_impl {
    const struct kasumi_lanes_kernel *kernels; /* best first; the last is portable */
    size_t num_kernels;
    _Atomic(const struct kasumi_lanes_kernel *) *chosen;
};
extern const struct kasumi_lanes_impl kasumi_lanes_impl;
const struct kasumi_lanes_kernel *kasumi_lanes_choose(const struct kasumi_lanes_impl *impl);

kasumi_lanes_fn kasumi_lanes_avx512, kasumi_lanes_avx2, kasumi_lanes_neon, kasumi_lanes_c64;

#endif
