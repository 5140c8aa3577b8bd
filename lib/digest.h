/* SPDX-License-Identifier: Apache-2.0 */
/* Merkle-Damgard padding (FIPS 180-4 section 5.1, RFC 1321 section 3.1), for streams and direct
 * calls.  The last blocks are written in pieces of 16 bytes, because kernels read them so.  A load
 * that spans two stores waits until both have left the CPU's store buffer; the CPU then could not
 * begin the next short message early. */
#ifndef HR_DIGEST_H
#define HR_DIGEST_H

#include "internal.h"

static inline const struct digest_kernel *digest_kernel(const struct digest_impl *impl)
{
    const struct digest_kernel *kernel = atomic_load_explicit(impl->chosen, memory_order_relaxed);
    return kernel ? kernel : digest_choose(impl);
}

/* A piece is 16 bytes as two little-endian words. */
struct piece {
    uint64_t low, high;
};

static inline void store_piece(uint8_t *out, struct piece x)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    const pair words = { HR_LE64(x.low), HR_LE64(x.high) };
    memcpy(out, &words, sizeof words);
}

/* last_bytes returns the n < 8 bytes before `end`; it reads 8. */
static inline uint64_t last_bytes(const uint8_t *end, size_t n)
{
    return load_le64(end - 8) >> 1 >> (63 - 8 * n);
}

/* load_piece returns the n < 16 bytes at p.  It reads no byte after them, and bytes before them
 * only if `before` says that the 8 bytes before p belong to the message.  It branches on lengths
 * only. */
static inline struct piece load_piece(const uint8_t *p, size_t n, int before)
{
    if (n >= 8)
        return (struct piece){ load_le64(p), last_bytes(p + n, n - 8) };
    if (before)
        return (struct piece){ last_bytes(p + n, n), 0 };
    if (n >= 4)
        return (struct piece){ load_le32(p) | (uint64_t)load_le32(p + n - 4) << 8 * (n - 4), 0 };
    if (n)
        return (struct piece){
            p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1), 0
        };
    return (struct piece){ 0, 0 };
}

/* copy_pieces copies n bytes without the last n % 16, which it returns; `before` as in load_piece.
 */
static inline struct piece copy_pieces(uint8_t *out, const uint8_t *in, size_t n, int before)
{
    size_t at = 0;
    for (; at + 16 <= n; at += 16)
        memcpy(out + at, in + at, 16);
    return load_piece(at ? in + at : in, n - at, before || at); /* NULL + 0 is undefined */
}

/* pad_last pads a message of `total` bytes.  Of the `used` bytes of its last block, the last
 * used % 16 are in x, the others in `last`.  It returns the number of bytes of whole blocks that
 * `last` has then. */
static inline size_t pad_last(uint8_t *last, struct piece x, size_t used, size_t block_len,
                              uint64_t total, int little_endian)
{
    const size_t end = used < block_len - block_len / 8 ? block_len : 2 * block_len;
    const uint64_t one = UINT64_C(0x80) << 8 * (used & 7), length = total << 3;
    size_t at = used & ~(size_t)15;
    if (used & 8)
        x.high |= one;
    else
        x.low |= one;
    for (; at < end - 16; at += 16) {
        store_piece(last + at, x);
        x = (struct piece){ 0, 0 };
    }
    /* In a length field of 16 bytes the upper half is zero: a message has at most 2^61 bytes. */
    x.high |= little_endian ? length : bswap64(length);
    store_piece(last + at, x);
    return end;
}

/* store_state writes the first out_len bytes of the chaining value, which may end within a word. */
static inline void store_state(uint8_t *out, const union digest_state *state, size_t out_len,
                               size_t word_len, int little_endian)
{
    if (little_endian) {
        for (size_t i = 0; i < out_len / 4; i++)
            store_le32(out + 4 * i, state->w32[i]);
        return;
    }
    if (word_len == 4) {
        for (size_t i = 0; i < out_len / 4; i++)
            store_be32(out + 4 * i, state->w32[i]);
        return;
    }
    for (size_t i = 0; i < out_len / 8; i++)
        store_be64(out + 8 * i, state->w64[i]);
    if (out_len & 4)
        store_be32(out + out_len - 4, (uint32_t)(state->w64[out_len / 8] >> 32));
}

/* digest_direct digests a whole message without a context: blocks are read from the input, padding
 * is made on the stack.  It is inlined with constant lengths, so that each row's function is
 * specialised. */
static inline __attribute__((always_inline)) void
digest_direct(uint8_t *out, const uint8_t *in, size_t in_len, const struct digest_impl *impl,
              const void *init, size_t out_len, size_t state_len, size_t word_len, size_t block_len,
              int little_endian)
{
    union digest_state state;
    uint8_t last[2 * CHAIN_MAX_BLOCK];
    const size_t used = in_len & (block_len - 1), whole = in_len - used;
    digest_blocks_fn *blocks = digest_kernel(impl)->blocks;

    memcpy(&state, init, state_len);
    if (whole)
        blocks(&state, in, whole / block_len);
    const struct piece rest = copy_pieces(last, whole ? in + whole : in, used, whole > 0);
    const size_t end = pad_last(last, rest, used, block_len, in_len, little_endian);
    blocks(&state, last, end / block_len);
    store_state(out, &state, out_len, word_len, little_endian);
    wipe_bytes(&state, state_len);
    wipe_bytes(last, block_len);
    if (end > block_len)
        wipe_bytes(last + block_len, block_len);
}

/* DIGEST_IMPL defines the struct digest_impl of a digest or checksum, with the file's `kernels` and
 * `chosen`; its last argument is one more initialiser, such as .little_endian = 1. */
#define DIGEST_IMPL(sym, initial, state_bytes, out_bytes, word_bytes, block_bytes, difference) \
    const struct digest_impl sym##_impl = {                                                    \
        .kernels = kernels,                                                                    \
        .num_kernels = COUNT(kernels),                                                         \
        .chosen = &chosen,                                                                     \
        .direct = hr_##sym,                                                                    \
        .init = initial,                                                                       \
        .state_len = state_bytes,                                                              \
        .out_len = out_bytes,                                                                  \
        .block_len = block_bytes,                                                              \
        .word_len = word_bytes,                                                                \
        difference,                                                                            \
    };

#endif
