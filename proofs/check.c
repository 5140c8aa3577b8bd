/* SPDX-License-Identifier: Apache-2.0 */
/* A request that accel/service/check.h lets pass touches nothing outside of the window, and no
 * output touches anything else of its request: for all numbers that a client can write.  For CBMC,
 * which looks at every value; cbmc.sh runs it on each function named proof_... except proof_more,
 * for which CBMC takes too long.  The accesses are those of accel/service/request.c: copy_far,
 * gather, scatter, point, prepare_far, request_step. */
#include "service/check.h"

#define CLAIM(condition) __CPROVER_assert(condition, #condition)
#define GIVEN(condition) __CPROVER_assume(condition)

/* ---- any values: what is not initialised is anything, to CBMC ---- */

static struct ring_request any_request(void)
{
    struct ring_request any;
    return any;
}
static struct rules any_rules(void)
{
    struct rules any;
    GIVEN(any.op.out == HR_OUT_NONE || any.op.out == HR_OUT_SAME);
    return any;
}

/* ---- a span ---- */

void proof_span(void)
{
    struct span s, t;
    uint64_t size;
    if (span_inside(s, size)) {
        CLAIM(s.at + s.len >= s.at); /* no wrap */
        CLAIM(s.at + s.len <= size);
    }
    if (span_inside(s, size) && span_inside(t, size) && s.len && t.len && span_apart(s, t)) {
        uint64_t byte;
        GIVEN(byte >= s.at && byte - s.at < s.len);
        CLAIM(!(byte >= t.at && byte - t.at < t.len)); /* no byte is in both */
    }
}

/* ---- a request ---- */

static bool inside(uint64_t at, uint64_t len, uint64_t size)
{
    return !len || (at < size && len <= size - at);
}

static bool apart(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
    return !a_len || !b_len || a + a_len <= b || b + b_len <= a;
}

static bool passes(const struct ring_request *q, const struct ring_more *more,
                   const struct rules *rules, struct tag_place *place, uint32_t row_tag,
                   uint32_t size)
{
    return !check_flags(q, rules) && !check_far(q, rules) &&
           (!more || (span_inside((struct span){ q->u.far.more, sizeof *more }, size) &&
                      more->num_parts <= RING_MAX_PARTS && !check_more(q, more, rules))) &&
           !tag_place_make(place, q, more, rules, row_tag) &&
           !check_places(q, more, rules, place, size);
}

static void tag_is_inside(const struct tag_place *place, uint32_t row_tag, uint64_t size)
{
    CLAIM(place->tag_len <= row_tag);
    CLAIM(!place->tag_in_window || inside(place->tag_at, place->tag_len, size));
    CLAIM(place->tag_in_window || place->tag_is_input || place->returned <= RING_INLINE);
}

/* proof_far is about far requests without a struct ring_more, as most are. */
void proof_far(void)
{
    const struct ring_request q = any_request();
    const struct ring_far *far = &q.u.far;
    const struct rules rules = any_rules();
    struct tag_place place;
    uint32_t size, row_tag;
    GIVEN(size <= 16u << 20 && row_tag <= HR_DIGEST_MAX_OUT);
    GIVEN(q.flags & RING_FAR && !(q.flags & RING_MORE));
    if (!passes(&q, NULL, &rules, &place, row_tag, size))
        return;
    tag_is_inside(&place, row_tag, size);
    CLAIM(inside(far->in, q.len, size));
    CLAIM(!rules.op.out || inside(far->out, q.len, size));
    CLAIM(inside(far->aad, far->aad_len, size));
    CLAIM(inside(far->key, q.key_len, size));
    CLAIM(q.iv_len <= sizeof far->iv);
    if (rules.op.out) {
        CLAIM(apart(far->out, q.len, far->in, q.len));
        CLAIM(apart(far->out, q.len, far->aad, far->aad_len));
        CLAIM(apart(far->out, q.len, far->key, q.key_len));
        CLAIM(!place.tag_in_window || apart(far->out, q.len, place.tag_at, place.tag_len));
    }
    if (place.tag_in_window && !place.tag_is_input) {
        CLAIM(apart(place.tag_at, place.tag_len, far->in, q.len));
        CLAIM(apart(place.tag_at, place.tag_len, far->key, q.key_len));
    }
}

