/* SPDX-License-Identifier: Apache-2.0 */
/* MACs that are a chain of a block cipher, y[i] = E(y[i - 1] ^ in[i]), y[-1] = 0, whose last block
 * is special.  The chain is CBC encryption whose ciphertext nobody gets.
 *
 *   CMAC (SP 800-38B section 6)   K1 is added to a last block that is whole, K2 to one that is
 *                                 padded with a one and zeros; both are made of E(0).
 *   DES-MAC                       nothing is added to the last block, which is padded with zeros,
 *                                 and half of its ciphertext is the MAC
 *   ISO/IEC 9797-1, algorithm 3   the chain uses DES with K, and MAC = E(K, D(K', y)).  The last
 *                                 block is thus one of EDE with K, K', K: with a triple-DES key. */
#include "cmac.h"
#include "../aead.h"
#include "../cipher.h"
#include <headrace/algorithms.h>

#define MAX_IN ((UINT64_C(1) << 61) - 1)

/* The constructions. */
struct form {
    uint8_t
        chain_len;  /* bytes of the key that the chain uses; 0: all, and for the last block too */
    uint8_t pad;    /* the first byte of padding */
    uint8_t always; /* a whole block is padded too, with another block */
    uint8_t adds;   /* K1 or K2 to the last block */
};
static const struct form cmac = { 0, 0x80, 0, 1 }, des_mac = { 0, 0, 0, 0 },
                         retail_mac = { 8, 0, 0, 0 }, retail_mac_80 = { 8, 0x80, 1, 0 };

static inline const struct form *form_of(hr_alg alg)
{
    switch (alg) {
    case HR_RETAIL_MAC:
        return &retail_mac;
    case HR_RETAIL_MAC_80:
        return &retail_mac_80;
    case HR_DES_MAC:
        return &des_mac;
    default:
        return &cmac;
    }
}

static const struct hr_algorithm *cmac_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_CMAC ? row : NULL;
}

/* ---- keys ---- */

/* Doubles in GF(2^64) or GF(2^128), SP 800-38B section 5.3. */
static void twice(uint8_t *out, const uint8_t *in, size_t unit)
{
    const uint8_t polynomial = unit == 16 ? 0x87 : 0x1b, carry = in[0] >> 7;
    for (size_t i = 0; i + 1 < unit; i++)
        out[i] = (uint8_t)(in[i] << 1 | in[i + 1] >> 7);
    out[unit - 1] = (uint8_t)(in[unit - 1] << 1) ^ (polynomial & (uint8_t)-carry);
}

static void make_tweaks(struct cmac_key *key, size_t unit)
{
    static const uint8_t zero[HR_CMAC_MAX_OUT];
    uint8_t l[HR_CMAC_MAX_OUT];
    key->kernel->blocks(l, zero, 1, key->schedule, zero, NULL);
    twice(key->tweak[CMAC_WHOLE], l, unit);
    twice(key->tweak[CMAC_PADDED], key->tweak[CMAC_WHOLE], unit);
    WIPE(&l);
}

static const struct cipher_op *chains(const struct hr_algorithm *row)
{
    return &cipher_impl(row->alg)->ops[HR_MODE_CBC][HR_OP_ENCRYPT];
}

static int key_init(struct cmac_key *key, const struct hr_algorithm *row,
                    const struct cipher_kernel *kernel, const uint8_t *bytes, size_t bytes_len)
{
    if (!key || !bytes)
        return HR_EINVAL;
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    const struct form *form = form_of(row->alg);
    const struct block_cipher *cipher = cipher_impl(row->alg);
    key->kernel = kernel;
    memset(key->tweak, 0, sizeof key->tweak);
    if (form->chain_len) {
        cipher->expand(key->schedule, bytes, form->chain_len, 0);
        cipher->expand(&key->last, bytes, bytes_len, 0);
    } else {
        cipher->expand(key->schedule, bytes, bytes_len, 0);
        if (form->adds)
            make_tweaks(key, cipher->unit);
    }
    key->alg = row->alg;
    key->unit = cipher->unit;
    return 0;
}

int hr_cmac_key_init(struct hr_cmac_key *key, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = cmac_row(alg);
    return row ? key_init((struct cmac_key *)key, row, cipher_choose(chains(row)), bytes, bytes_len)
               : HR_EALG;
}

