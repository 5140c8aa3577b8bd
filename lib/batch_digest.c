/* SPDX-License-Identifier: Apache-2.0 */
/* Digests and HMACs in lanes.  A digest consists of two runs: the message's whole blocks, which are
 * read from the caller's memory, and one or two blocks with the rest of the message and the
 * padding.  An HMAC (RFC 2104) starts from the chaining value of its inner key, and has one more
 * block at the end: the inner digest, under the outer key.  If an HMAC's key comes as bytes, there
 * are two more blocks, one before the inner digest and one before the outer; in lanes they cost
 * only a part of the time that they take alone. */
#include "batch_run.h"
#include "digest.h"
#include "keccak/keccak.h"

enum { PHASE_KEY, PHASE_WHOLE, PHASE_LAST, PHASE_OUTER };
enum { RUN_BLOCKS = 64 };     /* the most blocks of a lane in one call of the kernel */
enum { ALONE_BYTES = 16384 }; /* the most bytes of a message alone in one call of its kernel */

#define INLINE static inline __attribute__((always_inline))

/* The properties that all rows of a set share.  They are constants, so that the compiler makes
 * separate code for each set. */
struct shape {
    size_t word_len, block_len, state_len; /* state_len: bytes of 8 words, also for digests with
                                            * fewer */
    int little_endian, sponge;
};
#define SHAPE(word_len, little)                              \
    {                                                        \
        word_len, 16 * (word_len), 8 * (word_len), little, 0 \
    }
#define SPONGE(block_len)                    \
    {                                        \
        8, block_len, 8 * KECCAK_WORDS, 1, 1 \
    }

INLINE union digest_state *state_of(struct digest_batch *b, size_t l, struct shape shape)
{
    return &b->lanes.state[shape.sponge ? SPONGE_STATES * l : l];
}

/* ---- the runs of a message ---- */

/* A kernel reads the blocks with padding right after they are written, so they are written in
 * pieces of 16 bytes (see digest.h for the reason). */

/* Copies `used` bytes from `in` to `last`, but for the last used % 16 bytes.  Returns these with
 * the padding's first byte behind them. */
INLINE struct piece copy_end(uint8_t *last, const uint8_t *in, size_t used, int before)
{
    const uint64_t one = UINT64_C(0x80) << 8 * (used & 7);
    struct piece rest = copy_pieces(last, in, used, before);
    rest.low |= used & 8 ? 0 : one;
    rest.high |= used & 8 ? one : 0;
    return rest;
}

/* Writes the rest of the message and the padding of FIPS 202 section 5.1 to lane->last. */
INLINE void pad_sponge(struct digest_lane *lane, const struct hr_job *job, struct shape shape)
{
    const size_t used = job->len % shape.block_len;
    memset(lane->last, 0, shape.block_len);
    if (used)
        memcpy(lane->last, (const uint8_t *)job->in + job->len - used, used);
    lane->last[used] = KECCAK_SHA3;
    lane->last[shape.block_len - 1] |= 0x80;
    lane->num_last = 1;
}

/* Writes the rest of the message and the padding to lane->last.  The digest has absorbed `before`
 * bytes ahead of the message, which the length field counts too. */
INLINE void pad_message(struct digest_lane *lane, const struct hr_job *job, size_t before,
                        struct shape shape)
{
    const size_t used = job->len & (shape.block_len - 1), whole = job->len - used;
    const uint64_t bits = (before + job->len) << 3;
    uint8_t *end = lane->last + shape.block_len, *at = lane->last;
    struct piece rest = { 0x80, 0 };
    memset(lane->last, 0, shape.block_len);
    lane->num_last = 1;
    if (used) {
        if (used >= shape.block_len - shape.block_len / 8) {
            memset(end, 0, shape.block_len);
            lane->num_last = 2;
            end += shape.block_len;
        }
        rest = copy_end(lane->last, (const uint8_t *)job->in + whole, used, whole > 0);
        at += used & ~(size_t)15;
    }
    store_piece(at, rest);
    rest.low = at == end - 16 ? rest.low : 0;
    rest.high = shape.little_endian ? bits : bswap64(bits);
    store_piece(end - 16, rest);
}

