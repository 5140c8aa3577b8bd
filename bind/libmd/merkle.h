/* SPDX-License-Identifier: Apache-2.0 */
/* Merkle-Damgard digests (RFC 1320 section 3, FIPS 180-4 section 5.1) over contexts whose layout a
 * public header fixes, for the BSD and the Solaris form.  All of it is inlined where the kind is a
 * constant, so that a short message pays for no branch on the kind.  Padding, and the
 * bytes that begin a block in the buffer, are written in pieces of 16 bytes, the size of the
 * kernels' loads: a load that spans two earlier stores waits until they have left the CPU's store
 * buffer. */
#ifndef HR_LIBMD_MERKLE_H
#define HR_LIBMD_MERKLE_H

#include "../common.h"
#include "served.h"

#define INLINE static inline __attribute__((always_inline))

typedef void md_blocks_fn(void *state, const uint8_t *in, size_t num_blocks);

/* struct md_kind is a digest with the offsets of its context's fields.  The count is of bits, in
 * the machine's byte order. */
struct md_kind {
    md_blocks_fn *blocks;
    const void *init; /* state_len bytes */
    uint16_t size, state_at, count_at, buf_at;
    uint8_t state_len, out_len, block_len, word_len;
    uint8_t count_len;    /* 8 bytes; or 16, low half first */
    uint8_t little;       /* words and length field are little-endian: MD4, MD5, RIPEMD-160 */
    uint8_t pad_is_data;  /* padding adds to the count, as data does */
    uint8_t always_wiped; /* by Final without an output too */
    enum counted counted; /* the row whose calls they are in the statistics */
};

/* ---- bytes ---- */

INLINE uint64_t little64(uint64_t x)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}

INLINE uint64_t load64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return little64(x);
}

INLINE uint64_t load32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap32(x);
}

/* struct md_piece is 16 bytes as two little-endian words. */
struct md_piece {
    uint64_t low, high;
};

INLINE void store_piece(uint8_t *out, struct md_piece x)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    const pair words = { little64(x.low), little64(x.high) };
    memcpy(out, &words, sizeof words);
}

/* load_piece loads n bytes, 0 < n < 16, and reads no others.  It branches on n only. */
INLINE struct md_piece load_piece(const uint8_t *p, size_t n)
{
    struct md_piece x = { 0, 0 };
    if (n >= 8) {
        x.low = load64(p);
        x.high = load64(p + n - 8) >> 1 >> (127 - 8 * n);
    } else if (n >= 4) {
        x.low = load32(p) | load32(p + n - 4) << 8 * (n - 4);
    } else {
        x.low = p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
    }
    return x;
}

/* copy_pieces copies n bytes to the start of a buffer.  It may write up to the next multiple of
 * 16. */
INLINE void copy_pieces(uint8_t *out, const uint8_t *in, size_t n)
{
    for (; n >= 16; n -= 16, in += 16, out += 16)
        memcpy(out, in, 16);
    if (n)
        store_piece(out, load_piece(in, n));
}

/* ---- the count ---- */

INLINE uint64_t md_bits(const struct md_kind *k, const uint8_t *ctx)
{
    uint64_t bits;
    memcpy(&bits, ctx + k->count_at, 8);
    return bits;
}

INLINE size_t md_used(const struct md_kind *k, const uint8_t *ctx)
{
    return md_bits(k, ctx) >> 3 & (k->block_len - 1u);
}

INLINE void md_count(const struct md_kind *k, uint8_t *ctx, size_t len)
{
    uint64_t bits = md_bits(k, ctx), high;
    const uint64_t sum = bits + ((uint64_t)len << 3);
    memcpy(ctx + k->count_at, &sum, 8);
    if (k->count_len == 8)
        return; /* modulo 2^64 */
    memcpy(&high, ctx + k->count_at + 8, 8);
    high += ((uint64_t)len >> 61) + (sum < bits);
    memcpy(ctx + k->count_at + 8, &high, 8);
}

/* ---- the calls ---- */

