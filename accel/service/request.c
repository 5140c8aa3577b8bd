/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor in shared memory may change at any time, and so may the window.  So all numbers and
 * keys are copied once, and only the copies are checked and used.  Data is processed where it is,
 * unless it is processed in two passes or the result must vouch for it: for MACs and AEADs it is
 * copied too, and the output of an AEAD reaches the window only if the tag was right.  So are
 * messages in parts that cut a cipher's blocks. */
#define _GNU_SOURCE
#include "request.h"
#include <string.h>

/* ---- private memory ---- */

static void *take(struct arena *arena, size_t len)
{
    uint8_t *at = arena->base + arena->used;
    len = (len + 63) & ~(size_t)63;
    if (len > arena->len - arena->used)
        return NULL;
    arena->used += len;
    return at;
}

static void *take_copy(struct arena *arena, const void *from, size_t len)
{
    void *to = take(arena, len);
    if (to)
        memcpy(to, from, len);
    SETTLE();
    return to;
}

/* ---- judging ---- */

/* find_rules sets l->rules and l->row_tag by the class of the request's row; HR_ALG_NONE is a copy.
 * It returns 0, or HR_EALG if there is no such row or its class has no jobs. */
static int find_rules(struct link *l)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)l->q.alg);
    const struct hr_class_info *info = hr_class_of(row);
    if ((l->q.alg && !row) || !info->ops[0].word)
        return HR_EALG;
    l->rules.has = info->has;
    l->rules.op = info->ops[l->q.op < HR_JOB_MAX_OPS ? l->q.op : HR_JOB_MAX_OPS];
    l->rules.is_cipher = row && row->cls == HR_CLASS_CIPHER;
    l->row_tag = row ? row->out_len : 0;
    l->cut = l->rules.op.in == HR_IN_UNIT ? 0 : l->rules.op.in == HR_IN_BLOCKS ? row->block_len : 1;
    return 0;
}

static int copy_more(struct link *l, const struct view *window, struct arena *arena)
{
    const struct span at = { l->q.u.far.more, sizeof(struct ring_more) };
    const size_t head = offsetof(struct ring_more, parts);
    if (!span_inside(at, window->len))
        return HR_EINVAL;
    struct ring_more *more = take(arena, sizeof *more);
    if (!more)
        return REQUEST_LATER;
    memcpy(more, window->base + at.at, head);
    SETTLE();
    if (more->num_parts > RING_MAX_PARTS)
        return HR_EINVAL;
    memcpy(more->parts, window->base + at.at + head, more->num_parts * sizeof more->parts[0]);
    SETTLE();
    l->more = more;
    return check_more(&l->q, more, &l->rules);
}

static int copy_far(struct link *l, const struct view *window, struct arena *arena)
{
    const struct ring_far *far = &l->q.u.far;
    l->iv = far->iv;
    if (l->q.key_len && !(l->key = take_copy(arena, window->base + far->key, l->q.key_len)))
        return REQUEST_LATER;
    if (!l->more)
        return 0;
    if (l->more->iv && !(l->iv = take_copy(arena, window->base + l->more->iv, l->q.iv_len)))
        return REQUEST_LATER;
    if (l->more->state_in &&
        !(l->state_in = take_copy(arena, window->base + l->more->state_in, l->more->state_in_len)))
        return REQUEST_LATER;
    return 0;
}

static int judge_inline(struct link *l)
{
    int error = tag_place_make(&l->place, &l->q, NULL, &l->rules, l->row_tag);
    if (!error)
        error = check_inline(&l->q, &l->place);
    l->key = l->q.u.bytes;
    l->iv = l->key + (l->q.flags & RING_HANDLE ? 8 : l->q.key_len);
    return error;
}

/* is_copied tells whether the data of a request in the window is copied to private memory. */
static bool is_copied(const struct link *l)
{
    if (!(l->rules.has & HR_HAS_SHARED))
        return true;
    for (uint32_t i = 0; l->more && i < l->more->num_parts; i++)
        if (!l->cut || l->more->parts[i].len % l->cut)
            return true;
    return false;
}

