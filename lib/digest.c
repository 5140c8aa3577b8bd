/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of all rows (FIPS 180-4 section 5.1; checksums too): streaming, the generic one-shot
 * call, and exported states. */
#include "checksum/checksum.h"
#include "digest_rows.h"
#include "keccak/keccak.h"

static struct digest_ctx *open_ctx(struct hr_digest_ctx *ctx)
{
    return (struct digest_ctx *)ctx;
}

DEFINE_CHOOSE(digest_choose, struct digest_kernel, struct digest_impl)

uint32_t checksum_first(const struct digest_impl *impl, uint32_t value, const uint8_t *in,
                        size_t num_blocks)
{
    return digest_choose(impl)->value(value, in, num_blocks);
}

/* Keeps the first n bytes of a little-endian word: n at most 8. */
static uint64_t first_bytes(uint64_t word, size_t n)
{
    return n < 8 ? word & ~(~UINT64_C(0) << 8 * n) : word;
}

/* The functions of a message.  A call reads them once: where a program lets threads share a
 * context, one may end the message, and no call must find half of them. */
struct functions {
    const struct digest_impl *impl;
    const struct digest_kernel *kernel;
};

static struct functions functions_of(const struct digest_ctx *ctx)
{
    return (struct functions){ ctx->impl, ctx->kernel };
}

static void pad_checksum(struct digest_ctx *ctx, struct functions f, size_t used)
{
    if (used) {
        memset(ctx->buf + used, 0, f.impl->block_len - used);
        f.kernel->blocks(&ctx->state, ctx->buf, 1);
    }
}

/* Pads the message and compresses what is padded: the buffer or, if the length field does not fit
 * into it, a copy of it with one more block. */
static void pad(struct digest_ctx *ctx, struct functions f)
{
    const size_t block_len = f.impl->block_len, used = ctx->total & (block_len - 1);
    if (UNLIKELY(f.impl->checksum)) {
        pad_checksum(ctx, f, used);
        return;
    }
    const size_t n = used & 15;
    uint8_t *at = ctx->buf + used - n, two[2 * CHAIN_MAX_BLOCK];
    const struct piece rest = { first_bytes(load_le64(at), n),
                                n > 8 ? first_bytes(load_le64(at + 8), n - 8) : 0 };
    if (LIKELY(used < block_len - block_len / 8)) {
        pad_last(ctx->buf, rest, used, block_len, ctx->total, f.impl->little_endian);
        f.kernel->blocks(&ctx->state, ctx->buf, 1);
        return;
    }
    copy_pieces(two, ctx->buf, used - n, 0);
    pad_last(two, rest, used, block_len, ctx->total, f.impl->little_endian);
    f.kernel->blocks(&ctx->state, two, 2);
    WIPE(&two);
}

/* Writes the first out_len bytes of the chaining value. */
static void store(uint8_t *out, const struct digest_ctx *ctx, const struct digest_impl *impl,
                  size_t out_len, int little_endian)
{
    if (impl->word_len == 8)
        store_state(out, &ctx->state, out_len, 8, 0);
    else if (impl->word_len == 2)
        store_be16(out, ctx->state.w16[0]);
    else if (little_endian)
        store_state(out, &ctx->state, out_len, 4, 1);
    else
        store_state(out, &ctx->state, out_len, 4, 0);
}

static void start(struct digest_ctx *ctx, const struct digest_impl *impl,
                  const struct digest_kernel *kernel)
{
    ctx->impl = impl;
    ctx->kernel = kernel;
    ctx->total = 0;
    if (UNLIKELY(impl->sponge)) {
        memset(ctx->sponge, 0, sizeof ctx->sponge);
        return;
    }
    memcpy(&ctx->state, impl->init, 32);
    if (impl->state_len == 64)
        memcpy(&ctx->state.w64[4], (const uint8_t *)impl->init + 32, 32);
}

size_t hr_digest_size(hr_alg alg)
{
    return digest_impl(alg) ? sizeof(struct digest_ctx) : 0;
}

