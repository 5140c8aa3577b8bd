/* SPDX-License-Identifier: Apache-2.0 */
/* SHAKE (FIPS 202 section 6.2), and cSHAKE and KMAC, which put encoded strings before the message,
 * each padded to a whole block (SP 800-185 sections 2.3, 3 and 4). */
#include "../class.h"
#include "keccak.h"
#include <headrace/algorithms.h>
#include <headrace/xof.h>

/* The members of struct hr_xof_ctx; alg 0 means not initialised. */
struct xof_ctx {
    struct keccak sponge;
    uint64_t alg;
};
static_assert(sizeof(struct xof_ctx) <= sizeof(struct hr_xof_ctx), "public size");
static_assert(alignof(struct xof_ctx) <= alignof(struct hr_xof_ctx), "public alignment");

enum { MAX_MAC = 64, MAX_NUMBER = 9 };
static const uint64_t MAX_STRING = UINT64_MAX >> 3;

static struct xof_ctx *open_ctx(struct hr_xof_ctx *ctx)
{
    return (struct xof_ctx *)ctx;
}

static const struct hr_algorithm *xof_row(hr_alg alg, int keyed)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_XOF && !(row->flags & HR_KEYED) == !keyed ? row : NULL;
}

/* ---- SP 800-185 section 2.3 ---- */

/* Writes x as big-endian bytes without leading zeros, at least one; returns how many. */
static size_t put_number(uint8_t *out, uint64_t x)
{
    size_t n = 1;
    while (n < 8 && x >> 8 * n)
        n++;
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(x >> 8 * (n - 1 - i));
    return n;
}

static void left_encode(struct keccak *k, uint64_t x)
{
    uint8_t bytes[MAX_NUMBER];
    const size_t n = put_number(bytes + 1, x);
    bytes[0] = (uint8_t)n;
    keccak_absorb(k, bytes, n + 1);
}

static void right_encode(struct keccak *k, uint64_t x)
{
    uint8_t bytes[MAX_NUMBER];
    const size_t n = put_number(bytes, x);
    bytes[n] = (uint8_t)n;
    keccak_absorb(k, bytes, n + 1);
}

static void encode_string(struct keccak *k, const void *string, size_t len)
{
    left_encode(k, (uint64_t)len << 3);
    keccak_absorb(k, string, len);
}

/* Fills the block with zeros, as bytepad does at its end. */
static void end_block(struct keccak *k)
{
    static const uint8_t zeros[KECCAK_RATE_128];
    if (k->at)
        keccak_absorb(k, zeros, (size_t)(k->rate - k->at));
}

static void start_custom(struct keccak *k, size_t rate, const void *name, size_t name_len,
                         const void *custom, size_t custom_len)
{
    keccak_start(k, rate, KECCAK_CSHAKE);
    left_encode(k, rate);
    encode_string(k, name, name_len);
    encode_string(k, custom, custom_len);
    end_block(k);
}

/* ---- messages in pieces ---- */

static int check(const void *ctx, const void *a, size_t a_len, const void *b, size_t b_len)
{
    if (!ctx || (!a && a_len) || (!b && b_len))
        return HR_EINVAL;
    return a_len > MAX_STRING || b_len > MAX_STRING ? HR_ELENGTH : 0;
}

int hr_xof_init(struct hr_xof_ctx *public, hr_alg alg)
{
    const struct hr_algorithm *row = xof_row(alg, 0);
    if (!row)
        return HR_EALG;
    if (!public)
        return HR_EINVAL;
    keccak_start(&open_ctx(public)->sponge, row->block_len, KECCAK_SHAKE);
    open_ctx(public)->alg = row->alg;
    return 0;
}

int hr_xof_init_custom(struct hr_xof_ctx *public, hr_alg alg, const void *name, size_t name_len,
                       const void *custom, size_t custom_len)
{
    const struct hr_algorithm *row = xof_row(alg, 0);
    if (!row)
        return HR_EALG;
    const int error = check(public, name, name_len, custom, custom_len);
    if (error)
        return error;
    if (!name_len && !custom_len)
        return hr_xof_init(public, alg);
    start_custom(&open_ctx(public)->sponge, row->block_len, name, name_len, custom, custom_len);
    open_ctx(public)->alg = row->alg;
    return 0;
}