static int judge_far(struct link *l, const struct view *window, struct arena *arena)
{
    int error = check_far(&l->q, &l->rules);
    if (!error && l->q.flags & RING_MORE)
        error = copy_more(l, window, arena);
    if (!error)
        error = tag_place_make(&l->place, &l->q, l->more, &l->rules, l->row_tag);
    if (!error)
        error = check_places(&l->q, l->more, &l->rules, &l->place, window->len);
    l->is_copied = !error && is_copied(l);
    return error ? error : copy_far(l, window, arena);
}

/* judge checks l->q and copies everything that it refers to except data, AAD and an input tag. */
static int judge(struct link *l, const struct view *window, struct arena *arena)
{
    l->more = NULL;
    l->key = l->state_in = NULL;
    int error = find_rules(l);
    if (!error)
        error = check_flags(&l->q, &l->rules);
    if (error)
        return error;
    if (!(l->q.flags & RING_FAR))
        return judge_inline(l);
    return judge_far(l, window, arena);
}

static int copy_next(struct link *l, uint32_t at, const struct view *window)
{
    if (!span_inside((struct span){ at, sizeof l->q }, window->len))
        return HR_EINVAL;
    memcpy(&l->q, window->base + at, sizeof l->q);
    SETTLE();
    return atomic_load_explicit(&l->q.seq, memory_order_relaxed) ? HR_EINVAL : 0;
}

static int judge_chain(struct request *r, const struct view *window, struct arena *arena)
{
    for (;;) {
        struct link *l = &r->links[r->num_links++];
        int error = judge(l, window, arena);
        if (error || !l->more || !l->more->next)
            return error;
        if (r->num_links == RING_MAX_CHAIN)
            return HR_EINVAL;
        error = copy_next(&r->links[r->num_links], l->more->next, window);
        if (error)
            return error;
    }
}

/* judge_sums checks what the links share: one completion, RING_MAX_BYTES, one exported state. */
static int judge_sums(const struct request *r)
{
    uint32_t returned = 0, states = 0;
    for (uint32_t i = 0; i < r->num_links; i++) {
        const struct link *l = &r->links[i];
        returned += l->place.returned;
        states += l->more && l->more->state_out;
    }
    if (returned > RING_INLINE || request_bytes(r) > RING_MAX_BYTES)
        return HR_ELENGTH;
    return states > 1 ? HR_EINVAL : 0;
}

/* ---- data ---- */

/* payload_len returns the length of private memory for a link's data and AAD. */
static size_t payload_len(const struct link *l)
{
    if (!(l->q.flags & RING_FAR) || !l->is_copied)
        return 0;
    return ((size_t)l->q.len + 63) / 64 * 64 + l->q.u.far.aad_len;
}

static int take_payload(struct request *r, struct arena *arena)
{
    size_t len = 0, parts = 0, states = 0;
    for (uint32_t i = 0; i < r->num_links; i++) {
        const struct link *l = &r->links[i];
        const size_t wants = payload_len(l);
        len = wants > len ? wants : len;
        parts |= l->more && l->more->num_parts;
        states |= l->more && l->more->state_out;
    }
    r->payload = len ? take(arena, len) : NULL;
    r->segments = parts ? take(arena, RING_MAX_PARTS * sizeof *r->segments) : NULL;
    r->state = states ? take(arena, HR_DIGEST_MAX_EXPORT) : NULL;
    const int lacks = (len && !r->payload) || (parts && !r->segments) || (states && !r->state);
    return lacks ? REQUEST_LATER : 0;
}

static void gather(struct request *r, const struct link *l, const struct view *window)
{
    const struct ring_far *far = &l->q.u.far;
    uint8_t *to = r->payload;
    for (uint32_t i = 0; l->more && i < l->more->num_parts; i++) {
        memcpy(to, window->base + l->more->parts[i].in, l->more->parts[i].len);
        to += l->more->parts[i].len;
    }
    if (to == r->payload && l->q.len)
        memcpy(to, window->base + far->in, l->q.len);
    uint8_t *aad = r->payload + ((size_t)l->q.len + 63) / 64 * 64;
    if (far->aad_len)
        memcpy(aad, window->base + far->aad, far->aad_len);
    SETTLE();
    r->job.in = r->payload;
    r->job.out = l->rules.op.out ? r->payload : NULL;
    r->job.aad = aad;
}

