/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC (RFC 2104, FIPS 198-1) with any digest: H((K ^ opad) || H((K ^ ipad) || message)).  A key is
 * kept as two chaining values, those after the blocks K ^ ipad and K ^ opad.  So a short message
 * takes two compressions: that of the message with its padding, and that of the inner digest, whose
 * padding is a constant. */
#include "hmac.h"
#include "digest_rows.h"
#include <headrace/algorithms.h>

static const struct hmac_key *open_key(const struct hr_hmac_key *key)
{
    return (const struct hmac_key *)key;
}

static const struct hr_algorithm *mac_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_MAC ? row : NULL;
}

/* ---- keys ---- */

/* Computes the chaining value after one block of key ^ pad. */
static void absorb_pad(union digest_state *state, const struct hmac_key *key,
                       const uint8_t block[CHAIN_MAX_BLOCK], uint8_t pad)
{
    uint8_t padded[CHAIN_MAX_BLOCK];
    memcpy(state, key->impl->init, 32);
    if (key->impl->state_len == 64)
        memcpy(&state->w64[4], (const uint8_t *)key->impl->init + 32, 32);
    else
        memset(&state->w64[4], 0, 32);
    for (size_t i = 0; i < sizeof padded; i++)
        padded[i] = block[i] ^ pad;
    key->kernel->blocks(state, padded, 1);
    WIPE(&padded);
}

static void set_key(struct hmac_key *key, const struct hr_algorithm *row,
                    const struct digest_kernel *kernel, const uint8_t *bytes, size_t len)
{
    uint8_t block[CHAIN_MAX_BLOCK + 16] = { 0 }; /* 16 more bytes, since store_piece() writes
                                                  * 16 also where nothing is left */
    key->impl = digest_impl(row->digest);
    key->kernel = kernel;
    key->alg = row->alg;
    if (len > row->block_len)
        key->impl->direct(block, bytes, len);
    else
        store_piece(block + (len & ~(size_t)15), copy_pieces(block, bytes, len, 0));
    absorb_pad(&key->inner, key, block, IPAD);
    absorb_pad(&key->outer, key, block, OPAD);
    WIPE(&block);
}

static int check_key(const struct hr_hmac_key *key, const void *bytes, size_t len)
{
    if (!key || (!bytes && len))
        return HR_EINVAL;
    return len > UINT64_MAX >> 3 ? HR_ELENGTH : 0;
}

int hr_hmac_key_init(struct hr_hmac_key *key, hr_alg alg, const void *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = mac_row(alg);
    if (!row)
        return HR_EALG;
    const int error = check_key(key, bytes, bytes_len);
    if (error)
        return error;
    set_key((struct hmac_key *)key, row, digest_kernel(digest_impl(row->digest)), bytes, bytes_len);
    return 0;
}

int hr_hmac_key_init_kernel(struct hr_hmac_key *key, hr_alg alg, size_t i, const void *bytes,
                            size_t bytes_len)
{
    const struct hr_algorithm *row = mac_row(alg);
    if (!row)
        return HR_EALG;
    const int error = check_key(key, bytes, bytes_len);
    if (error)
        return error;
    const struct digest_impl *impl = digest_impl(row->digest);
    if (i >= impl->num_kernels || impl->kernels[i].info.needs & ~hr_cpu_features())
        return HR_ECPU;
    set_key((struct hmac_key *)key, row, &impl->kernels[i], bytes, bytes_len);
    return 0;
}

void hr_hmac_key_wipe(struct hr_hmac_key *key)
{
    if (key)
        WIPE(key);
}

size_t hr_hmac_key_size(hr_alg alg)
{
    return mac_row(alg) ? sizeof(struct hmac_key) : 0;
}

size_t hr_hmac_size(hr_alg alg)
{
    return mac_row(alg) ? sizeof(struct hmac_ctx) : 0;
}

/* ---- whole messages ---- */

/* The constants of a row's direct call. */
struct shape {
    hr_alg alg;
    size_t out_len, word_len, block_len;
    int little_endian; /* of the words and of the length field */
};

/* Returns n bytes, at most 8, from offset `at` of the digest that this chaining value stands for,
 * as a little-endian word. */
static inline uint64_t state_bytes(const union digest_state *state, size_t at, size_t n,
                                   struct shape row)
{
    uint64_t x;
    if (row.word_len == 8) {
        x = bswap64(state->w64[at / 8]);
    } else {
        x = state->w32[at / 4] | (uint64_t)state->w32[at / 4 + 1] << 32;
        if (!row.little_endian)
            x = bswap64(x) << 32 | bswap64(x) >> 32;
    }
    return n < 8 ? x & ~(~UINT64_C(0) << 8 * n) : x;
}

/* Makes the last block of the outer digest, the inner digest and its padding, in pieces of 16 bytes
 * as kernels read it. */