int hr_cmac_key_init_vartime(struct hr_cmac_key *key, hr_alg alg, const uint8_t *bytes,
                             size_t bytes_len)
{
    const struct hr_algorithm *row = cmac_row(alg);
    if (!row)
        return HR_EALG;
    const struct cipher_op *op = chains(row);
    const struct cipher_kernel *kernel = cipher_kernel_for_few(op, cipher_choose(op), 1);
    return key_init((struct cmac_key *)key, row, kernel, bytes, bytes_len);
}

int hr_cmac_key_init_kernel(struct hr_cmac_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                            size_t bytes_len)
{
    const struct hr_algorithm *row = cmac_row(alg);
    const uint64_t have = hr_cpu_features() | HR_KERNEL_VARTIME;
    if (!row)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    const struct cipher_op *op = chains(row);
    if (i >= op->num_kernels || op->kernels[i].info.needs & ~have)
        return HR_ECPU;
    return key_init((struct cmac_key *)key, row, &op->kernels[i], bytes, bytes_len);
}

void hr_cmac_key_wipe(struct hr_cmac_key *key)
{
    if (key)
        WIPE((struct cmac_key *)key);
}

size_t hr_cmac_key_size(hr_alg alg)
{
    return cmac_row(alg) ? sizeof(struct cmac_key) : 0;
}

size_t hr_cmac_size(hr_alg alg)
{
    return cmac_row(alg) ? sizeof(struct cmac_ctx) : 0;
}

/* ---- blocks ---- */

/* Absorbs whole blocks.  The kernel writes the chain's values somewhere: as a forger could use
 * them, they are wiped. */
static inline void absorb(uint8_t *y, const uint8_t *in, size_t num_blocks,
                          const struct cmac_key *key, size_t unit)
{
    alignas(64) uint8_t values[1024];
    const size_t most = sizeof values / unit;
    if (!num_blocks)
        return;
    const size_t used = num_blocks < most ? num_blocks : most;
    while (num_blocks) {
        const size_t now = num_blocks < most ? num_blocks : most;
        key->kernel->blocks(values, in, now, key->schedule, y, y);
        in += now * unit;
        num_blocks -= now;
    }
    wipe_bytes(values, used * unit);
}

/* Absorbs the rest of a message, at most a block, and writes the MAC. */
static inline void finish(uint8_t *out, uint8_t *y, const uint8_t *rest, size_t rest_len,
                          const struct cmac_key *key, const struct form *form, size_t unit,
                          size_t out_len)
{
    uint8_t last[HR_CMAC_MAX_OUT] = { 0 };
    if (rest_len)
        memcpy(last, rest, rest_len);
    if (rest_len < unit)
        last[rest_len] = form->pad;
    const uint8_t *tweak = key->tweak[rest_len < unit ? CMAC_PADDED : CMAC_WHOLE];
    for (size_t i = 0; i < unit; i++)
        last[i] ^= tweak[i];
    const void *schedule = form->chain_len ? (const void *)&key->last : key->schedule;
    key->kernel->blocks(last, last, 1, schedule, y, NULL);
    memcpy(out, last, out_len);
    WIPE(&last);
}

/* ---- whole messages ---- */

static inline __attribute__((always_inline)) int direct(uint8_t *out, const uint8_t *in,
                                                        size_t in_len, const struct cmac_key *key,
                                                        const struct form *form, size_t unit,
                                                        size_t out_len)
{
    uint8_t y[HR_CMAC_MAX_OUT] = { 0 };
    if (UNLIKELY(in_len > MAX_IN))
        return HR_ELENGTH;
    const size_t num_blocks = form->always ? in_len / unit : in_len ? (in_len - 1) / unit : 0;
    const size_t whole = num_blocks * unit;
    absorb(y, in, num_blocks, key, unit);
    finish(out, y, whole ? in + whole : in, in_len - whole, key, form, unit, out_len);
    WIPE(&y);
    return 0;
}

