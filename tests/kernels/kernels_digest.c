/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one digest kernel: direct, generic and streaming calls, state export, block calls. */
#include "internal.h"
#include "kernels_calls.h"

enum { MAX = 4096 + HR_DIGEST_MAX_BLOCK };

struct subject {
    const struct hr_algorithm *row;
    size_t index, portable; /* kernel numbers */
    const struct digest_impl *impl;
    const struct effort *effort;
    uint8_t *message; /* MAX random bytes */
    struct guarded in, out;
};

/* whole computes the digest of a message in one update on kernel i. */
static void whole(uint8_t *out, const struct subject *s, size_t i, const uint8_t *in, size_t len)
{
    struct hr_digest_ctx ctx;
    must(hr_digest_init_kernel(&ctx, s->row->alg, i), "init_kernel");
    must(hr_digest_update(&ctx, in, len), "update");
    must(hr_digest_final(&ctx, out), "final");
    if (!is_zero(&ctx, hr_digest_size(s->row->alg)))
        complain("final leaves something in the context");
}

/* narrow_cpu makes the CPU one whose best kernel is `index`, because direct and generic calls use
 * the best.  It returns the features before. */
static uint64_t narrow_cpu(const struct subject *s, size_t index)
{
    const uint64_t before = hr_cpu_features();
    cpu_override(s->impl->kernels[index].info.needs);
    if (hr_kernel_chosen(s->row->alg, HR_OP_DIGEST) != (int)index)
        complain("a CPU with just the needs of %s does not choose it",
                 s->impl->kernels[index].info.name);
    return before;
}

static void fold_lengths(const struct subject *s, uint8_t *out, size_t index, int direct)
{
    struct hr_digest_ctx fold;
    uint8_t md[HR_DIGEST_MAX_OUT];
    uint8_t *md_at = s->out.end - s->row->out_len;
    must(hr_digest_init_kernel(&fold, s->row->alg, s->portable), "init_kernel");
    for (size_t n = 0; n <= s->effort->max_len; n += s->effort->len_step) {
        uint8_t *in = direct ? s->in.start : s->in.end - n;
        memcpy(in, s->message, n);
        if (!direct)
            whole(md_at, s, index, in, n);
        else
            direct_digest(s->row->alg)(md_at, in, n);
        if (direct && (hr_digest(md, s->row->alg, in, n) || memcmp(md, md_at, s->row->out_len)))
            complain("direct and generic differ at length %zu", n);
        must(hr_digest_update(&fold, md_at, s->row->out_len), "fold");
    }
    must(hr_digest_final(&fold, out), "fold");
}

static void check_lengths(const struct subject *s)
{
    uint8_t want[HR_DIGEST_MAX_OUT], streamed[HR_DIGEST_MAX_OUT], direct[HR_DIGEST_MAX_OUT];
    fold_lengths(s, want, s->portable, 0);
    fold_lengths(s, streamed, s->index, 0);
    const uint64_t before = narrow_cpu(s, s->index);
    fold_lengths(s, direct, s->index, 1);
    cpu_override(before);
    differs(streamed, want, s->row->out_len, "fold of every length, streaming", s->effort->max_len,
            0);
    differs(direct, want, s->row->out_len, "fold of every length, direct", s->effort->max_len, 0);
}

static void check_splits(const struct subject *s)
{
    for (size_t k = 0; k < s->effort->num_splits; k++) {
        const size_t len = random_below((uint32_t)s->effort->max_len);
        const uint32_t longest = 1 + random_below(k & 1 ? 40 : 900);
        uint8_t want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT];
        struct hr_digest_ctx ctx;
        whole(want, s, s->portable, s->message, len);
        must(hr_digest_init_kernel(&ctx, s->row->alg, s->index), "init_kernel");
        for (size_t at = 0, n; at < len; at += n) {
            n = random_below(longest + 1);
            n = n < len - at ? n : len - at;
            uint8_t *in = k & 2 ? s->in.start : s->in.end - n; /* at either guard page */
            memcpy(in, s->message + at, n);
            must(hr_digest_update(&ctx, in, n), "update");
        }
        must(hr_digest_final(&ctx, got), "final");
        differs(got, want, s->row->out_len, "random split (round, length)", k, len);
    }
}

/* some_length is five blocks and some bytes; for a checksum, more than its kernels process in one
 * step. */