static inline __attribute__((always_inline)) void
outer_block(uint8_t *last, const union digest_state *state, struct shape row)
{
    struct piece rest = { 0, 0 };
    size_t at = 0;
    for (; at + 16 <= row.out_len; at += 16)
        store_piece(last + at, (struct piece){ state_bytes(state, at, 8, row),
                                               state_bytes(state, at + 8, 8, row) });
    const size_t n = row.out_len - at;
    if (n)
        rest.low = state_bytes(state, at, n, row);
    if (n > 8)
        rest.high = state_bytes(state, at + 8, n - 8, row);
    pad_last(last, rest, row.out_len, row.block_len, row.block_len + row.out_len,
             row.little_endian);
}

/* Computes the HMAC by the kernel's `blocks`, where the kernel has no `hmac`.  The outer digest's
 * block overwrites `last`. */
static inline __attribute__((always_inline)) void
by_blocks(uint8_t *out, const struct hmac_key *key, const uint8_t *in, size_t num_blocks,
          uint8_t *last, size_t num_last, struct shape row)
{
    digest_blocks_fn *blocks = key->kernel->blocks;
    union digest_state state;
    memcpy(&state, &key->inner, 8 * row.word_len);
    if (num_blocks)
        blocks(&state, in, num_blocks);
    blocks(&state, last, num_last);
    outer_block(last, &state, row);
    memcpy(&state, &key->outer, 8 * row.word_len);
    blocks(&state, last, 1);
    store_state(out, &state, row.out_len, row.word_len, row.little_endian);
    wipe_bytes(&state, 8 * row.word_len);
}

/* The function is always inlined with a constant `row`, so that each row gets code of its own
 * without loops over the row's lengths. */
static inline __attribute__((always_inline)) int
direct(uint8_t *out, const uint8_t *in, size_t in_len, const struct hmac_key *key, struct shape row)
{
    uint8_t last[2 * CHAIN_MAX_BLOCK];
    /* A message that fits into two blocks with its padding goes to the kernel as a whole: the
     * kernel may prepare both blocks at the same time. */
    const size_t two = 2 * row.block_len - row.block_len / 8;
    const size_t used = in_len < two ? in_len : in_len & (row.block_len - 1), whole = in_len - used;

    if (!LIKELY(key->alg == (uint64_t)row.alg))
        return HR_ESTATE;
    if (!LIKELY(in_len <= (UINT64_MAX >> 3) - CHAIN_MAX_BLOCK))
        return HR_ELENGTH;
    const struct digest_kernel *kernel = key->kernel;
    const struct piece rest = copy_pieces(last, whole ? in + whole : in, used, whole > 0);
    const size_t end =
        pad_last(last, rest, used, row.block_len, row.block_len + in_len, row.little_endian);
    if (kernel->hmac)
        kernel->hmac(out, key, in, whole / row.block_len, last, end / row.block_len);
    else
        by_blocks(out, key, in, whole / row.block_len, last, end / row.block_len, row);
    wipe_bytes(last, row.block_len);
    if (end > row.block_len)
        wipe_bytes(last + row.block_len, row.block_len);
    return 0;
}

