/* SPDX-License-Identifier: Apache-2.0 */
#include "../../hmac.h"
#include "sha1_ce.h"

/* HMAC-SHA-1 (RFC 2104): compresses the message's blocks at `in`, those at `last`, then the outer
 * digest's block.  The inner digest stays in registers from one compression to the next.  `out` may
 * lie anywhere, because it is written last. */
TARGET void sha1_hmac_ce(uint8_t *out, const struct hmac_key *key, const uint8_t *in,
                         size_t num_blocks, const uint8_t *last, size_t num_last)
{
    /* The padding after the inner digest: its first bit, and the length in bits. */
    static const uint32_t pad[2][4] = { { 0, UINT32_C(1) << 31 }, { 0, 0, 0, 8 * (64 + 20) } };
    struct state s = compress_blocks(load_state(key->inner.w32), in, num_blocks);
    s = compress_blocks(s, last, num_last);

    uint32x4_t w[4] = { s.abcd, vcopyq_laneq_u32(vld1q_u32(pad[0]), 0, s.e, 0), vdupq_n_u32(0),
                        vld1q_u32(pad[1]) };
    s = compress(load_state(key->outer.w32), w);
    vst1q_u8(out, vrev32q_u8(vreinterpretq_u8_u32(s.abcd)));
    store_be32(out + 16, vgetq_lane_u32(s.e, 0));
}