/* proof_more is about far requests with a struct ring_more.  PARTS bounds the number of parts,
 * since the number of pairs that may overlap grows with its square. */
void proof_more(void)
{
    const struct ring_request q = any_request();
    struct ring_more more;
    const struct rules rules = any_rules();
    struct tag_place place;
    uint32_t size, row_tag, i, j;
    GIVEN(size <= 16u << 20 && row_tag <= HR_DIGEST_MAX_OUT);
    GIVEN(q.flags & RING_FAR && q.flags & RING_MORE && more.num_parts <= PARTS);
    if (!passes(&q, &more, &rules, &place, row_tag, size))
        return;
    tag_is_inside(&place, row_tag, size);
    CLAIM(inside(q.u.far.aad, q.u.far.aad_len, size));
    CLAIM(inside(q.u.far.key, q.key_len, size));
    CLAIM(inside(q.u.far.more, sizeof more, size));
    CLAIM(q.iv_len <= 16 || inside(more.iv, q.iv_len, size));
    CLAIM(!more.state_in || inside(more.state_in, more.state_in_len, size));
    CLAIM(more.state_in_len <= HR_DIGEST_MAX_EXPORT);
    CLAIM(!more.state_out || inside(more.state_out, HR_DIGEST_MAX_EXPORT, size));
    CLAIM(!(q.flags & RING_HANDLE) || (!more.state_in && !more.state_out));
    if (!more.num_parts)
        return;
    GIVEN(i < more.num_parts && j < more.num_parts);
    CLAIM(inside(more.parts[i].in, more.parts[i].len, size));
    CLAIM(more.parts[i].len && more.parts[i].len <= q.len);
    if (rules.op.out) {
        CLAIM(inside(more.parts[i].out, more.parts[i].len, size));
        CLAIM(apart(more.parts[i].out, more.parts[i].len, more.parts[j].in, more.parts[j].len));
        CLAIM(i == j ||
              apart(more.parts[i].out, more.parts[i].len, more.parts[j].out, more.parts[j].len));
        CLAIM(apart(more.parts[i].out, more.parts[i].len, q.u.far.more, sizeof more));
    }
}

/* proof_inline: all that an inline request reads is in its `bytes`, and all that it writes fits the
 * completion's. */
void proof_inline(void)
{
    const struct ring_request q = any_request();
    const struct rules rules = any_rules();
    struct tag_place place;
    uint32_t row_tag;
    GIVEN(row_tag <= HR_DIGEST_MAX_OUT && !(q.flags & RING_FAR));
    if (check_flags(&q, &rules) || tag_place_make(&place, &q, NULL, &rules, row_tag) ||
        check_inline(&q, &place) || place.returned > RING_INLINE)
        return;
    const uint64_t key_len = q.flags & RING_HANDLE ? 8 : q.key_len;
    CLAIM(key_len + q.iv_len + (uint64_t)q.len + (place.tag_is_input ? place.tag_len : 0) <=
          RING_INLINE);
    CLAIM((rules.op.out ? (uint64_t)q.len : 0) + (place.tag_is_input ? 0 : place.tag_len) <=
          place.returned);
}

/* ---- numbers ---- */

/* proof_slots: two requests, or two completions, that are outstanding at once never have the same
 * slot, however their numbers wrap. */
void proof_slots(void)
{
    uint32_t next, completed, a, b;
    GIVEN(next - completed <= RING_DEPTH);
    CLAIM(!ring_may_take(next, completed) || next + 1 - completed <= RING_DEPTH);
    GIVEN(a != b && a - completed < next - completed && b - completed < next - completed);
    CLAIM(a % RING_DEPTH != b % RING_DEPTH);
    CLAIM(a + 1 != b + 1 - RING_DEPTH); /* an old number is never taken for a new one */
}

void proof_claims(void)
{
    uint64_t claimed, i;
    uint32_t num_rings;
    GIVEN(num_rings >= 1 && num_rings <= RING_MAX_RINGS && i < 64);
    CLAIM(!(rings_claimed(claimed, num_rings) >> i & 1) || i < num_rings);
}