INLINE void md_init(const struct md_kind *k, uint8_t *ctx)
{
    memcpy(ctx + k->state_at, k->init, k->state_len);
    memset(ctx + k->count_at, 0, k->count_len);
}

INLINE void md_update(const struct md_kind *k, uint8_t *ctx, const uint8_t *in, size_t len)
{
    uint8_t *state = ctx + k->state_at, *buf = ctx + k->buf_at;
    const size_t used = md_used(k, ctx), fill = k->block_len - used;
    if (!len)
        return; /* `in` may be NULL */
    served_count(k->counted, len);
    md_count(k, ctx, len);
    if (used) {
        memcpy(buf + used, in, len < fill ? len : fill);
        if (len < fill)
            return;
        k->blocks(state, buf, 1);
        in += fill;
        len -= fill;
    }
    const size_t rest = len & (k->block_len - 1u);
    if (len - rest)
        k->blocks(state, in, len / k->block_len);
    copy_pieces(buf, in + len - rest, rest);
}

INLINE void md_transform(const struct md_kind *k, void *state, const uint8_t *block)
{
    served_count(k->counted, k->block_len);
    k->blocks(state, block, 1);
}

/* md_pad appends a one bit, zeros and the length field, which has the count before padding. */
INLINE void md_pad(const struct md_kind *k, uint8_t *ctx)
{
    uint8_t *state = ctx + k->state_at, *buf = ctx + k->buf_at;
    const size_t used = md_used(k, ctx), end = k->block_len, n = used & 15;
    const uint64_t bits = md_bits(k, ctx), one = UINT64_C(0x80) << 8 * (n & 7);
    size_t at = used - n;
    struct md_piece x = { load64(buf + at), load64(buf + at + 8) };
    x.high = n > 8 ? x.high & ((UINT64_C(1) << 8 * (n & 7)) - 1) : 0;
    x.low = n < 8 ? (x.low & ((UINT64_C(1) << 8 * n) - 1)) | one : x.low;
    x.high |= n < 8 ? 0 : one;
    if (used >= end - k->count_len) {
        for (; at < end; at += 16, x = (struct md_piece){ 0, 0 })
            store_piece(buf + at, x);
        k->blocks(state, buf, 1);
        at = 0;
    }
    for (; at < end - 16; at += 16, x = (struct md_piece){ 0, 0 })
        store_piece(buf + at, x);
    x.high |= k->little ? bits : __builtin_bswap64(bits);
    if (k->count_len == 16) {
        memcpy(&x.low, ctx + k->count_at + 8, 8);
        x.low = __builtin_bswap64(x.low);
    }
    store_piece(buf + at, x);
    k->blocks(state, buf, 1);
    if (k->pad_is_data)
        md_count(k, ctx, (used < end - k->count_len ? end : 2 * end) - used);
}

/* md_store writes the first out_len bytes of the state's words. */
INLINE void md_store(const struct md_kind *k, uint8_t *out, const uint8_t *state)
{
    const int turn = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != k->little;
    for (size_t i = 0; k->word_len == 4 && i < k->out_len; i += 4) {
        uint32_t x;
        memcpy(&x, state + i, 4);
        x = turn ? __builtin_bswap32(x) : x;
        memcpy(out + i, &x, 4);
    }
    for (size_t i = 0; k->word_len == 8 && i < k->out_len; i += 8) {
        uint64_t x;
        memcpy(&x, state + i, 8);
        x = turn ? __builtin_bswap64(x) : x;
        memcpy(out + i, &x, k->out_len - i < 8 ? k->out_len - i : 8);
    }
}

/* md_final wipes the context; if `out` is NULL, it usually leaves the padded context, whose state
 * can be read. */
INLINE void md_final(const struct md_kind *k, uint8_t *out, uint8_t *ctx)
{
    md_pad(k, ctx);
    if (!out && !k->always_wiped)
        return;
    if (out)
        md_store(k, out, ctx + k->state_at);
    wipe_bytes(ctx, k->size);
}

#endif
