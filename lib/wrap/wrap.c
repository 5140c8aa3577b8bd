/* SPDX-License-Identifier: Apache-2.0 */
/* AES key wrap, RFC 3394, and with padding, RFC 5649: the kernel tables, keys, and the public
 * calls. */
#include "wrap.h"
#include "../aes/aes.h"

enum { SEMI = 8, PASSES = 6 };

#define AESNI (CPU(AESNI) | CPU(SSE41))
#define T4 (CPU(SPARC_AES) | CPU(SPARC_VIS3))

/* clang-format off */
static const struct wrap_kernel wraps[] = { /* best first; portable C last */
    KERNEL_X86("aesni", AESNI, aes_wrap_encrypt_aesni, aes_ecb_encrypt_aesni)
    KERNEL_ARM64("ce", CPU(ARM_AES), aes_wrap_encrypt_ce, aes_ecb_encrypt_ce)
    KERNEL_SPARC("t4", T4, NULL, aes_ecb_encrypt_t4)
    KERNEL_X86("ssse3", CPU(SSSE3), NULL, aes_ecb_encrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), NULL, aes_ecb_encrypt_neon)
    KERNEL_C(NULL, aes_ecb_encrypt_c)
};
static const struct wrap_kernel unwraps[] = {
    KERNEL_X86("aesni", AESNI, aes_wrap_decrypt_aesni, aes_ecb_decrypt_aesni)
    KERNEL_ARM64("ce", CPU(ARM_AES), aes_wrap_decrypt_ce, aes_ecb_decrypt_ce)
    KERNEL_SPARC("t4", T4, NULL, aes_ecb_decrypt_t4)
    KERNEL_X86("ssse3", CPU(SSSE3), NULL, aes_ecb_decrypt_ssse3)
    KERNEL_ARM64("neon", CPU(ARM_NEON), NULL, aes_ecb_decrypt_neon)
    KERNEL_C(NULL, aes_ecb_decrypt_c)
};
/* clang-format on */

static _Atomic(const struct wrap_kernel *) chosen[2];
const struct wrap_op wrap_ops[2] = {
    [HR_OP_WRAP] = { wraps, COUNT(wraps), &chosen[HR_OP_WRAP] },
    [HR_OP_UNWRAP] = { unwraps, COUNT(unwraps), &chosen[HR_OP_UNWRAP] },
};

DEFINE_CHOOSE(wrap_choose, struct wrap_kernel, struct wrap_op)

static const struct hr_algorithm *wrap_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_WRAP ? row : NULL;
}

/* ---- keys ---- */

int hr_wrap_key_init(struct hr_wrap_key *public, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = wrap_row(alg);
    struct wrap_key *key = (struct wrap_key *)public;
    if (!row)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    aes_expand(&key->aes, bytes, bytes_len, 1);
    for (int op = 0; op < 2; op++)
        key->kernel[op] = wrap_choose(&wrap_ops[op]);
    key->alg = alg;
    return 0;
}

int hr_wrap_key_init_kernel(struct hr_wrap_key *public, hr_alg alg, enum hr_op op, size_t i,
                            const uint8_t *bytes, size_t bytes_len)
{
    if ((unsigned)op > HR_OP_UNWRAP)
        return HR_EINVAL;
    const int error = hr_wrap_key_init(public, alg, bytes, bytes_len);
    if (error)
        return error;
    const struct wrap_op *ops = &wrap_ops[op];
    if (i >= ops->num_kernels || ops->kernels[i].info.needs & ~hr_cpu_features()) {
        hr_wrap_key_wipe(public);
        return HR_ECPU;
    }
    ((struct wrap_key *)public)->kernel[op] = &ops->kernels[i];
    return 0;
}

void hr_wrap_key_wipe(struct hr_wrap_key *key)
{
    if (key)
        WIPE((struct wrap_key *)key);
}

size_t hr_wrap_key_size(hr_alg alg)
{
    return wrap_row(alg) ? sizeof(struct wrap_key) : 0;
}

/* ---- the function W and its inverse ---- */

/* Step t of W is A | R = E(A | R), A ^= t; that of its inverse is A ^= t, A | R = D(A | R).  So
 * each is steps with `tick` before the first one, between them and after the last one: 0 to 6n, or
 * 6n to 0. */
static void chain_of_blocks(uint8_t a[SEMI], uint8_t *r, size_t n, const struct aes_key *key,
                            cipher_blocks_fn *block, enum hr_op op)
{
    uint8_t x[2 * SEMI];
    uint64_t tick = op == HR_OP_WRAP ? 0 : PASSES * (uint64_t)n;
    memcpy(x, a, SEMI);
    store_be64(x, load_be64(x) ^ tick);
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < n; i++) {
            uint8_t *const at = r + SEMI * (op == HR_OP_WRAP ? i : n - 1 - i);
            memcpy(x + SEMI, at, SEMI);
            (void)block(x, x, 1, key, NULL, NULL);
            memcpy(at, x + SEMI, SEMI);
            tick += op == HR_OP_WRAP ? 1 : -UINT64_C(1);
            store_be64(x, load_be64(x) ^ tick);
        }
    memcpy(a, x, SEMI);
    WIPE(&x);
}

