/* SPDX-License-Identifier: Apache-2.0 */
#include "../../hmac.h"
#include "sha256_ce.h"

/* HMAC-SHA-256 or -224 (RFC 2104): compresses the message's blocks at `in`, those at `last`, then
 * the outer digest's block.  The inner digest stays in registers from one compression to the next.
 * `out` may lie anywhere, because it is written last. */
TARGET void sha256_hmac_ce(uint8_t *out, const struct hmac_key *key, const uint8_t *in,
                           size_t num_blocks, const uint8_t *last, size_t num_last)
{
    const int cut = key->impl->out_len == 28;
    const uint32_t one = UINT32_C(1) << 31; /* the padding's first bit */
    const uint32x4_t zero = vdupq_n_u32(0);
    struct state s = compress_blocks(load_state(key->inner.w32), in, num_blocks);
    s = compress_blocks(s, last, num_last);

    uint32x4_t w[4] = { s.abcd, s.efgh, zero, zero };
    if (cut)
        w[1] = vsetq_lane_u32(one, w[1], 3);
    else
        w[2] = vsetq_lane_u32(one, w[2], 0);
    w[3] = vsetq_lane_u32(8u * (64u + key->impl->out_len), w[3], 3);
    s = compress(load_state(key->outer.w32), w);
    store_be(out, s.abcd);
    if (cut) {
        const uint8x16_t end = vrev32q_u8(vreinterpretq_u8_u32(s.efgh));
        vst1_u8(out + 16, vget_low_u8(end));
        store_be32(out + 24, vgetq_lane_u32(s.efgh, 2));
    } else {
        store_be(out + 16, s.efgh);
    }
}