/* A word is a sixteenth of a block.  MD5 is the only little-endian digest. */
#define HR_MAC(number, sym, SYM, name, names, pkcs11, jce, md, MD)                               \
    ALIGNED int hr_##sym(uint8_t *out, const void *in, size_t in_len,                            \
                         const struct hr_hmac_key *key)                                          \
    {                                                                                            \
        return direct(out, in, in_len, open_key(key),                                            \
                      (struct shape){ number, OUT_LEN_##md, BLOCK_LEN_##md / 16, BLOCK_LEN_##md, \
                                      HR_##MD == HR_MD5 });                                      \
    }
#include <headrace/algorithms.def>

typedef int direct_fn(uint8_t *out, const void *in, size_t in_len, const struct hr_hmac_key *key);

/* Returns the direct call of a key's row; NULL if the key was not initialised. */
static direct_fn *direct_of(const struct hmac_key *key)
{
    static direct_fn *const calls[] = {
#define HR_MAC(number, sym, ...) [number - 0x0201] = hr_##sym,
#include <headrace/algorithms.def>
    };
    const uint64_t index = key->alg - 0x0201;
    return index < COUNT(calls) ? calls[index] : NULL;
}

int hr_hmac(uint8_t *out, const void *in, size_t in_len, const struct hr_hmac_key *key)
{
    if (!out || (!in && in_len) || !key)
        return HR_EINVAL;
    direct_fn *call = direct_of(open_key(key));
    return call ? call(out, in, in_len, key) : HR_ESTATE;
}

int hr_hmac_verify(const uint8_t *mac, size_t mac_len, const void *in, size_t in_len,
                   const struct hr_hmac_key *key)
{
    uint8_t want[HR_DIGEST_MAX_OUT];
    uint32_t differ = 0;
    if (!mac || !key)
        return HR_EINVAL;
    if (!direct_of(open_key(key)))
        return HR_ESTATE;
    if (mac_len == 0 || mac_len > open_key(key)->impl->out_len)
        return HR_ELENGTH;
    const int error = hr_hmac(want, in, in_len, key);
    if (error)
        return error;
    for (size_t i = 0; i < mac_len; i++)
        differ |= want[i] ^ mac[i];
    WIPE(&want);
    differ = ct_hide(differ);
    CT_PUBLIC(&differ, sizeof differ); /* the result of the comparison is public */
    return differ ? HR_EMAC : 0;
}

/* ---- messages in pieces ---- */

static struct hr_digest_ctx *digest(struct hmac_ctx *ctx)
{
    return (struct hr_digest_ctx *)&ctx->digest;
}

/* Starts the inner or the outer digest from a chaining value of the key, which is that after the
 * digest's first block. */
static void start(struct hmac_ctx *ctx, const struct hmac_key *key, const union digest_state *state)
{
    ctx->key = key;
    ctx->digest.impl = key->impl;
    ctx->digest.kernel = key->kernel;
    ctx->digest.total = key->impl->block_len;
    ctx->digest.state = *state;
}

int hr_hmac_init(struct hr_hmac_ctx *public, const struct hr_hmac_key *public_key)
{
    struct hmac_ctx *ctx = (struct hmac_ctx *)public;
    const struct hmac_key *key = open_key(public_key);
    if (!ctx || !key)
        return HR_EINVAL;
    if (!direct_of(key))
        return HR_ESTATE;
    start(ctx, key, &key->inner);
    return 0;
}

int hr_hmac_update(struct hr_hmac_ctx *public, const void *in, size_t in_len)
{
    struct hmac_ctx *ctx = (struct hmac_ctx *)public;
    return ctx ? hr_digest_update(digest(ctx), in, in_len) : HR_EINVAL;
}

int hr_hmac_final(struct hr_hmac_ctx *public, uint8_t *out)
{
    struct hmac_ctx *ctx = (struct hmac_ctx *)public;
    uint8_t inner[HR_DIGEST_MAX_OUT];
    if (!ctx || !out)
        return HR_EINVAL;
    const struct hmac_key *key = ctx->key;
    if (!key)
        return HR_ESTATE;
    const size_t out_len = key->impl->out_len;
    int error = hr_digest_final(digest(ctx), inner);
    start(ctx, key, &key->outer);
    if (!error)
        error = hr_digest_update(digest(ctx), inner, out_len);
    if (!error)
        error = hr_digest_final(digest(ctx), out);
    WIPE(&inner);
    WIPE(ctx);
    return error;
}

/* ---- exported state: that of the inner digest, with the number of the HMAC row ---- */

enum { AT_ALG = 6, AT_TOTAL = 8, HEADER = 16 };

static void put_alg(uint8_t *state, uint64_t alg)
{
    state[AT_ALG] = (uint8_t)(alg >> 8);
    state[AT_ALG + 1] = (uint8_t)alg;
}

int hr_hmac_export(const struct hr_hmac_ctx *public, uint8_t *out, size_t out_size, size_t *out_len)
{
    const struct hmac_ctx *ctx = (const struct hmac_ctx *)public;
    if (!ctx)
        return HR_EINVAL;
    const int error =
        hr_digest_export((const struct hr_digest_ctx *)&ctx->digest, out, out_size, out_len);
    if (!error)
        put_alg(out, ctx->key->alg);
    return error;
}

int hr_hmac_import(struct hr_hmac_ctx *public, const struct hr_hmac_key *public_key,
                   const uint8_t *in, size_t in_len)
{
    struct hmac_ctx *ctx = (struct hmac_ctx *)public;
    const struct hmac_key *key = open_key(public_key);
    uint8_t state[HR_HMAC_MAX_EXPORT];
    if (!ctx || !key || (!in && in_len))
        return HR_EINVAL;
    if (!direct_of(key))
        return HR_ESTATE;
    if (in_len < HEADER || in_len > sizeof state)
        return HR_EFORMAT;
    if ((uint64_t)(in[AT_ALG] << 8 | in[AT_ALG + 1]) != key->alg)
        return HR_EALG;
    if (load_be64(in + AT_TOTAL) < key->impl->block_len)
        return HR_EFORMAT;
    memcpy(state, in, in_len);
    put_alg(state, hr_algorithm((hr_alg)key->alg)->digest);
    const int error = hr_digest_import(digest(ctx), state, in_len);
    WIPE(&state);
    if (error)
        return error;
    ctx->key = key;
    ctx->digest.kernel = key->kernel;
    return 0;
}