/* Eight bytes of the digest that this chaining value stands for, as a little-endian word. */
INLINE uint64_t digest_bytes(const union digest_state *state, size_t i, struct shape shape)
{
    if (shape.word_len == 8)
        return shape.sponge ? state->w64[i] : bswap64(state->w64[i]);
    const uint64_t x = state->w32[2 * i] | (uint64_t)state->w32[2 * i + 1] << 32;
    return shape.little_endian ? x : bswap64(x) << 32 | bswap64(x) >> 32;
}

/* Writes all words of the chaining value, or the first eight of a sponge's state, as a digest. */
INLINE void store_words(uint8_t *out, const union digest_state *state, struct shape shape)
{
    for (size_t i = 0; i < shape.word_len; i += 2)
        store_piece(out + 8 * i, (struct piece){ digest_bytes(state, i, shape),
                                                 digest_bytes(state, i + 1, shape) });
}

/* Eight bytes at offset `at` of a digest of `len` bytes, a multiple of 4, that is followed by
 * padding.  `x` has the digest's bytes from there on. */
INLINE uint64_t ended_bytes(uint64_t x, size_t at, size_t len)
{
    if (at + 8 <= len)
        return x;
    return at + 4 == len ? (uint32_t)x | UINT64_C(0x80) << 32 : at == len ? 0x80 : 0;
}

/* Makes the last block of the outer digest: the inner digest and the padding. */
INLINE void pad_outer(uint8_t *out, const struct digest_impl *impl, const union digest_state *inner,
                      struct shape shape)
{
    const size_t len = impl->out_len;
    const uint64_t bits = 8 * (shape.block_len + len);
    if (LIKELY(len == shape.state_len)) {
        store_words(out, inner, shape);
    } else {
        for (size_t i = 0; i < shape.word_len; i += 2)
            store_piece(
                out + 8 * i,
                (struct piece){ ended_bytes(digest_bytes(inner, i, shape), 8 * i, len),
                                ended_bytes(digest_bytes(inner, i + 1, shape), 8 * i + 8, len) });
    }
    const struct piece zero = { 0, 0 }, one = { 0x80, 0 };
    store_piece(out + shape.state_len, len == shape.state_len ? one : zero);
    for (size_t at = shape.state_len + 16; at < shape.block_len - 16; at += 16)
        store_piece(out + at, zero);
    store_piece(out + shape.block_len - 16,
                (struct piece){ 0, shape.little_endian ? bits : bswap64(bits) });
}

/* Makes `blocks`, which lie in the lane itself, the lane's next run. */
INLINE void run_own(struct digest_batch *b, size_t l, uint32_t phase, const uint8_t *blocks,
                    uint32_t num_blocks)
{
    b->lane[l].phase = phase;
    b->lanes.in[l] = blocks;
    b->batch.left[l] = (int16_t)num_blocks;
    b->batch.more[l] = 0; /* what a run alone has left */
}

INLINE void run_last(struct digest_batch *b, size_t l)
{
    run_own(b, l, PHASE_LAST, b->lane[l].last, b->lane[l].num_last);
}

INLINE void run_text(struct digest_batch *b, size_t l, struct shape shape)
{
    const struct hr_job *job = b->batch.job[l];
    if (job->len < shape.block_len) {
        run_last(b, l);
        return;
    }
    b->lane[l].phase = PHASE_WHOLE;
    b->lanes.in[l] = job->in;
    set_run(&b->batch, l, job->len / shape.block_len);
}

/* XORs each byte of a block with `pad`. */
INLINE void xor_block(uint8_t *out, const uint8_t *in, uint8_t pad, struct shape shape)
{
    for (size_t i = 0; i < shape.block_len; i++)
        out[i] = in[i] ^ pad;
}

INLINE void pad_key(struct digest_lane *lane, const struct hr_job *job, struct shape shape)
{
    const size_t len = job->key_len;
    memset(lane->pad, 0, sizeof lane->pad);
    if (UNLIKELY(len > shape.block_len))
        lane->impl->direct(lane->pad, job->key, len);
    else
        store_piece(lane->pad + (len & ~(size_t)15), copy_pieces(lane->pad, job->key, len, 0));
    xor_block(lane->pad, lane->pad, IPAD, shape);
}