/* A single semiblock is a block with `a` (RFC 5649 section 4.1), without W. */
static void one_block(uint8_t a[SEMI], uint8_t r[SEMI], const struct aes_key *key,
                      cipher_blocks_fn *block)
{
    uint8_t x[2 * SEMI];
    memcpy(x, a, SEMI);
    memcpy(x + SEMI, r, SEMI);
    (void)block(x, x, 1, key, NULL, NULL);
    memcpy(a, x, SEMI);
    memcpy(r, x + SEMI, SEMI);
    WIPE(&x);
}

static void crypt(uint8_t a[SEMI], uint8_t *r, size_t n, const struct wrap_key *key, enum hr_op op)
{
    const struct wrap_kernel *kernel = key->kernel[op];
    if (n == 1)
        one_block(a, r, &key->aes, kernel->block);
    else if (kernel->chain)
        kernel->chain(a, r, n, &key->aes);
    else
        chain_of_blocks(a, r, n, &key->aes, kernel->block, op);
}

/* ---- calls ---- */

/* SP 800-38F section 5.3.1 has KW's upper limit of 2^54 semiblocks, which no memory reaches. */
static size_t wrapped_len(const struct hr_algorithm *row, size_t in_len)
{
    const int pads = row->mode == HR_MODE_KWP;
    const int good = pads ? in_len && in_len <= UINT32_MAX
                          : in_len >= 2 * SEMI && in_len % SEMI == 0 && in_len <= SIZE_MAX >> 7;
    return good ? ((in_len + SEMI - 1) & ~(size_t)(SEMI - 1)) + SEMI : 0;
}

size_t hr_wrapped_len(hr_alg alg, size_t in_len)
{
    const struct hr_algorithm *row = wrap_row(alg);
    return row ? wrapped_len(row, in_len) : 0;
}

/* Returns the row of a key, or NULL with *error set. */
static const struct hr_algorithm *ready(int *error, const uint8_t *out, const size_t *out_len,
                                        const uint8_t *in, const struct wrap_key *key)
{
    *error = HR_EINVAL;
    if (!out || !out_len || !in || !key)
        return NULL;
    *error = HR_ESTATE;
    return wrap_row((hr_alg)key->alg);
}

/* The semiblock in front of a key (RFC 3394 section 2.2.3; RFC 5649 section 3): the IV, and with
 * padding the key's length. */
static uint64_t front(const struct hr_algorithm *row, const uint8_t *iv, size_t len)
{
    if (row->mode == HR_MODE_KW)
        return iv ? load_be64(iv) : UINT64_C(0xa6a6a6a6a6a6a6a6);
    return (uint64_t)(iv ? load_be32(iv) : 0xa65959a6) << 32 | (uint32_t)len;
}

int hr_wrap(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len,
            const struct hr_wrap_key *public, const uint8_t *iv)
{
    const struct wrap_key *key = (const struct wrap_key *)public;
    int error;
    const struct hr_algorithm *row = ready(&error, out, out_len, in, key);
    if (!row)
        return error;
    const size_t len = wrapped_len(row, in_len);
    if (!len)
        return HR_ELENGTH;
    if (out != in && touch(out, len, in, in_len))
        return HR_EOVERLAP;
    const uint64_t a = front(row, iv, in_len);
    memmove(out + SEMI, in, in_len);
    for (size_t i = SEMI + in_len; i < len; i++)
        out[i] = 0;
    store_be64(out, a);
    crypt(out, out + SEMI, len / SEMI - 1, key, HR_OP_WRAP);
    *out_len = len;
    return 0;
}

/* Returns 0 if `a` and the padding are right, without a branch.  *len gets the key's length. */
static uint64_t differs(uint64_t *len, uint64_t a, uint64_t want, const uint8_t *r,
                        size_t padded_len, enum hr_mode mode)
{
    *len = padded_len;
    if (mode == HR_MODE_KW)
        return a ^ want;
    *len = (uint32_t)a;
    const uint64_t padding = padded_len - *len; /* 0 to 7, or the length is wrong */
    const uint64_t mask = ((uint64_t)1 << 8 * (padding % SEMI)) - 1;
    return (a ^ want) >> 32 | padding / SEMI | (load_be64(r + padded_len - SEMI) & mask);
}

int hr_unwrap(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len,
              const struct hr_wrap_key *public, const uint8_t *iv)
{
    const struct wrap_key *key = (const struct wrap_key *)public;
    uint8_t a[SEMI];
    uint64_t key_len;
    int error;
    const struct hr_algorithm *row = ready(&error, out, out_len, in, key);
    if (!row)
        return error;
    const size_t least = row->mode == HR_MODE_KWP ? 2 * SEMI - 1 : SEMI;
    if (in_len < 2 * SEMI || wrapped_len(row, in_len - least) != in_len)
        return HR_ELENGTH;
    const size_t len = in_len - SEMI;
    if (out != in && touch(out, len, in, in_len))
        return HR_EOVERLAP;
    const uint64_t want = front(row, iv, 0); /* iv may lie in `out` */
    memcpy(a, in, SEMI);
    memmove(out, in + SEMI, len);
    crypt(a, out, len / SEMI, key, HR_OP_UNWRAP);
    uint64_t bad = differs(&key_len, load_be64(a), want, out, len, row->mode);
    WIPE(&a);
    CT_PUBLIC(&bad, sizeof bad);
    if (bad) {
        wipe_bytes(out, len);
        *out_len = 0;
        return HR_EMAC;
    }
    CT_PUBLIC(&key_len, sizeof key_len);
    *out_len = (size_t)key_len;
    return 0;
}
