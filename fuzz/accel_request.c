/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the service's decoder with any descriptor and any window: it refuses the descriptor, or
 * makes a job that reads inside the window and writes nothing but its outputs. */
#include "fuzz.h"
#include "service/request.h"

enum { WINDOW = 4096 };

static void allow(uint8_t *before, const struct view *window, uint64_t at, uint64_t len)
{
    CHECK(at <= window->len && len <= window->len - at);
    memcpy(before + at, window->base + at, len);
}

/* Copies the parts of the window that a request may write to the saved window, so that the rest can
 * be compared. */
static void allow_outputs(uint8_t *before, const struct view *window, const struct link *l)
{
    if (!(l->q.flags & RING_FAR))
        return;
    if (l->rules.op.out && !(l->more && l->more->num_parts))
        allow(before, window, l->q.len ? l->q.u.far.out : 0, l->q.len);
    for (uint32_t i = 0; l->rules.op.out && l->more && i < l->more->num_parts; i++)
        allow(before, window, l->more->parts[i].out, l->more->parts[i].len);
    if (l->place.tag_in_window && !l->place.tag_is_input)
        allow(before, window, l->place.tag_at, l->place.tag_len);
    if (l->more && l->more->state_out)
        allow(before, window, l->more->state_out, HR_DIGEST_MAX_EXPORT);
}

static void run(struct request *r, const struct view *window, struct arena *arena)
{
    uint8_t *before = malloc(window->len + !window->len);
    memcpy(before, window->base, window->len);
    int error = request_decode(r, window, arena);
    CHECK(error != REQUEST_LATER && r->num_links && r->num_links <= RING_MAX_CHAIN);
    CHECK(!memcmp(before, window->base, window->len)); /* decoding writes nothing */
    if (!error) {
        uint32_t jobs = 0;
        do {
            (void)hr_job_run(&r->job);
            CHECK(++jobs <= RING_MAX_CHAIN);
        } while (request_step(r, window));
        for (uint32_t i = 0; i < r->num_links; i++)
            allow_outputs(before, window, &r->links[i]);
        CHECK(!memcmp(before, window->base, window->len));
    }
    free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct request *r = calloc(1, sizeof *r);
    struct arena arena = { aligned_alloc(64, REQUEST_MAX_PRIVATE), REQUEST_MAX_PRIVATE, 0 };
    struct ring_completion done;
    struct ring_request slot;
    take(&in, (uint8_t *)&slot, sizeof slot);
    request_copy(r, &slot);
    const size_t len = in.len < WINDOW ? in.len : WINDOW;
    uint8_t *memory = aligned_alloc(64, WINDOW);
    const struct view window = { memory + WINDOW - (len & ~(size_t)7), (uint32_t)len & ~7u };
    take(&in, window.base, window.len);

    run(r, &window, &arena);
    slot.u.bytes[0] ^= 1; /* a request with the same head, whose rules may be reused */
    slot.u.far.aad_len += 8;
    request_wipe(r);
    request_copy(r, &slot);
    arena.used = 0;
    run(r, &window, &arena);
    memset(&done, 0xa5, sizeof done);
    request_complete(r, &done);
    CHECK(done.len <= RING_INLINE && all_zero(done.bytes + done.len, RING_INLINE - done.len));
    CHECK(!done.result || (!done.len && !done.state_len && done.done < r->num_links));
    CHECK(done.result == r->result && done.request == r->number);
    free(memory);
    free(arena.base);
    free(r);
    return 0;
}