INLINE void start_message(struct digest_batch *b, size_t l, struct hr_job *job, struct shape shape)
{
    const struct lanes_row *row = &batch_lanes_rows[LANES_PLACE(job->alg)];
    struct digest_lane *lane = &b->lane[l];
    const struct hmac_key *key = row->mac && job->key_form == HR_KEY_OBJECT ? job->key : NULL;
    lane->key = key;
    lane->impl = lanes_digest(row);
    lane->padded = row->mac && !key;
    b->batch.job[l] = job;
    if (shape.sponge) {
        memset(state_of(b, l, shape), 0, shape.state_len);
        pad_sponge(lane, job, shape);
    } else {
        memcpy(&b->lanes.state[l], key ? (const void *)&key->inner : lane->impl->init,
               shape.state_len);
        pad_message(lane, job, row->mac ? shape.block_len : 0, shape);
    }
    if (lane->padded) {
        pad_key(lane, job, shape);
        run_own(b, l, PHASE_KEY, lane->pad, 1);
    } else {
        run_text(b, l, shape);
    }
}

/* Begins the run of HMAC's outer digest. */
INLINE void run_outer(struct digest_batch *b, size_t l, struct shape shape)
{
    struct digest_lane *lane = &b->lane[l];
    union digest_state *state = &b->lanes.state[l];
    const size_t before = lane->key ? 0 : shape.block_len;
    pad_outer(lane->last + before, lane->impl, state, shape);
    if (before) {
        xor_block(lane->last, lane->pad, IPAD ^ OPAD, shape);
        lane->num_last = 2;
    }
    memcpy(state, lane->key ? (const void *)&lane->key->outer : lane->impl->init, shape.state_len);
    run_own(b, l, PHASE_OUTER, lane->last, before ? 2 : 1);
}

/* Writes the tag, which may be shorter than the digest, or verifies the caller's tag. */
static int tag_out(const struct hr_job *job, const union digest_state *state,
                   const struct digest_impl *impl, struct shape shape)
{
    const size_t len = job->tag_len ? job->tag_len : impl->out_len;
    uint8_t tag[HR_DIGEST_MAX_OUT] = { 0 };
    uint32_t differ = 0;
    store_words(tag, state, shape);
    if (job->op == HR_JOB_VERIFY)
        for (size_t i = 0; i < len; i++)
            differ |= tag[i] ^ job->tag[i];
    else
        memcpy(job->tag, tag, len);
    WIPE(&tag);
    differ = ct_hide(differ);
    CT_PUBLIC(&differ, sizeof differ); /* the result of the comparison is public */
    return differ ? HR_EMAC : 0;
}

INLINE int end_message(const struct hr_job *job, const union digest_state *state,
                       const struct digest_impl *impl, struct shape shape)
{
    if (UNLIKELY(job->op == HR_JOB_VERIFY || (job->tag_len && job->tag_len < impl->out_len)))
        return tag_out(job, state, impl, shape);
    if (impl->out_len == shape.state_len)
        store_words(job->tag, state, shape);
    else if (shape.sponge)
        keccak_get(job->tag, state->w64, 0, impl->out_len);
    else
        store_state(job->tag, state, impl->out_len, shape.word_len, shape.little_endian);
    return 0;
}

/* Wipes what is left of a message in a lane that gets no other message.  In a lane that gets one,
 * the next message overwrites the chaining value and the first of the last blocks. */
INLINE void leave_lane(struct digest_batch *b, size_t l, struct shape shape)
{
    struct batch *batch = &b->batch;
    struct digest_lane *lane = &b->lane[l];
    if (lane->padded)
        wipe_bytes(lane->pad, sizeof lane->pad);
    if (UNLIKELY(lane->num_last > 1))
        wipe_bytes(lane->last + shape.block_len, shape.block_len);
    set_idle(batch, l);
    batch->set.live--;
    if (batch->set.live + ring_len(&batch->set.waiting) < batch->set.kernel->lanes) {
        wipe_bytes(lane->last, shape.block_len);
        wipe_bytes(state_of(b, l, shape), shape.state_len);
    }
}

/* To be called when a lane's run has ended: begins the next run or ends the message. */
INLINE void next_run(struct digest_batch *b, size_t l, struct shape shape)
{
    struct digest_lane *lane = &b->lane[l];
    union digest_state *state = state_of(b, l, shape);
    if (lane->phase == PHASE_KEY) {
        run_text(b, l, shape);
    } else if (lane->phase == PHASE_WHOLE) {
        run_last(b, l);
    } else if ((lane->key || lane->padded) && lane->phase == PHASE_LAST) {
        run_outer(b, l, shape);
    } else {
        struct hr_job *job = b->batch.job[l];
        sink_put(b->batch.set.sink, job, end_message(job, state, lane->impl, shape));
        leave_lane(b, l, shape);
    }
}

