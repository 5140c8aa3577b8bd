/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of one block by the SHA extensions, two at once: while the rounds of one wait for each
 * other, the CPU does those of the other.  A chain stays in registers. */
#include "../../hash/x86/sha256_shani.h"
#include "../slh_lanes.h"

enum { BLOCK_LEN = 64, VECTORS = 4, STREAMS = 2 };

/* A chain: the block of its next step, and of that the part that no value is in.  A value has two
 * vectors, of which the second is partly or wholly zero if n is below 32. */
struct stream {
    __m128i block[VECTORS], rest[VECTORS], value[2], used;
};

/* Moves bytes up by n, or down by -n, in a vector of big-endian words, in which byte i is i ^ 3. */
#define BYTE(i) (char)((i) >= 0 && (i) < 16 ? (i) ^ 3 : 0x80)
#define BYTES4(i) BYTE((i) + 3), BYTE((i) + 2), BYTE((i) + 1), BYTE(i)
#define MOVED(x, n)   \
    _mm_shuffle_epi8( \
        x, _mm_setr_epi8(BYTES4(0 - (n)), BYTES4(4 - (n)), BYTES4(8 - (n)), BYTES4(12 - (n))))

INLINE void load_blocks(__m128i out[VECTORS], const uint8_t *block)
{
    for (int i = 0; i < VECTORS; i++)
        out[i] = big_endian(_mm_loadu_si128((const __m128i *)block + i));
}

INLINE void begin_stream(struct stream *c, struct slh_lanes *l, size_t lane)
{
    const size_t n = l->key->params->n;
    uint8_t block[BLOCK_LEN], used[16] = { 0 };
    slh_block(block, l, lane, BLOCK_LEN);
    load_blocks(c->block, block);
    memset(block + SLH_SHORT_ADDRESS, 0, n);
    load_blocks(c->rest, block);
    memset(used, 0xff, n - 16);
    c->used = big_endian(_mm_loadu_si128((const __m128i *)used));
    if (l->keeps && !l->digit[lane])
        memcpy(l->kept + lane, l->value + lane, sizeof *l->kept);
    WIPE(&block);
}

/* Makes the block of the next step, whose address is one higher. */
INLINE void next_block(struct stream *c)
{
    enum { AT = SLH_SHORT_ADDRESS % 16 };
    c->rest[1] = _mm_add_epi32(c->rest[1], _mm_setr_epi32(0, 1 << 16, 0, 0));
    c->block[0] = c->rest[0];
    c->block[1] = _mm_or_si128(c->rest[1], MOVED(c->value[0], AT));
    c->block[2] =
        _mm_or_si128(_mm_or_si128(c->rest[2], MOVED(c->value[0], AT - 16)), MOVED(c->value[1], AT));
    c->block[3] = _mm_or_si128(c->rest[3], MOVED(c->value[1], AT - 16));
}

INLINE void store_value(uint8_t *out, const struct stream *c)
{
    _mm_storeu_si128((__m128i *)out, big_endian(c->value[0]));
    _mm_storeu_si128((__m128i *)out + 1, big_endian(c->value[1]));
}

/* Replaces the values of both streams by the hashes of their blocks. */
INLINE void compress_two(struct stream c[STREAMS], struct state seed)
{
    const __m128i *k = constants();
    struct state s[STREAMS] = { seed, seed };
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        four_rounds(&s[0], c[0].block, k, i);
        four_rounds(&s[1], c[1].block, k, i);
    }
    for (int i = 0; i < STREAMS; i++) {
        s[i].abef = _mm_add_epi32(s[i].abef, seed.abef);
        s[i].cdgh = _mm_add_epi32(s[i].cdgh, seed.cdgh);
        words_of(c[i].value, s[i]);
        c[i].value[1] = _mm_and_si128(c[i].value[1], c[i].used);
    }
}

TARGET void slh_sha256_shani(struct slh_lanes *l)
{
    const struct state seed = load_state(l->key->seed256);
    struct stream c[STREAMS];
    for (size_t lane = 0; lane < l->num; lane += STREAMS) {
        const size_t lanes[STREAMS] = { lane, lane + 1 < l->num ? lane + 1 : lane };
        for (int i = 0; i < STREAMS; i++)
            begin_stream(&c[i], l, lanes[i]);
        for (unsigned step = 1; step <= l->steps; step++) {
            compress_two(c, seed);
            for (int i = 0; i < STREAMS; i++) {
                next_block(&c[i]);
                if (l->keeps && l->digit[lanes[i]] == step)
                    store_value(l->kept[lanes[i]], &c[i]);
            }
        }
        for (int i = 0; i < STREAMS; i++)
            store_value(l->value[lanes[i]], &c[i]);
    }
    WIPE(&c);
}
