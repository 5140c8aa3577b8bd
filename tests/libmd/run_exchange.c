/* SPDX-License-Identifier: Apache-2.0 */
/* Two libraries that work on the same contexts: after each call, in any state, both leave the same
 * state, count and waiting bytes, and each goes on with what the other left. */
#include "digests.h"

/* same_contexts compares state, count and waiting bytes of two contexts; for MD2 the whole
 * contexts. */
static int same_contexts(const struct context *a, const struct context *b, const struct digest *d)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    if (!d->count_len)
        return !memcmp(x, y, d->ctx_len);
    uint64_t bits;
    memcpy(&bits, x + d->count_at, sizeof bits);
    return !memcmp(x, y, d->state_len) && !memcmp(x + d->count_at, y + d->count_at, d->count_len) &&
           !memcmp(x + d->buf_at, y + d->buf_at, bits / 8 % d->block_len);
}

/* step makes the same call with each library, each on one of two equal contexts, and compares the
 * contexts afterwards. It returns 0 after Final, else 1. */
static int step(const struct calls *const libraries[2], const struct digest *d,
                struct context ctx[2], unsigned what, const uint8_t *in)
{
    uint8_t out[2][MAX_OUT] = { { 0 } };
    const size_t len = random_below(what < 6 ? 40 : 300);
    struct context *c[2] = { &ctx[0], &ctx[1] };
    if (what & 1) { /* each library takes the context that the other left */
        c[0] = &ctx[1];
        c[1] = &ctx[0];
    }
    for (int i = 0; i < 2; i++)
        if (what == 0)
            libraries[i]->final(out[i], c[i]);
        else if (what == 1 && d->count_len)
            libraries[i]->pad(c[i]);
        else
            libraries[i]->update(c[i], in, len);
    if (memcmp(out[0], out[1], sizeof out[0]) || !same_contexts(&ctx[0], &ctx[1], d))
        complain("they differ after %s", what == 0 ? "Final" : what == 1 ? "Pad" : "Update");
    if (what == 0 && d->count_len && memcmp(&ctx[0], &ctx[1], sizeof ctx[0]))
        complain("Final leaves something else");
    return what != 0;
}

/* long_message sets the count of bits to nearly 2^64 before an update: it wraps around, or carries
 * into an upper half. */
static void long_message(const struct calls *const libraries[2], const struct digest *d,
                         const uint8_t *in)
{
    struct context ctx[2];
    uint8_t out[2][MAX_OUT];
    const uint64_t bits = UINT64_MAX - 7;
    for (int i = 0; d->count_len && i < 2; i++) {
        new_context(&ctx[i]);
        libraries[i]->init(&ctx[i]);
        memset((uint8_t *)&ctx[i] + d->buf_at, 0x5a, d->block_len);
        memcpy((uint8_t *)&ctx[i] + d->count_at, &bits, sizeof bits);
        libraries[i]->update(&ctx[i], in, 200);
    }
    if (d->count_len && !same_contexts(&ctx[0], &ctx[1], d))
        complain("they differ where the count runs over");
    for (int i = 0; d->count_len && i < 2; i++)
        libraries[i]->final(out[i], &ctx[i]);
    if (d->count_len && memcmp(out[0], out[1], d->out_len))
        complain("digests differ where the count runs over");
}

static void one_block(const struct calls *const libraries[2], const struct digest *d,
                      const uint8_t *in)
{
    struct context ctx[2];
    for (int i = 0; i < 2; i++) {
        new_context(&ctx[i]);
        libraries[i]->init(&ctx[i]);
        if (!d->count_len) /* MD2's Transform takes the context with a block waiting in it */
            memcpy((uint8_t *)&ctx[i] + 36, in, 16);
        libraries[i]->transform(&ctx[i], in);
    }
    if (!same_contexts(&ctx[0], &ctx[1], d))
        complain("Transform differs");
}

/* ---- any call in any state ---- */

/* struct arguments is what a call may need beside the context, with room for all that it writes. */
struct arguments {
    uint8_t out[2 * MAX_OUT + 2];
    const uint8_t *in;
    size_t len;
};

static void call_init(const struct calls *calls, void *ctx, struct arguments *a)
{
    calls->init(ctx);
}

static void call_update(const struct calls *calls, void *ctx, struct arguments *a)
{
    calls->update(ctx, a->in, a->len);
}

static void call_pad(const struct calls *calls, void *ctx, struct arguments *a)
{
    calls->pad(ctx);
}

static void call_final(const struct calls *calls, void *ctx, struct arguments *a)
{
    calls->final(a->len % 4 ? a->out : NULL, ctx);
}

static void call_transform(const struct calls *calls, void *ctx, struct arguments *a)
{
    calls->transform(ctx, a->in);
}

static void call_end(const struct calls *calls, void *ctx, struct arguments *a)
{
    if (calls->end(ctx, (char *)a->out) != (char *)a->out)
        complain("End does not return its buffer");
}

static const struct {
    const char *name;
    void (*call)(const struct calls *calls, void *ctx, struct arguments *a);
    int weight;
} any_calls[] = {
    { "Init", call_init, 1 },   { "Update", call_update, 6 },       { "Pad", call_pad, 2 },
    { "Final", call_final, 2 }, { "Transform", call_transform, 2 }, { "End", call_end, 1 },
};
enum { WEIGHTS = 14 };

static size_t random_call(void)
{
    int left = (int)random_below(WEIGHTS);
    size_t which = 0;
    while ((left -= any_calls[which].weight) >= 0)
        which++;
    return which;
}

/* any_state makes the same calls with both libraries in contexts of any content, such as the memory
 * that a program never initialised, and goes on after Final. */
static void any_state(const struct calls *const libraries[2], const struct digest *d,
                      const uint8_t *in)
{
    enum { CALLS = 10 };
    struct context ctx[2];
    new_context(&ctx[0]);
    random_bytes(&ctx[0], d->ctx_len);
    ctx[1] = ctx[0];
    for (unsigned n = 0; n < CALLS && !complaints_so_far(); n++) {
        struct arguments a[2] = { { .in = in + random_below(9), .len = random_below(280) } };
        const size_t which = random_call();
        a[1] = a[0];
        for (int i = 0; i < 2; i++)
            any_calls[which].call(libraries[i], &ctx[i], &a[i]);
        if (memcmp(&a[0], &a[1], sizeof a[0]) || !same_contexts(&ctx[0], &ctx[1], d))
            complain("they differ after call %u, %s of %zu bytes", n, any_calls[which].name,
                     a[0].len);
    }
    check_guard(&ctx[0], d);
}

void run_exchange(const struct calls *ours, const struct calls *theirs, const struct digest *d)
{
    enum { MESSAGES = 2000 };
    const struct calls *const libraries[2] = { ours, theirs };
    uint8_t in[300];
    for (unsigned i = 0; i < MESSAGES && !complaints_so_far(); i++) {
        struct context ctx[2];
        random_bytes(in, sizeof in);
        for (int l = 0; l < 2; l++) {
            new_context(&ctx[l]);
            libraries[l]->init(&ctx[l]);
        }
        while (step(libraries, d, ctx, random_below(12), in))
            ;
        check_guard(&ctx[0], d);
    }
    for (unsigned i = 0; d->count_len && i < MESSAGES && !complaints_so_far(); i++)
        any_state(libraries, d, in); /* MD2's contexts hold an index, which its code trusts */
    long_message(libraries, d, in);
    one_block(libraries, d, in);
    tap(1,
        "%s: contexts pass between the two libraries after every call, and any call in any state",
        d->name);
}