static size_t some_length(const struct subject *s)
{
    return s->impl->checksum ? 1033 : 5 * s->row->block_len + 9;
}

/* check_export checks that an exported state is the same from every kernel, and continues on any
 * kernel. */
static void check_export(const struct subject *s, size_t other)
{
    const size_t len = 2 * s->row->block_len + 40;
    uint8_t want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT];
    uint8_t state[2][HR_DIGEST_MAX_EXPORT];
    size_t state_len[2];
    struct hr_digest_ctx ctx[2];
    whole(want, s, s->portable, s->message, len);
    for (size_t split = 0; split <= len; split++) {
        const size_t kernel[2] = { s->index, other };
        for (size_t i = 0; i < 2; i++) {
            must(hr_digest_init_kernel(&ctx[i], s->row->alg, kernel[i]), "init_kernel");
            must(hr_digest_update(&ctx[i], s->message, split), "update");
            must(hr_digest_export(&ctx[i], state[i], sizeof state[i], &state_len[i]), "export");
        }
        if (state_len[0] != state_len[1] || memcmp(state[0], state[1], state_len[0]))
            complain("kernels %zu and %zu export different states at %zu", s->index, other, split);
        const uint64_t before = narrow_cpu(s, other);
        must(hr_digest_import(&ctx[1], state[0], state_len[0]), "import");
        cpu_override(before);
        for (size_t i = 0; i < 2; i++) {
            must(hr_digest_update(&ctx[i], s->message + split, len - split), "update");
            must(hr_digest_final(&ctx[i], got), "final");
            differs(got, want, s->row->out_len,
                    i ? "import (split, kernel)" : "export (split, kernel)", split, other);
        }
    }
}

union any_state {
    union digest_state chain;
    uint64_t sponge[25];
};

static void init(union any_state *state, const struct subject *s)
{
    memset(state, 0, sizeof *state);
    if (!s->impl->sponge)
        memcpy(state, s->impl->init, s->impl->state_len);
}

/* check_blocks calls the kernel itself, with its state at the guard page, and checks the
 * registers. */
static void check_blocks(const struct subject *s)
{
    const size_t block = s->row->block_len, state_len = s->impl->state_len;
    const size_t most = s->effort->max_len / block;
    uint8_t *state = s->out.end - state_len;
    union any_state want;
    for (size_t n = 1; n <= most; n++) {
        uint8_t *in = n & 1 ? s->in.end - n * block : s->in.start;
        memcpy(in, s->message, n * block);
        init(&want, s);
        memcpy(state, &want, state_len);
        s->impl->kernels[s->portable].blocks(&want, in, n);
        const uintptr_t args[6] = { (uintptr_t)state, (uintptr_t)in, n, 0, 0, 0 };
        int changed = checked_call((void (*)(void))s->impl->kernels[s->index].blocks, args);
        if (changed)
            complain("%zu blocks: %d registers not kept", n, changed);
        if (memcmp(state, &want, state_len))
            complain("%zu blocks: wrong state", n);
    }
}

static void store_words(uint8_t out[HR_DIGEST_MAX_OUT], const struct subject *s,
                        const union digest_state *state)
{
    for (size_t i = 0; i < 8; i++)
        if (s->impl->word_len == 8)
            (s->impl->sponge ? store_le64 : store_be64)(out + 8 * i, state->w64[i]);
        else
            (s->impl->little_endian ? store_le32 : store_be32)(out + 4 * i, state->w32[i]);
}

/* check_length_field checks that the length field (FIPS 180-4 section 5.1, RFC 1321 section 3.2)
 * has all bits of the count of bytes: messages of 2^7 to 2^60 bytes are entered at their end, with
 * the initial value as chaining value. */
static void check_length_field(const struct subject *s)
{
    const size_t block = s->row->block_len, state_len = s->impl->state_len;
    uint8_t state[HR_DIGEST_MAX_EXPORT], last[HR_DIGEST_MAX_BLOCK] = { 0x80 };
    uint8_t got[HR_DIGEST_MAX_OUT], words[HR_DIGEST_MAX_OUT];
    size_t len;
    for (unsigned bit = 7; bit < 61; bit++) {
        const uint64_t total = UINT64_C(1) << bit;
        struct hr_digest_ctx ctx;
        union digest_state want;
        const uint64_t before = narrow_cpu(s, s->index);
        must(hr_digest_init(&ctx, s->row->alg), "init");
        must(hr_digest_export(&ctx, state, sizeof state, &len), "export");
        store_be64(state + 8, total);
        must(hr_digest_import(&ctx, state, len), "import");
        must(hr_digest_final(&ctx, got), "final");
        cpu_override(before);
        (s->impl->little_endian ? store_le64 : store_be64)(last + block - 8, total << 3);
        memcpy(&want, s->impl->init, state_len);
        s->impl->kernels[s->portable].blocks(&want, last, 1);
        store_words(words, s, &want);
        differs(got, words, s->row->out_len, "length field (bit)", bit, 0);
    }
}

