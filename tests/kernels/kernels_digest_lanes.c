/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one digest kernel of HR_OP_LANES: every lane has a chaining value and blocks of its own,
 * and must give the result of the portable kernel for single messages. */
#include "batch.h"
#include "kernels.h"

enum { MOST_BLOCKS = 9, ROOM = MOST_BLOCKS * HR_DIGEST_MAX_BLOCK + 64 };

struct subject {
    const struct lanes_kernel *kernel;
    const struct digest_impl *impl;
    digest_blocks_fn *single;
    struct digest_lanes *lanes; /* at a guard page */
    struct guarded in[MAX_BATCH_LANES];
    const uint8_t *at[MAX_BATCH_LANES];
    uint64_t want[MAX_BATCH_LANES][25];
};

/* state returns where the state of a lane is. */
static union digest_state *state(const struct subject *s, struct digest_lanes *lanes, size_t i)
{
    return &lanes->state[s->impl->sponge ? SPONGE_STATES * i : i];
}

/* room returns how much of a lane's state a kernel may write. */
static size_t room(const struct subject *s)
{
    return s->impl->sponge ? s->impl->state_len : sizeof(union digest_state);
}

/* enum placement: messages end at a guard page, begin at any place, or are one message that all
 * lanes read. */
enum placement { ENDS_AT_PAGE, ANYWHERE, ONE_FOR_ALL, NUM_PLACEMENTS };

static void prepare(struct subject *s, size_t num_blocks, enum placement placement)
{
    const size_t len = num_blocks * s->impl->block_len;
    random_bytes(s->lanes, sizeof *s->lanes);
    s->lanes->block_len = s->impl->block_len;
    for (size_t i = 0; i < s->kernel->lanes; i++) {
        const struct guarded *in = &s->in[placement == ONE_FOR_ALL ? 0 : i];
        uint8_t *at = placement == ANYWHERE ? in->start + random_below(64) : in->end - len;
        if (placement != ONE_FOR_ALL || i == 0)
            random_bytes(at, len);
        s->at[i] = s->lanes->in[i] = at;
        memset(s->want[i], 0, sizeof s->want[i]);
        random_bytes(s->want[i], s->impl->state_len);
        memcpy(state(s, s->lanes, i), s->want[i], room(s));
        s->single(s->want[i], at, num_blocks);
    }
}

static void check(struct subject *s, size_t num_blocks, enum placement placement)
{
    static struct digest_lanes before;
    prepare(s, num_blocks, placement);
    before = *s->lanes;
    const uintptr_t args[6] = { (uintptr_t)s->lanes, num_blocks };
    const int changed = checked_call((void (*)(void))s->kernel->digest, args);
    if (changed)
        complain("%zu blocks: %d registers not kept", num_blocks, changed);
    for (size_t i = 0; i < s->kernel->lanes; i++) {
        if (memcmp(state(s, s->lanes, i), s->want[i], s->impl->state_len))
            complain("%zu blocks, placement %d: wrong chaining value in lane %zu", num_blocks,
                     placement, i);
        if (s->lanes->in[i] != s->at[i] + num_blocks * s->impl->block_len)
            complain("%zu blocks: lane %zu has not moved on by them", num_blocks, i);
        memcpy(state(s, &before, i), state(s, s->lanes, i), room(s) + s->impl->sponge * 8);
        before.in[i] = s->lanes->in[i];
    }
    if (memcmp(s->lanes, &before, sizeof before))
        complain("%zu blocks: lanes behind the last changed", num_blocks);
}

int check_digest_lanes_kernel(const struct hr_algorithm *row, size_t index)
{
    static struct subject s;
    static struct guarded memory;
    const int before = complaints_so_far();
    s.kernel = &batch_lanes_op(row->alg)->kernels[index];
    s.impl = digest_impl(row->alg);
    s.single = s.impl->kernels[s.impl->num_kernels - 1].blocks;
    if (!memory.start) {
        for (size_t i = 0; i < MAX_BATCH_LANES; i++)
            s.in[i] = guarded_new(ROOM);
        memory = guarded_new(sizeof *s.lanes);
    }
    s.lanes = (struct digest_lanes *)(memory.end - sizeof *s.lanes);
    for (size_t num_blocks = 1; num_blocks <= MOST_BLOCKS; num_blocks++)
        for (enum placement p = 0; p < NUM_PLACEMENTS; p++)
            for (int times = 0; times < 8; times++)
                check(&s, num_blocks, p);
    return complaints_so_far() - before;
}
