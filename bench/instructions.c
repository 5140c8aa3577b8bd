/* SPDX-License-Identifier: Apache-2.0 */
/* instructions ROW OPERATION KERNEL SIZE TIMES: a kernel on SIZE bytes, so many times, and nothing
 * else that grows with TIMES, for an emulator that counts: bench/instructions.sh.  Of PBKDF2's
 * chain SIZE is the number of iterations, in all lanes of the kernel.  Without arguments: prints
 * what kernels there are. */
#include "digest.h"
#include "hmac_iterate.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX = 65536 };
static uint8_t bytes[MAX];

static int run_digest(const struct hr_algorithm *row, size_t i, size_t size)
{
    const struct digest_impl *impl = digest_impl(row->alg);
    union digest_state state = { 0 };
    impl->kernels[i].blocks(&state, bytes, size / impl->block_len);
    return (int)state.w32[0];
}

static int run_iterate(const struct hr_algorithm *row, size_t i, size_t size)
{
    static struct hmac_lanes lanes;
    const struct digest_impl *impl = digest_impl(row->digest);
    const struct iterate_kernel *kernel = &iterate_op(row->alg)->kernels[i];
    hmac_lanes_init(&lanes, impl, digest_choose(impl)->blocks);
    lanes.live = kernel->lanes;
    kernel->iterate(&lanes, size);
    return (int)lanes.t.w32[0];
}

static int run_cipher(const struct hr_algorithm *row, enum hr_op op, size_t i, size_t size)
{
    static struct aes_key key;
    static uint8_t iv[16];
    if (!key.rounds)
        aes_expand(&key, bytes, row->key_len, 1);
    return aes_ops[row->mode][op].kernels[i].blocks(bytes, bytes, size / 16, &key, iv, NULL);
}

static int run(const struct hr_algorithm *row, enum hr_op op, size_t i, size_t size)
{
    if (row->cls == HR_CLASS_DIGEST)
        return run_digest(row, i, size);
    if (row->cls == HR_CLASS_CIPHER)
        return run_cipher(row, op, i, size);
    return op == HR_OP_ITERATE ? run_iterate(row, i, size) : 0;
}

static int lanes_of(const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return row->cls == HR_CLASS_MAC && op == HR_OP_ITERATE ? iterate_op(row->alg)->kernels[i].lanes
                                                           : 1;
}

int main(int argc, char **argv)
{
    const struct hr_algorithm *row;
    struct hr_kernel kernel;
    for (size_t r = 0; (row = hr_algorithm_at(r)) && row->cls <= HR_CLASS_KDF; r++)
        for (enum hr_op op = 0; (int)op < hr_num_ops(row->alg); op++)
            for (size_t i = 0; !hr_kernel_at(&kernel, row->alg, op, i); i++)
                if (argc < 6) {
                    printf("%s %s %s %d\n", row->symbol, hr_op_name(row->alg, op), kernel.name,
                           lanes_of(row, op, i));
                } else if (!strcmp(row->symbol, argv[1]) &&
                           !strcmp(hr_op_name(row->alg, op), argv[2]) &&
                           !strcmp(kernel.name, argv[3])) {
                    const size_t size = strtoul(argv[4], NULL, 10);
                    for (int times = atoi(argv[5]); times; times--)
                        run(row, op, i, size < MAX ? size : MAX);
                    return 0;
                }
    return argc < 6 ? 0 : 1;
}