int hr_kmac_init(struct hr_xof_ctx *public, hr_alg alg, const void *key, size_t key_len,
                 const void *custom, size_t custom_len)
{
    const struct hr_algorithm *row = xof_row(alg, 1);
    if (!row)
        return HR_EALG;
    const int error = check(public, key, key_len, custom, custom_len);
    if (error)
        return error;
    struct keccak *k = &open_ctx(public)->sponge;
    start_custom(k, row->block_len, "KMAC", 4, custom, custom_len);
    left_encode(k, row->block_len);
    encode_string(k, key, key_len);
    end_block(k);
    open_ctx(public)->alg = row->alg;
    return 0;
}

int hr_xof_update(struct hr_xof_ctx *public, const void *in, size_t in_len)
{
    struct xof_ctx *ctx = open_ctx(public);
    if (!ctx || (!in && in_len))
        return HR_EINVAL;
    if (!ctx->alg || ctx->sponge.squeezing)
        return HR_ESTATE;
    keccak_absorb(&ctx->sponge, in, in_len);
    return 0;
}

int hr_xof_squeeze(struct hr_xof_ctx *public, uint8_t *out, size_t out_len)
{
    struct xof_ctx *ctx = open_ctx(public);
    if (!ctx || (!out && out_len))
        return HR_EINVAL;
    if (!ctx->alg)
        return HR_ESTATE;
    if (!ctx->sponge.squeezing && xof_row((hr_alg)ctx->alg, 1))
        right_encode(&ctx->sponge, 0);
    keccak_squeeze(&ctx->sponge, out, out_len);
    return 0;
}

int hr_kmac_final(struct hr_xof_ctx *public, uint8_t *out, size_t out_len)
{
    struct xof_ctx *ctx = open_ctx(public);
    if (!ctx || (!out && out_len))
        return HR_EINVAL;
    if (!xof_row((hr_alg)ctx->alg, 1) || ctx->sponge.squeezing)
        return HR_ESTATE;
    if (out_len > MAX_STRING)
        return HR_ELENGTH;
    right_encode(&ctx->sponge, (uint64_t)out_len << 3);
    keccak_squeeze(&ctx->sponge, out, out_len);
    WIPE(ctx);
    return 0;
}

void hr_xof_wipe(struct hr_xof_ctx *ctx)
{
    if (ctx)
        WIPE(ctx);
}

/* ---- whole messages ---- */

int hr_xof(uint8_t *out, size_t out_len, hr_alg alg, const void *in, size_t in_len)
{
    struct hr_xof_ctx ctx;
    if ((!out && out_len) || (!in && in_len))
        return HR_EINVAL;
    int error = hr_xof_init(&ctx, alg);
    if (!error)
        error = hr_xof_update(&ctx, in, in_len);
    if (!error)
        error = hr_xof_squeeze(&ctx, out, out_len);
    WIPE(&ctx);
    return error;
}

int hr_kmac(uint8_t *out, size_t out_len, hr_alg alg, const void *key, size_t key_len,
            const void *custom, size_t custom_len, const void *in, size_t in_len)
{
    struct hr_xof_ctx ctx;
    if ((!out && out_len) || (!in && in_len))
        return HR_EINVAL;
    int error = hr_kmac_init(&ctx, alg, key, key_len, custom, custom_len);
    if (!error)
        error = hr_xof_update(&ctx, in, in_len);
    if (!error)
        error = hr_kmac_final(&ctx, out, out_len);
    WIPE(&ctx);
    return error;
}

int hr_kmac_verify(const uint8_t *mac, size_t mac_len, hr_alg alg, const void *key, size_t key_len,
                   const void *custom, size_t custom_len, const void *in, size_t in_len)
{
    uint8_t want[MAX_MAC];
    uint32_t differ = 0;
    if (!mac)
        return HR_EINVAL;
    if (!mac_len || mac_len > sizeof want)
        return HR_ELENGTH;
    const int error = hr_kmac(want, mac_len, alg, key, key_len, custom, custom_len, in, in_len);
    if (error)
        return error;
    for (size_t i = 0; i < mac_len; i++)
        differ |= want[i] ^ mac[i];
    WIPE(&want);
    differ = ct_hide(differ);
    CT_PUBLIC(&differ, sizeof differ); /* the result of the comparison is public */
    return differ ? HR_EMAC : 0;
}

const struct class_calls xof_class = { .run = NULL };
