/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as words, the least significant first, from and to little-endian bytes. */
#ifndef HR_WORDS25519_H
#define HR_WORDS25519_H

#include "../bytes.h"

static inline void load_words25519(uint64_t *out, const uint8_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = load_le64(in + 8 * i);
}

static inline void store_words25519(uint8_t out[32], const uint64_t in[4])
{
    for (int i = 0; i < 4; i++)
        store_le64(out + 8 * i, in[i]);
}

#endif