int hr_digest_init(struct hr_digest_ctx *public, hr_alg alg)
{
    const struct digest_impl *impl = digest_impl(alg);
    if (!impl)
        return HR_EALG;
    if (!public)
        return HR_EINVAL;
    start(open_ctx(public), impl, digest_kernel(impl));
    return 0;
}

int hr_digest_init_kernel(struct hr_digest_ctx *public, hr_alg alg, size_t i)
{
    const struct digest_impl *impl = digest_impl(alg);
    if (!impl)
        return HR_EALG;
    if (!public)
        return HR_EINVAL;
    if (i >= impl->num_kernels || impl->kernels[i].info.needs & ~hr_cpu_features())
        return HR_ECPU;
    start(open_ctx(public), impl, &impl->kernels[i]);
    return 0;
}

/* Fills the buffer from `in` and, if it is full then, compresses it.  Returns how many bytes it
 * took. */
static size_t top_up(struct digest_ctx *ctx, struct functions f, const uint8_t *in, size_t len,
                     size_t used)
{
    const size_t fill = f.impl->block_len - used;
    if (len < fill) {
        memcpy(ctx->buf + used, in, len);
        return len;
    }
    memcpy(ctx->buf + used, in, fill);
    f.kernel->blocks(&ctx->state, ctx->buf, 1);
    return fill;
}

int hr_digest_update(struct hr_digest_ctx *public, const void *in_bytes, size_t len)
{
    struct digest_ctx *ctx = open_ctx(public);
    const uint8_t *in = in_bytes;
    if (!ctx || (!in && len))
        return HR_EINVAL;
    const struct functions f = functions_of(ctx);
    if (!f.impl || !f.kernel)
        return HR_ESTATE;
    if (!len)
        return 0; /* `in` may be NULL here */
    if (len > (UINT64_MAX >> 3) - ctx->total)
        return HR_ELENGTH;
    if (UNLIKELY(f.impl->sponge)) {
        sponge_update(ctx, f.impl, f.kernel, in, len);
        return 0;
    }
    const size_t block_len = f.impl->block_len, used = ctx->total & (block_len - 1);
    ctx->total += len;
    if (used) {
        const size_t taken = top_up(ctx, f, in, len, used);
        in += taken;
        len -= taken;
        if (!len)
            return 0;
    }
    const size_t rest = len & (block_len - 1), whole = len - rest;
    if (whole)
        f.kernel->blocks(&ctx->state, in, whole >> __builtin_ctzl(block_len));
    /* A checksum's block is 1 or 2 bytes, but copy_pieces() may read 8 bytes before the rest. */
    const struct piece last = copy_pieces(ctx->buf, in + whole, rest, whole >= 8);
    store_piece(ctx->buf + (rest & ~(size_t)15), last);
    return 0;
}

int hr_digest_final(struct hr_digest_ctx *public, uint8_t *out)
{
    struct digest_ctx *ctx = open_ctx(public);
    if (!ctx || !out)
        return HR_EINVAL;
    const struct functions f = functions_of(ctx);
    if (!f.impl || !f.kernel)
        return HR_ESTATE;
    if (UNLIKELY(f.impl->sponge)) {
        sponge_final(ctx, f.impl, f.kernel, out);
    } else {
        pad(ctx, f);
        store(out, ctx, f.impl, f.impl->out_len, f.impl->little_endian);
    }
    WIPE(ctx);
    return 0;
}

int hr_digest(uint8_t *out, hr_alg alg, const void *in, size_t in_len)
{
    const struct digest_impl *impl = digest_impl(alg);
    if (!impl)
        return HR_EALG;
    if (!out || (!in && in_len))
        return HR_EINVAL;
    if (in_len > UINT64_MAX >> 3)
        return HR_ELENGTH;
    impl->direct(out, in, in_len);
    return 0;
}

