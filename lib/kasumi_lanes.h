/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI of many blocks, each under a key of its own: what stands behind calls of many messages.
 *
 * A lane is a message's place.  The caller of a kernel writes the lanes' blocks and keys as
 * integers, and says in `new_keys` that a key has changed: of those the kernel makes planes, which
 * takes as long as a fifth of a block.  f8 and f9 chain blocks, and so what they do between two
 * blocks of a message are a few instructions on integers; K ^ KM is another key. */
#ifndef HR_KASUMI_LANES_H
#define HR_KASUMI_LANES_H

#include "kasumi.h"

enum { KASUMI_MAX_LANES = 512 };

struct kasumi_lanes {
    alignas(64) uint64_t x[KASUMI_MAX_LANES];       /* load_be64 of a block; its image afterwards */
    alignas(64) uint64_t keys[2][KASUMI_MAX_LANES]; /* load_be64 of a key's halves */
    alignas(64) uint8_t planes[256 * 64];           /* the kernel's, of the keys */
    uint32_t new_keys;                              /* the kernel resets it */
};

/* Encrypts the blocks of the kernel's lanes, whether they are wanted or not. */
typedef void kasumi_lanes_fn(struct kasumi_lanes *l);

struct kasumi_lanes_kernel {
    struct hr_kernel info;
    uint16_t lanes;
    uint16_t least; /* messages from which on it is faster than one by one */
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
