/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES without AES instructions: the tweaks that aes_xts.h wants, and its kernels.  A kernel's
 * file includes this after aes_vec_<isa>.h. */
#include "../xts.h"

#define WIDE BATCH

struct tweaks {
    vec t;
};

/* Returns t x: each half is doubled, and its top bit is carried to the other half. */
INLINE TARGET vec next_tweak(vec t)
{
    static const uint8_t tops[16] = { 15, 128, 128, 128, 128, 128, 128, 128,
                                      7,  128, 128, 128, 128, 128, 128, 128 };
    static const uint8_t carries[16] = { 0x87, [8] = 1 };
    const vec carried = bytes_with(look(t, spread(tops)), 0x80) & spread(carries);
    return add64(t, t) ^ carried;
}

INLINE TARGET struct tweaks first_tweaks(block t)
{
    return (struct tweaks){ blocks_before(t, next_tweak(t)) };
}

INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const vec now = tweaks->t;
    for (unsigned i = 0; i < LANES; i++)
        tweaks->t = next_tweak(tweaks->t);
    return now;
}

/* Indices for look(): read from offset 16 - n on, they move bytes n places up, from 16 + n on, n
 * places down. */
static const uint8_t moves[48] = {
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
};

INLINE TARGET block with_end(block whole, block last, size_t part)
{
    const block down = load16(moves + 32 - part);
    return look(last, down) ^ (whole & bytes_with(down, 0x80));
}

INLINE TARGET block begin_behind(block whole, size_t part)
{
    return look(whole, load16(moves + part));
}

/* The tweak's key encrypts one block, so it is never converted. */
#define XTS_KERNEL(stem, op)                                                    \
    TARGET int KERNEL(stem)(uint8_t * out, const uint8_t *in, size_t len,       \
                            const struct xts_key *key, const uint8_t iv[16])    \
    {                                                                           \
        struct soft_keys k;                                                     \
        const enum soft_use use = op == HR_OP_ENCRYPT ? FORTH : BACK;           \
        const struct aes_key *data = soft_begin(&k, &key->data, use, len / 16); \
        xts(out, in, len, key, data, iv, op, key->data.rounds);                 \
        soft_end(&k, use, len / 16);                                            \
        return 0;                                                               \
    }

#include "aes_xts.h"
