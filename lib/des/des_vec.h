/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of bit-sliced DES for CPUs that have gates of two inputs. */
#ifndef HR_DES_VEC_H
#define HR_DES_VEC_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define ANDN(a, b) (~(a) & (b))
#define NOT(a) (a) /* no operation: see SLICE_FLIP in lib/des/des_slice.h */

#define SLICE_SWAP(a, b, s, mask)                      \
    do {                                               \
        const V differ_ = (((a) >> (s)) ^ (b)) & mask; \
        (b) ^= differ_;                                \
        (a) ^= differ_ << (s);                         \
    } while (0)

#endif
