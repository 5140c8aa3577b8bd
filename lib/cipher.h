/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls over cipher kernels share. */
#ifndef HR_CIPHER_H
#define HR_CIPHER_H

#include "internal.h"

static inline const struct cipher_key *open_key(const struct hr_cipher_key *key)
{
    return (const struct cipher_key *)key;
}

static inline const struct hr_algorithm *cipher_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_CIPHER ? row : NULL;
}

/* The direction whose schedule an imported key lacks: HR_ESTATE. */
cipher_blocks_fn cipher_no_blocks;

/* The kernel for fewer blocks than `kernel` is good for: the next that slices no bits. */
const struct cipher_kernel *cipher_few(const struct cipher_kernel *kernel);

/* run_blocks where the kernel slices bits: few blocks, or those left over, go to another one. */
int cipher_run_sliced(const struct cipher_key *key, enum hr_op op, uint8_t *out, const uint8_t *in,
                      size_t num_blocks, const uint8_t *iv, uint8_t *next);

/* The chosen kernels on whole blocks. */
static inline int run_blocks(const struct cipher_key *key, enum hr_op op, uint8_t *out,
                             const uint8_t *in, size_t num_blocks, const uint8_t *iv, uint8_t *next)
{
    if (LIKELY(!key->least[op]))
        return key->blocks[op](out, in, num_blocks, key->schedule, iv, next);
    return cipher_run_sliced(key, op, out, in, num_blocks, iv, next);
}

#endif
