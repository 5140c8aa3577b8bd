/* SPDX-License-Identifier: Apache-2.0 */
/* Slices where the CPU has gates of two inputs. */
#ifndef HR_DES_VEC_H
#define HR_DES_VEC_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define ANDN(a, b) (~(a) & (b))
#define NOT(a) (a) /* lib/des_slice.h */

#define SLICE_SWAP(a, b, s, mask)                      \
    do {                                               \
        const V differ_ = (((a) >> (s)) ^ (b)) & mask; \
        (b) ^= differ_;                                \
        (a) ^= differ_ << (s);                         \
    } while (0)

#endif