int hr_digest_compress(void *state, hr_alg alg, const void *in, size_t num_blocks)
{
    const struct digest_impl *impl = digest_impl(alg);
    if (!impl || impl->checksum)
        return HR_EALG;
    if (!state || (!in && num_blocks))
        return HR_EINVAL;
    if (num_blocks)
        digest_kernel(impl)->blocks(state, in, num_blocks);
    return 0;
}

/* ---- exported state: headrace.h describes the format ---- */

static const uint8_t magic[6] = { 'H', 'R', 'D', 'S', 1, 0 };
enum { AT_ALG = 6, AT_TOTAL = 8, AT_STATE = 16 };

static hr_alg alg_of(const struct digest_impl *impl)
{
#define HR_DIGEST(number, sym, ...) \
    if (impl == &sym##_impl)        \
        return number;
#define HR_CHECKSUM HR_DIGEST
#include <headrace/algorithms.def>
    return HR_ALG_NONE;
}

/* Returns how many absorbed bytes follow the state in its exported form. */
static size_t buffered(const struct digest_impl *impl, uint64_t total)
{
    return impl->sponge ? 0 : total & (impl->block_len - 1u);
}

static void put_state(uint8_t *out, const struct digest_ctx *ctx)
{
    if (!ctx->impl->sponge)
        store(out, ctx, ctx->impl, ctx->impl->state_len, 0);
    for (size_t i = 0; ctx->impl->sponge && i < COUNT(ctx->sponge); i++)
        store_be64(out + 8 * i, ctx->sponge[i]);
}

static void get_state(struct digest_ctx *ctx, const uint8_t *in)
{
    const size_t word_len = ctx->impl->word_len, num = ctx->impl->state_len / word_len;
    for (size_t i = 0; i < num; i++, in += word_len)
        if (word_len == 4)
            ctx->state.w32[i] = load_be32(in);
        else if (word_len == 2)
            ctx->state.w16[i] = load_be16(in);
        else if (ctx->impl->sponge)
            ctx->sponge[i] = load_be64(in);
        else
            ctx->state.w64[i] = load_be64(in);
}

int hr_digest_export(const struct hr_digest_ctx *public, uint8_t *out, size_t out_size,
                     size_t *out_len)
{
    const struct digest_ctx *ctx = (const struct digest_ctx *)public;
    if (!ctx || (!out && out_size) || !out_len)
        return HR_EINVAL;
    if (!ctx->impl)
        return HR_ESTATE;
    const size_t state_len = ctx->impl->state_len;
    const size_t used = buffered(ctx->impl, ctx->total);
    if (out_size < AT_STATE + state_len + used)
        return HR_EBUFFER;
    unsigned alg = alg_of(ctx->impl);
    memcpy(out, magic, sizeof magic);
    out[AT_ALG] = (uint8_t)(alg >> 8);
    out[AT_ALG + 1] = (uint8_t)alg;
    store_be64(out + AT_TOTAL, ctx->total);
    put_state(out + AT_STATE, ctx);
    memcpy(out + AT_STATE + state_len, ctx->buf, used);
    *out_len = AT_STATE + state_len + used;
    return 0;
}

int hr_digest_import(struct hr_digest_ctx *public, const uint8_t *in, size_t in_len)
{
    struct digest_ctx *ctx = open_ctx(public);
    if (!ctx || (!in && in_len))
        return HR_EINVAL;
    if (in_len < AT_STATE || memcmp(in, magic, sizeof magic))
        return HR_EFORMAT;
    const struct digest_impl *impl = digest_impl((hr_alg)(in[AT_ALG] << 8 | in[AT_ALG + 1]));
    if (!impl)
        return HR_EALG;
    const uint64_t total = load_be64(in + AT_TOTAL);
    const size_t used = buffered(impl, total);
    if (total > UINT64_MAX >> 3 || in_len != AT_STATE + impl->state_len + used)
        return HR_EFORMAT;
    start(ctx, impl, digest_kernel(impl));
    ctx->total = total;
    get_state(ctx, in + AT_STATE);
    memcpy(ctx->buf, in + AT_STATE + impl->state_len, used);
    return 0;
}