static void scatter(const struct request *r, const struct link *l, const struct view *window)
{
    const uint8_t *from = r->payload;
    for (uint32_t i = 0; l->more && i < l->more->num_parts; i++) {
        memcpy(window->base + l->more->parts[i].out, from, l->more->parts[i].len);
        from += l->more->parts[i].len;
    }
    if (from == r->payload && l->q.len)
        memcpy(window->base + l->q.u.far.out, from, l->q.len);
}

/* point lets the job work on the data where it lies. */
static void point(struct request *r, const struct link *l, const struct view *window)
{
    const struct ring_far *far = &l->q.u.far;
    const uint32_t num_parts = l->more ? l->more->num_parts : 0;
    for (uint32_t i = 0; i < num_parts; i++) {
        const struct ring_part *part = &l->more->parts[i];
        r->segments[i] =
            (struct hr_segment){ window->base + part->in,
                                 l->rules.op.out ? window->base + part->out : NULL, part->len };
    }
    r->job.segments = num_parts ? r->segments : NULL;
    r->job.num_segments = num_parts;
    if (l->q.len && !num_parts) {
        r->job.in = window->base + far->in;
        r->job.out = l->rules.op.out ? window->base + far->out : NULL;
    }
}

static void prepare_inline(struct request *r, const struct link *l)
{
    r->job.in = l->iv + l->q.iv_len;
    if (l->place.tag_is_input)
        memcpy(r->tag, l->iv + l->q.iv_len + l->q.len, l->place.tag_len);
    if (l->rules.op.out)
        r->job.out = r->bytes + r->returned;
    if (l->place.tag_len && !l->place.tag_is_input)
        r->job.tag = r->bytes + r->returned + rules_out_len(&l->rules, l->q.len);
}

static void prepare_far(struct request *r, const struct link *l, const struct view *window)
{
    if (l->is_copied && r->payload)
        gather(r, l, window);
    else
        point(r, l, window);
    r->job.aad_len = l->q.u.far.aad_len;
    if (l->place.tag_is_input)
        memcpy(r->tag, window->base + l->place.tag_at, l->place.tag_len);
    else if (l->place.tag_len && !l->place.tag_in_window)
        r->job.tag = r->bytes + r->returned;
    SETTLE();
    if (!l->more)
        return;
    r->job.state_in = l->state_in;
    r->job.state_in_len = l->more->state_in_len;
    r->job.state_out = l->more->state_out ? r->state : NULL;
}

/* prepare_key gives the job the key as the request has it; find_key may expand it later. */
static void prepare_key(struct request *r, const struct link *l)
{
    struct hr_job *job = &r->job;
    job->key = l->key;
    job->key_len = l->q.key_len;
    job->key_form = l->q.flags & RING_HANDLE    ? HR_KEY_HANDLE
                    : l->rules.has & HR_HAS_KEY ? HR_KEY_BYTES
                                                : HR_KEY_NONE;
    if (l->q.flags & RING_HANDLE)
        memcpy(&job->handle, l->q.flags & RING_FAR ? (const void *)&l->q.u.far.handle : l->key, 8);
}

/* prepare makes the job of the link r->links[r->at]. */
APART static void prepare(struct request *r, const struct view *window)
{
    const struct link *l = &r->links[r->at];
    struct hr_job *job = &r->job;
    memset(job, 0, sizeof *job);
    job->alg = l->q.alg;
    job->op = l->q.op;
    job->tag_len = (uint8_t)l->place.tag_len;
    job->tag = l->place.tag_len ? r->tag : NULL;
    job->iv = l->iv;
    job->iv_len = l->q.iv_len;
    job->len = l->q.len;
    prepare_key(r, l);
    if (l->q.flags & RING_FAR)
        prepare_far(r, l, window);
    else
        prepare_inline(r, l);
}

/* prepare_again prepares an inline request with the same head as the last one.  The job, which
 * points into the request, is still valid. */
