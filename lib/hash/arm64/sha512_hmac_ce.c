/* SPDX-License-Identifier: Apache-2.0 */
#include "../../hmac.h"
#include "sha512_ce.h"

/* How the inner digest ends in the outer digest's block, by the digest's length: the first eight
 * words of that block are (chaining value & keep) | pad, the next two are pad[8] and pad[9]. */
struct ending {
    uint64_t keep[8], pad[10];
};
#define ALL UINT64_MAX
#define TOP (UINT64_C(1) << 63)
static const struct ending ending28 = { { ALL, ALL, ALL, ALL << 32 }, { 0, 0, 0, TOP >> 32 } },
                           ending32 = { { ALL, ALL, ALL, ALL }, { 0, 0, 0, 0, TOP } },
                           ending48 = { { ALL, ALL, ALL, ALL, ALL, ALL },
                                        { 0, 0, 0, 0, 0, 0, TOP } },
                           ending64 = { { ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL },
                                        { 0, 0, 0, 0, 0, 0, 0, 0, TOP } };

INLINE const struct ending *ending_of(size_t out_len)
{
    if (out_len == 64)
        return &ending64;
    if (out_len == 48)
        return &ending48;
    return out_len == 32 ? &ending32 : &ending28;
}

/* HMAC with SHA-512, SHA-384 or SHA-512/t (RFC 2104): compresses the message's blocks at `in`,
 * those at `last`, then the outer digest's block.  The inner digest stays in registers from one
 * compression to the next.  `out` may lie anywhere, because it is written last. */
TARGET void sha512_hmac_ce(uint8_t *out, const struct hmac_key *key, const uint8_t *in,
                           size_t num_blocks, const uint8_t *last, size_t num_last)
{
    const size_t out_len = key->impl->out_len;
    const struct ending *end = ending_of(out_len);
    uint64x2_t w[8];
    struct state s = compress_blocks(load_state(key->inner.w64), in, num_blocks);
    s = compress_blocks(s, last, num_last);

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        w[i] = vorrq_u64(vandq_u64(s.pair[i], vld1q_u64(end->keep + 2 * i)),
                         vld1q_u64(end->pad + 2 * i));
    w[4] = vld1q_u64(end->pad + 8);
    w[5] = w[6] = vdupq_n_u64(0);
    w[7] = vcombine_u64(vcreate_u64(0), vcreate_u64(8 * (128 + out_len)));
    s = compress(load_state(key->outer.w64), w);
    store_be(out, s.pair[0]);
    if (out_len == 28) {
        store_be64(out + 16, vgetq_lane_u64(s.pair[1], 0));
        store_be32(out + 24, (uint32_t)(vgetq_lane_u64(s.pair[1], 1) >> 32));
        return;
    }
    store_be(out + 16, s.pair[1]);
    if (out_len >= 48)
        store_be(out + 32, s.pair[2]);
    if (out_len == 64)
        store_be(out + 48, s.pair[3]);
}