#define HR_CMAC(number, sym, SYM, name, pkcs11, cipher, key_len, out_len)               \
    ALIGNED int hr_##sym(uint8_t *out, const void *in, size_t in_len,                   \
                         const struct hr_cmac_key *public)                              \
    {                                                                                   \
        const struct cmac_key *key = (const struct cmac_key *)public;                   \
        if (UNLIKELY(key->alg != HR_##SYM))                                             \
            return HR_ESTATE;                                                           \
        return direct(out, in, in_len, key, form_of(HR_##SYM), UNIT_##cipher, out_len); \
    }
#include <headrace/algorithms.def>

int hr_cmac(uint8_t *out, const void *in, size_t in_len, const struct hr_cmac_key *public)
{
    const struct cmac_key *key = (const struct cmac_key *)public;
    if (!out || !key || (in_len && !in))
        return HR_EINVAL;
    const struct hr_algorithm *row = cmac_row((hr_alg)key->alg);
    return row ? direct(out, in, in_len, key, form_of(row->alg), row->block_len, row->out_len)
               : HR_ESTATE;
}

int hr_cmac_verify(const uint8_t *mac, size_t mac_len, const void *in, size_t in_len,
                   const struct hr_cmac_key *key)
{
    uint8_t full[HR_CMAC_MAX_OUT];
    if (!mac || !key)
        return HR_EINVAL;
    const struct hr_algorithm *row = cmac_row((hr_alg)((const struct cmac_key *)key)->alg);
    if (mac_len < 1 || mac_len > (row ? row->out_len : sizeof full))
        return HR_ETAGLEN;
    int error = hr_cmac(full, in, in_len, key);
    if (!error)
        error = aead_compare(mac, full, mac_len);
    WIPE(&full);
    return error;
}

/* ---- streams ---- */

int hr_cmac_init(struct hr_cmac_ctx *public, const struct hr_cmac_key *public_key)
{
    struct cmac_ctx *ctx = (struct cmac_ctx *)public;
    const struct cmac_key *key = (const struct cmac_key *)public_key;
    if (!ctx || !key)
        return HR_EINVAL;
    if (!cmac_row((hr_alg)key->alg))
        return HR_ESTATE;
    *ctx = (struct cmac_ctx){ .key = key };
    return 0;
}

/* Fills the waiting block, and absorbs it if more follows.  Returns how many bytes it took. */
static size_t fill(struct cmac_ctx *ctx, const uint8_t *in, size_t in_len, size_t unit)
{
    const size_t room = unit - ctx->waiting, n = in_len < room ? in_len : room;
    memcpy(ctx->buf + ctx->waiting, in, n);
    ctx->waiting = (uint8_t)(ctx->waiting + n);
    if (in_len > n) {
        absorb(ctx->y, ctx->buf, 1, ctx->key, unit);
        ctx->waiting = 0;
    }
    return n;
}

int hr_cmac_update(struct hr_cmac_ctx *public, const void *in, size_t in_len)
{
    struct cmac_ctx *ctx = (struct cmac_ctx *)public;
    const uint8_t *at = in;
    if (!ctx || (in_len && !in))
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    if (in_len > MAX_IN - ctx->len)
        return HR_ELENGTH;
    ctx->len += in_len;
    const size_t unit = ctx->key->unit;
    if (in_len && ctx->waiting) {
        const size_t taken = fill(ctx, at, in_len, unit);
        at += taken;
        in_len -= taken;
    }
    if (!in_len)
        return 0;
    const size_t num_blocks = (in_len - 1) / unit;
    absorb(ctx->y, at, num_blocks, ctx->key, unit);
    ctx->waiting = (uint8_t)(in_len - num_blocks * unit);
    memcpy(ctx->buf, at + num_blocks * unit, ctx->waiting);
    return 0;
}

int hr_cmac_final(struct hr_cmac_ctx *public, uint8_t *out)
{
    struct cmac_ctx *ctx = (struct cmac_ctx *)public;
    if (!ctx || !out)
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    const size_t unit = ctx->key->unit;
    const struct form *form = form_of((hr_alg)ctx->key->alg);
    if (form->always && ctx->waiting == unit) {
        absorb(ctx->y, ctx->buf, 1, ctx->key, unit);
        ctx->waiting = 0;
    }
    finish(out, ctx->y, ctx->buf, ctx->waiting, ctx->key, form, unit,
           hr_algorithm((hr_alg)ctx->key->alg)->out_len);
    WIPE(ctx);
    return 0;
}

int hr_cmac_set_key(struct hr_cmac_ctx *public, const struct hr_cmac_key *public_key)
{
    struct cmac_ctx *ctx = (struct cmac_ctx *)public;
    const struct cmac_key *key = (const struct cmac_key *)public_key;
    if (!ctx || !key)
        return HR_EINVAL;
    if (!ctx->key || key->alg != ctx->key->alg || key->kernel != ctx->key->kernel)
        return HR_ESTATE;
    ctx->key = key;
    return 0;
}