/* Gives waiting messages to the lanes that have none. */
INLINE void fill_lanes(struct digest_batch *b, struct shape shape)
{
    struct batch *batch = &b->batch;
    const size_t lanes = batch->set.kernel->lanes;
    if (batch->set.live == lanes || !ring_len(&batch->set.waiting))
        return;
    for (size_t l = 0; l < lanes && ring_len(&batch->set.waiting); l++)
        if (!batch->job[l]) {
            start_message(b, l, ring_take(&batch->set.waiting), shape);
            batch->set.live++;
        }
}

/* Idle lanes read the input of a lane that has a message. */
static void point_idle_lanes(struct digest_batch *b)
{
    const size_t lanes = b->batch.set.kernel->lanes;
    const uint8_t *in = b->lanes.in[first_live(&b->batch)];
    for (size_t l = 0; l < lanes; l++)
        if (!b->batch.job[l])
            b->lanes.in[l] = in;
}

INLINE void run(struct digest_batch *b, struct shape shape)
{
    struct batch *batch = &b->batch;
    const size_t lanes = batch->set.kernel->lanes, before = sink_count(batch->set.sink);
    size_t done = 0;
    b->lanes.block_len = shape.block_len;
    do {
        fill_lanes(b, shape);
        const size_t n = shortest_run(batch, RUN_BLOCKS - done);
        if (batch->set.live < lanes)
            point_idle_lanes(b);
        batch->set.kernel->digest(&b->lanes, n);
        for (size_t l = 0; l < lanes; l += 4)
            for (uint64_t bits = four_advance(batch->left + l, n); bits; bits &= bits - 1)
                if (run_ended(batch, l + four_first(bits)))
                    next_run(b, l + four_first(bits), shape);
        done += n;
    } while (done < RUN_BLOCKS && sink_count(batch->set.sink) == before);
}

void digest_batch_run(struct digest_batch *b)
{
    if (b->digest->sponge)
        run(b, (struct shape)SPONGE(b->digest->block_len));
    else if (b->digest->word_len == 8)
        run(b, (struct shape)SHAPE(8, 0));
    else if (b->digest->little_endian)
        run(b, (struct shape)SHAPE(4, 1));
    else
        run(b, (struct shape)SHAPE(4, 0));
}

/* ---- too few messages for lanes ---- */

/* Computes a message that has not begun in a lane.  It uses the direct call where that writes
 * exactly the bytes that the job asks for. */
static void run_direct(struct job_sink *sink, struct hr_job *job)
{
    const struct digest_impl *impl = digest_impl((hr_alg)job->alg);
    if (impl && (!job->tag_len || job->tag_len == impl->out_len)) {
        impl->direct(job->tag, job->in, job->len);
        sink_put(sink, job, 0);
    } else {
        sink_put(sink, job, job_run_one(job));
    }
}

static struct shape shape_of(const struct digest_impl *digest)
{
    if (digest->sponge)
        return (struct shape)SPONGE(digest->block_len);
    return (struct shape)SHAPE(digest->word_len, digest->little_endian);
}

static void next_run_alone(struct digest_batch *b, size_t l)
{
    next_run(b, l, shape_of(b->digest));
}

static __attribute__((noinline)) void start_alone(struct digest_batch *b, struct hr_job *job)
{
    start_message(b, 0, job, shape_of(b->digest));
    b->batch.set.live++;
}

void digest_batch_run_alone(struct digest_batch *b)
{
    struct batch *batch = &b->batch;
    const size_t block_len = b->digest->block_len;
    if (!batch->set.live) {
        struct hr_job *job = ring_take(&batch->set.waiting);
        if (job->len <= ALONE_BYTES) {
            run_direct(batch->set.sink, job);
            return;
        }
        start_alone(b, job);
    }
    const size_t l = first_live(batch);
    digest_blocks_fn *blocks = digest_kernel(b->digest)->blocks;
    for (size_t n, most = ALONE_BYTES / block_len; batch->job[l] && most; most -= n) {
        const size_t whole = whole_run(batch, l);
        n = whole < most ? whole : most;
        blocks(state_of(b, l, shape_of(b->digest)), b->lanes.in[l], n);
        b->lanes.in[l] += n * block_len;
        if (n == whole)
            next_run_alone(b, l);
        else
            set_run(batch, l, whole - n);
    }
}