/* check_compress passes blocks in any parts to hr_digest_compress, then the padding, and compares
 * the result with the digest. */
static void check_compress(const struct subject *s)
{
    const size_t block = s->row->block_len, num_blocks = 5, len = num_blocks * block;
    const hr_alg alg = s->row->alg;
    uint8_t want[HR_DIGEST_MAX_OUT], words[HR_DIGEST_MAX_OUT], last[HR_DIGEST_MAX_BLOCK] = { 0x80 };
    whole(want, s, s->portable, s->message, len);
    if (s->impl->sponge) { /* FIPS 202 section B.2 */
        last[0] = 0x06;
        last[block - 1] = 0x80;
    } else {
        (s->impl->little_endian ? store_le64 : store_be64)(last + block - 8, (uint64_t)len << 3);
    }
    const uint64_t before = narrow_cpu(s, s->index);
    for (size_t split = 0; split <= num_blocks; split++) {
        const size_t rest = num_blocks - split;
        union any_state state;
        init(&state, s);
        memcpy(s->in.end - len, s->message, len);
        must(hr_digest_compress(&state, alg, s->in.end - len, split), "compress");
        must(hr_digest_compress(&state, alg, s->in.end - rest * block, rest), "compress");
        must(hr_digest_compress(&state, alg, last, 1), "compress");
        store_words(words, s, &state.chain);
        differs(words, want, s->row->out_len, "compress (split)", split, 0);
    }
    cpu_override(before);
}

static void check_dead_context(const struct subject *s)
{
    struct hr_digest_ctx ctx;
    uint8_t out[HR_DIGEST_MAX_OUT];
    must(hr_digest_init_kernel(&ctx, s->row->alg, s->index), "init_kernel");
    must(hr_digest_update(&ctx, s->message, 100), "update");
    must(hr_digest_final(&ctx, out), "final");
    if (hr_digest_final(&ctx, out) != HR_ESTATE || hr_digest_update(&ctx, out, 1) != HR_ESTATE)
        complain("a context goes on after final");
}

static int direct(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    direct_digest(((const struct subject *)subject)->row->alg)(out, in, len);
    return 0;
}

static int generic(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    return hr_digest(out, ((const struct subject *)subject)->row->alg, in, len);
}

static const uint8_t *want(const void *subject, size_t len)
{
    static uint8_t out[HR_DIGEST_MAX_OUT];
    const struct subject *const s = subject;
    whole(out, s, s->portable, s->message, len);
    return out;
}

static void check_calls(const struct subject *s)
{
    const struct calls calls = { s,         direct,     generic, want,  s->row->out_len,
                                 s->effort, s->message, s->in,   s->out };
    const uint64_t before = narrow_cpu(s, s->index);
    check_alignments(&calls, some_length(s));
    check_out_inside_in(&calls, 3 * s->row->block_len + 1);
    cpu_override(before);
}

int check_digest_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort)
{
    static uint8_t message[MAX];
    static struct guarded in, out;
    if (!in.start) {
        in = guarded_new(MAX);
        out = guarded_new(MAX);
        random_bytes(message, sizeof message);
    }
    const struct subject s = {
        row, index, last_kernel(row, HR_OP_DIGEST), digest_impl(row->alg), effort, message, in, out
    };
    int before = complaints_so_far();
    check_lengths(&s);
    check_splits(&s);
    check_calls(&s);
    for (size_t other = 0; other <= s.portable; other++)
        if (!cannot_run(s.impl->kernels[other].info.needs))
            check_export(&s, other);
    check_blocks(&s);
    if (!s.impl->checksum && !s.impl->sponge) /* these have no length field */
        check_length_field(&s);
    if (!s.impl->checksum)
        check_compress(&s);
    check_dead_context(&s);
    return complaints_so_far() - before;
}
