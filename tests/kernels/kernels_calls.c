/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_calls.h"

enum { MAX_OVERLAP = 3 * HR_CIPHER_MAX_BLOCK };

static size_t out_len(const struct calls *c, size_t len)
{
    return c->out_len ? c->out_len : len;
}

void check_alignments(const struct calls *c, size_t len)
{
    const uint8_t *const want = c->want(c->subject, len);
    const size_t num = c->effort->num_alignments;
    for (size_t in = 0; in < num; in++) {
        memcpy(c->in.start + in, c->message, len);
        for (size_t out = 0; out < num; out++) {
            must(c->direct(c->subject, c->out.start + out, c->in.start + in, len), "direct");
            differs(c->out.start + out, want, out_len(c, len), "alignment (in, out)", in, out);
        }
    }
    for (size_t at = 0; at < num && !c->out_len; at++) {
        memcpy(c->in.start + at, c->message, len);
        must(c->direct(c->subject, c->in.start + at, c->in.start + at, len), "direct");
        differs(c->in.start + at, want, len, "alignment in place", at, 0);
    }
}

void check_short(const struct calls *c, size_t first, size_t step)
{
    for (size_t len = first; len <= MAX_SHORT; len += step) {
        const uint8_t *const want = c->want(c->subject, len);
        for (size_t at = 0; at < NUM_SHORT_ALIGNMENTS; at += c->effort->short_step) {
            uint8_t *const in = c->in.end - len - at, *const out =
                                                          c->out.end - out_len(c, len) - at;
            memcpy(in, c->message, len);
            must(c->direct(c->subject, out, in, len), "direct");
            differs(out, want, out_len(c, len), "short (length, before the page)", len, at);
        }
    }
}

void check_out_inside_in(const struct calls *c, size_t len)
{
    const uint8_t *const want = c->want(c->subject, len);
    call_fn *const calls[] = { c->direct, c->generic };
    for (size_t at = 0; at + c->out_len <= len; at++)
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
            memcpy(c->in.start, c->message, len);
            must(calls[i](c->subject, c->in.start + at, c->in.start, len), "out inside in");
            differs(c->in.start + at, want, c->out_len, "out inside in (place, call)", at, i);
        }
}

void check_overlap(const struct calls *c, size_t len)
{
    const uint8_t *const want = c->want(c->subject, len);
    for (size_t out_at = 0; out_at <= 2 * len; out_at++) {
        uint8_t *base = c->in.start, *in = base + len, *out = base + out_at, before[MAX_OVERLAP];
        const int free = out_at == len || out_at == 0 || out_at == 2 * len;
        memset(base, 0x77, 3 * len);
        memcpy(in, c->message, len);
        memcpy(before, out, len);
        const int error = (out_at & 1 ? c->direct : c->generic)(c->subject, out, in, len);
        if (error != (free ? 0 : HR_EOVERLAP))
            complain("overlap by %zu of %zu: error %d", out_at, len, error);
        differs(out, free ? want : before, len, "overlap", out_at, 0);
    }
}
