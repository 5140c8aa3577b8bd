/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for all calls of ciphers: keys, rows, and running the chosen kernel. */
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

/* cipher_no_blocks stands in for the kernel of a direction that an imported key cannot do; it
 * returns HR_ESTATE. */
cipher_blocks_fn cipher_no_blocks;

/* cipher_few returns the first kernel of the table, from `kernel` on, that is not bitsliced and
 * that this CPU can run.  It is used for few blocks. */
const struct cipher_kernel *cipher_few(const struct cipher_kernel *kernel);

/* cipher_kernel_for_few returns the kernel for few blocks and for chains: that of cipher_few() or,
 * if `vartime` is set, a kernel whose time depends on data where that is faster. */
const struct cipher_kernel *cipher_kernel_for_few(const struct cipher_op *op,
                                                  const struct cipher_kernel *kernel, int vartime);

/* cipher_run_sliced is run_blocks for a bitsliced kernel.  It gives few blocks, or the blocks left
 * over, to another kernel. */
int cipher_run_sliced(const struct cipher_key *key, enum hr_op op, uint8_t *out, const uint8_t *in,
                      size_t num_blocks, const uint8_t *iv, uint8_t *next);

/* run_blocks runs the key's kernels on whole blocks. */
static inline int run_blocks(const struct cipher_key *key, enum hr_op op, uint8_t *out,
                             const uint8_t *in, size_t num_blocks, const uint8_t *iv, uint8_t *next)
{
    if (LIKELY(!key->least[op]))
        return key->blocks[op](out, in, num_blocks, key->schedule, iv, next);
    return cipher_run_sliced(key, op, out, in, num_blocks, iv, next);
}

#endif
