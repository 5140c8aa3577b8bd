/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one kernel of HR_OP_LANES with wide lanes: hundreds of messages with keys and chaining
 * values of their own must give the results of the portable kernel for single messages.  A message
 * takes two calls: the first with fresh keys, the second with the key planes that the first left.
 * Between them some lanes get another message and key, as the scheduler does it. */
#include "batch.h"
#include "kernels.h"

enum { MOST_BLOCKS = 5, MAX_UNIT = 16, ROOM = 2 * MOST_BLOCKS * MAX_UNIT + 64, MAX_STATE = 24 };

enum placement { ENDS_AT_PAGE, BEGINS_AT_PAGE, IN_PLACE, NUM_PLACEMENTS };
static const char *const placements[] = { "buffers end at a page", "buffers begin at a page",
                                          "in place" };

struct lane {
    struct guarded in, out;
    uint8_t *at_in, *at_out; /* places of this call */
    struct hr_cipher_key key;
    uint8_t bytes[32], state[MAX_STATE], next[MAX_STATE], message[ROOM], want[ROOM];
};

struct subject {
    const struct hr_algorithm *row;
    const struct lanes_kernel *kernel;
    const struct wide_form *form;
    cipher_blocks_fn *single;
    struct wide_lanes lanes;
    struct guarded in, out, state, keys, planes; /* each ends at a guard page */
    size_t live;
    struct lane lane[MAX_WIDE_LANES];
};

/* begin puts the pointers, states, keys and planes of `live` lanes directly before guard pages. */
static void begin(struct subject *s, size_t live)
{
    struct wide_lanes *l = &s->lanes;
    s->live = live;
    l->in = (const uint8_t **)(s->in.end - live * sizeof *l->in);
    l->out = (uint8_t **)(s->out.end - live * sizeof *l->out);
    l->state = s->state.end - live * s->form->state_len;
    l->keys = s->keys.end - live * s->form->key_len;
    l->planes = (uint64_t *)(s->planes.end - WIDE_PLANES);
    l->live = (uint32_t)live;
    l->rounds = s->form->rounds;
    random_bytes(l->planes, WIDE_PLANES);
}

/* start gives a lane another message, with a key from bytes or the same key from a key object. */
static void start(struct subject *s, size_t i)
{
    struct lane *lane = &s->lane[i];
    uint8_t *key = s->lanes.keys + i * s->form->key_len;
    random_bytes(lane->bytes, sizeof lane->bytes);
    random_bytes(lane->state, s->form->state_len);
    if (hr_cipher_key_init(&lane->key, s->row->alg, lane->bytes, s->row->key_len))
        complain("a key is refused");
    if (s->form->key_bytes && i % 2)
        s->form->key_bytes(key, lane->bytes, s->row->key_len);
    else
        s->form->key(key, &lane->key);
    memcpy(s->lanes.state + i * s->form->state_len, lane->state, s->form->state_len);
    s->lanes.fresh = 1;
}

static void place(struct subject *s, size_t i, size_t num_blocks, enum placement placement)
{
    struct lane *lane = &s->lane[i];
    const size_t len = num_blocks * s->form->unit;
    const struct cipher_key *key = (const struct cipher_key *)&lane->key;
    const int at_end = placement == ENDS_AT_PAGE;
    random_bytes(lane->message, len);
    s->single(lane->want, lane->message, num_blocks, key->schedule, lane->state, lane->next);
    lane->at_in = at_end ? lane->in.end - len : lane->in.start + random_below(MAX_UNIT);
    lane->at_out = at_end ? lane->out.end - len : lane->out.start + random_below(64);
    if (placement == IN_PLACE)
        lane->at_out = lane->at_in;
    memset(lane->at_out, 0x5a, len);
    memcpy(lane->at_in, lane->message, len);
    s->lanes.in[i] = lane->at_in;
    s->lanes.out[i] = lane->at_out;
}

static void check_lane(struct subject *s, size_t i, size_t num_blocks, enum placement placement)
{
    struct lane *lane = &s->lane[i];
    const size_t len = num_blocks * s->form->unit, state_len = s->form->state_len;
    const char *where = placements[placement];
    if (s->lanes.in[i] != lane->at_in + len || s->lanes.out[i] != lane->at_out + len)
        complain("%zu blocks, %s: lane %zu has not moved on by them", num_blocks, where, i);
    if (memcmp(lane->at_out, lane->want, len))
        complain("%zu blocks, %s: wrong bytes in lane %zu of %zu", num_blocks, where, i, s->live);
    if (memcmp(s->lanes.state + i * state_len, lane->next, state_len))
        complain("%zu blocks, %s: wrong state of lane %zu of %zu", num_blocks, where, i, s->live);
    if (placement != IN_PLACE && memcmp(lane->at_in, lane->message, len))
        complain("%zu blocks, %s: the message of lane %zu changed", num_blocks, where, i);
    memcpy(lane->state, lane->next, state_len);
}