static void prepare_again(struct request *r)
{
    const struct link *l = &r->links[0];
    r->num_links = 1;
    r->job.result = 0;
    prepare_key(r, l);
    if (l->place.tag_is_input)
        memcpy(r->tag, l->iv + l->q.iv_len + l->q.len, l->place.tag_len);
}

/* ---- a request's life ---- */

void request_copy(struct request *r, const struct ring_request *slot)
{
    memcpy(&r->links[0].q, slot, sizeof *slot);
    SETTLE();
    r->at = r->num_links = r->state_len = r->returned = 0;
    r->result = 0;
}

static struct ring_head head_of(const struct ring_request *q)
{
    struct ring_head head;
    memcpy(&head, q, sizeof head);
    return head;
}

static bool is_same(const struct ring_head *a, const struct ring_head *b)
{
    return !((a->words[0] ^ b->words[0]) | (a->words[1] ^ b->words[1]) |
             (a->words[2] ^ b->words[2]));
}

static int finish_decode(struct request *r, const struct view *window, struct arena *arena,
                         int error)
{
    if (!error)
        error = judge_sums(r);
    if (!error && r->links[0].q.flags & RING_FAR)
        error = take_payload(r, arena);
    if (!error)
        prepare(r, window);
    r->is_judged = !error && !(r->links[0].q.flags & RING_MORE);
    r->result = error == REQUEST_LATER ? 0 : error;
    return error;
}

APART static int decode_new(struct request *r, const struct view *window, struct arena *arena)
{
    r->num_links = 0;
    r->judged = head_of(&r->links[0].q);
    return finish_decode(r, window, arena, judge_chain(r, window, arena));
}

APART static int decode_far(struct request *r, const struct view *window, struct arena *arena)
{
    r->num_links = 1;
    return finish_decode(r, window, arena, judge_far(&r->links[0], window, arena));
}

int request_decode(struct request *r, const struct view *window, struct arena *arena)
{
    const struct ring_head head = head_of(&r->links[0].q);
    if (UNLIKELY(!r->is_judged || !is_same(&r->judged, &head)))
        return decode_new(r, window, arena);
    if (r->links[0].q.flags & RING_FAR)
        return decode_far(r, window, arena);
    prepare_again(r);
    return 0;
}

APART static void publish(struct request *r, const struct link *l, const struct view *window)
{
    if (l->is_copied && l->rules.op.out && r->payload)
        scatter(r, l, window);
    if (l->place.tag_in_window && !l->place.tag_is_input)
        memcpy(window->base + l->place.tag_at, r->tag, l->place.tag_len);
    if (l->more && l->more->state_out) {
        r->state_len = (uint8_t)r->job.state_out_len;
        memcpy(window->base + l->more->state_out, r->state, r->state_len);
    }
}

int request_step(struct request *r, const struct view *window)
{
    const struct link *l = &r->links[r->at];
    r->result = r->job.result;
    if (r->result)
        return 0;
    if (l->q.flags & RING_FAR)
        publish(r, l, window);
    r->returned = (uint8_t)(r->returned + l->place.returned);
    if (++r->at == r->num_links)
        return 0;
    prepare(r, window);
    return 1;
}

void request_complete(const struct request *r, struct ring_completion *out)
{
    const bool ok = !r->result;
    out->result = r->result;
    out->request = r->number;
    out->len = ok ? r->returned : 0;
    out->state_len = ok ? r->state_len : 0;
    out->done = r->at;
    if (ok)
        memcpy(out->bytes, r->bytes, RING_INLINE);
    else
        memset(out->bytes, 0, RING_INLINE);
}

uint64_t request_bytes(const struct request *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->num_links; i++)
        sum += link_bytes(&r->links[i]);
    return sum;
}

void request_wipe(struct request *r)
{
    for (uint32_t i = 0; i < r->num_links; i++)
        memset(&r->links[i].q.u, 0, sizeof r->links[i].q.u);
    memset(r->bytes, 0, sizeof r->bytes);
    memset(r->tag, 0, sizeof r->tag);
    SETTLE(); /* keeps the compiler from dropping the stores */
}
