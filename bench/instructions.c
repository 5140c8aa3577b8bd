/* SPDX-License-Identifier: Apache-2.0 */
/* instructions ROW OPERATION KERNEL SIZE TIMES: runs a kernel on SIZE bytes TIMES times, and does
 * nothing else that grows with TIMES, for an emulator that counts instructions
 * (bench/instructions.sh).  For PBKDF2's chain SIZE is the number of iterations, in all lanes of
 * the kernel.  Without arguments, prints the kernels that there are. */
#include "aead.h"
#include "digest.h"
#include "hash/hmac_iterate.h"
#include "poly1305/poly1305.h"
#include "xts.h"

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
    static struct cipher_key key;
    static uint8_t iv[16];
    const struct block_cipher *const cipher = cipher_impl(row->alg);
    if (!key.alg)
        cipher->expand(key.schedule, bytes, row->key_len, 1);
    key.alg = row->alg;
    return cipher_op(row, op)->kernels[i].blocks(bytes, bytes, size / cipher->unit, key.schedule,
                                                 iv, NULL);
}

/* run_aead runs an AEAD kernel on text or, if `hash` is set, for GMAC on AAD alone. */
static int run_aead(const struct aead_impl *impl, size_t key_len, enum hr_op op, int hash, size_t i,
                    size_t size)
{
    static struct aead_key key;
    static uint8_t ctr[16], y[16];
    const struct aead_kernel *kernel = &impl->kernels[i];
    if (!key.aes.rounds && !kernel->chacha) {
        aes_expand(&key.aes, bytes, key_len, 0);
        if (kernel->setup)
            kernel->setup(&key);
    }
    if (kernel->chacha)
        kernel->chacha(bytes, bytes, size / CHACHA_BLOCK, key.chacha); /* any bytes are a state */
    else if (hash)
        kernel->hash(y, bytes, size / 16, &key);
    else
        kernel->blocks[op](bytes, bytes, size / 16, &key, ctr, y);
    return y[0];
}

static int run_poly1305(const struct poly1305_impl *impl, size_t i, size_t size)
{
    static struct poly1305_key key;
    static const uint8_t r[16] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static uint64_t h[3];
    if (!key.kernel) {
        poly1305_setup(&key, r, &impl->kernels[i]);
        poly1305_make_powers(&key);
    }
    key.kernel->blocks(h, bytes, size / 16, &key);
    return (int)h[0];
}

static int run_xts(const struct hr_algorithm *row, enum hr_op op, size_t i, size_t size)
{
    static struct xts_key key;
    static uint8_t iv[16];
    if (!key.data.rounds) {
        aes_expand(&key.data, bytes, row->key_len / 2u, 1);
        aes_expand(&key.tweak, bytes, row->key_len / 2u, 0);
    }
    return xts_ops[op].kernels[i].crypt(bytes, bytes, size, &key, iv);
}

static int run(const struct hr_algorithm *row, enum hr_op op, size_t i, size_t size)
{
    if (row->cls == HR_CLASS_DIGEST)
        return run_digest(row, i, size);
    if (row->cls == HR_CLASS_CIPHER)
        return run_cipher(row, op, i, size);
    if (row->cls == HR_CLASS_AEAD)
        return run_aead(aead_impl(row), row->key_len, op, 0, i, size);
    if (row->cls == HR_CLASS_NMAC)
        return poly1305_row(row->alg) ? run_poly1305(poly1305_row(row->alg), i, size)
                                      : run_aead(&gcm_impl, row->key_len, op, 1, i, size);
    if (row->cls == HR_CLASS_XTS)
        return run_xts(row, op, i, size);
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
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++)
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