static void call(struct subject *s, size_t num_blocks, enum placement placement)
{
    static uint8_t keys[WIDE_KEYS];
    const size_t keys_len = s->live * s->form->key_len;
    memcpy(keys, s->lanes.keys, keys_len);
    for (size_t i = 0; i < s->live; i++)
        place(s, i, num_blocks, placement);
    const uintptr_t args[6] = { (uintptr_t)&s->lanes, num_blocks };
    const int changed = checked_call((void (*)(void))s->kernel->wide, args);
    if (changed)
        complain("%zu blocks: %d registers not kept", num_blocks, changed);
    for (size_t i = 0; i < s->live; i++)
        check_lane(s, i, num_blocks, placement);
    if (memcmp(keys, s->lanes.keys, keys_len))
        complain("%zu blocks: keys have changed", num_blocks);
    if (s->lanes.fresh || s->lanes.live != s->live || s->lanes.rounds != s->form->rounds)
        complain("%zu blocks: what is told of the lanes has changed", num_blocks);
}

static void check(struct subject *s, size_t live, size_t num_blocks, enum placement placement)
{
    begin(s, live);
    for (size_t i = 0; i < live; i++)
        start(s, i);
    call(s, num_blocks, placement);
    call(s, 1 + num_blocks % 3, placement);
    for (size_t i = random_below(3); i < live; i += 1 + random_below(40))
        start(s, i);
    call(s, num_blocks, placement);
}

/* keys_on_stack counts the places where the last call left eight bytes of a key on the stack below.
 * It does not count bytes that are zero but for one bit each, since some of Camellia's masks are
 * such. */
#define SINGLE_BITS UINT64_C(0x0101010101010101)

static __attribute__((noinline)) unsigned keys_on_stack(const struct subject *s)
{
    enum { DEPTH = 4096 };
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
    const size_t num = s->live * s->form->key_len;
    unsigned found = 0;
    for (uintptr_t at = here - DEPTH; at < here - 512; at += 8) {
        const uint64_t word = *(const volatile uint64_t *)at;
        for (size_t i = 0; i < num; i += 8)
            found += word & ~SINGLE_BITS && memcmp(s->lanes.keys + i, &word, 8) == 0;
    }
    return found;
}

static void check_stack(struct subject *s)
{
    begin(s, s->kernel->lanes);
    for (size_t i = 0; i < s->live; i++) {
        start(s, i);
        place(s, i, 2, ENDS_AT_PAGE);
    }
    s->kernel->wide(&s->lanes, 2);
    const unsigned left = stack_is_not_ours ? 0 : keys_on_stack(s);
    if (left)
        complain("%u pieces of keys are left on the stack", left);
}

int check_wide_lanes_kernel(const struct hr_algorithm *row, size_t index)
{
    static struct subject s;
    const int before = complaints_so_far();
    const struct cipher_op *singles = cipher_op(row, HR_OP_ENCRYPT);
    s.row = row;
    s.kernel = &batch_lanes_op(row->alg)->kernels[index];
    s.form = batch_lanes_op(row->alg)->wide;
    s.single = singles->kernels[singles->num_kernels - 1].blocks;
    for (size_t i = 0; !s.planes.start && i < MAX_WIDE_LANES; i++) {
        s.lane[i].in = guarded_new(ROOM);
        s.lane[i].out = guarded_new(ROOM);
    }
    if (!s.planes.start) {
        s.in = guarded_new(MAX_WIDE_LANES * sizeof *s.lanes.in);
        s.out = guarded_new(MAX_WIDE_LANES * sizeof *s.lanes.out);
        s.state = guarded_new(MAX_WIDE_LANES * MAX_STATE);
        s.keys = guarded_new(WIDE_KEYS);
        s.planes = guarded_new(WIDE_PLANES);
    }
    const size_t lanes = s.kernel->lanes;
    const size_t lives[] = { 1, 7, 8, lanes / 2 + 1, lanes - 1, lanes };
    for (size_t i = 0; i < COUNT_OF(lives); i++)
        for (enum placement p = 0; p < NUM_PLACEMENTS; p++)
            check(&s, lives[i], 1 + random_below(MOST_BLOCKS), p);
    check_stack(&s);
    return complaints_so_far() - before;
}
