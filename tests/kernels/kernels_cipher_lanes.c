/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one cipher kernel of HR_OP_LANES: every lane has a key, an IV and a message of its own,
 * and must give the result of the portable kernel for single messages. */
#include "aes/aes.h"
#include "batch.h"
#include "kernels.h"

enum { BLOCK = 16, MOST_BLOCKS = 40, ROOM = MOST_BLOCKS * BLOCK + 64 };

enum placement { ENDS_AT_PAGE, BEGINS_AT_PAGE, IN_PLACE, IDLE_LANES, NUM_PLACEMENTS };
static const char *const placements[] = { "buffers end at a page", "buffers begin at a page",
                                          "in place", "lanes without a message" };

struct lane {
    struct guarded in, out;
    uint8_t *at_in, *at_out; /* places of this call */
    struct aes_key key;
    uint8_t iv[BLOCK], message[ROOM], want[ROOM], next[BLOCK];
};

struct subject {
    const struct hr_algorithm *row;
    const struct lanes_kernel *kernel;
    cipher_blocks_fn *single;
    struct cipher_lanes *lanes; /* at a guard page */
    struct lane lane[MAX_BATCH_LANES];
};

/* lives tells whether this lane has a message: in the placement IDLE_LANES, every third has. */
static int lives(size_t lane, enum placement placement)
{
    return placement != IDLE_LANES || lane % 3 == 0;
}

/* place sets the place of a lane's message; all lanes without a message share one place. */
static void place(struct lane *lane, const struct lane *idle, size_t len, size_t skew,
                  enum placement placement)
{
    const int at_end = placement == ENDS_AT_PAGE;
    lane->at_in = at_end ? lane->in.end - len : lane->in.start + skew;
    lane->at_out = at_end ? lane->out.end - len : lane->out.start + (skew * 7 & 63);
    if (placement == IN_PLACE)
        lane->at_out = lane->at_in;
    if (idle)
        lane->at_in = idle->in.start, lane->at_out = idle->out.start;
}

static void prepare(struct subject *s, size_t num_blocks, enum placement placement)
{
    struct cipher_lanes *l = s->lanes;
    const size_t num = s->kernel->lanes;
    random_bytes(l, sizeof *l);
    l->rounds = s->row->key_len / 4 + 6u;
    for (size_t i = 0; i < num; i++) {
        struct lane *lane = &s->lane[i];
        uint8_t key[32];
        random_bytes(key, sizeof key);
        random_bytes(lane->iv, BLOCK);
        random_bytes(lane->message, num_blocks * BLOCK);
        aes_expand_c(&lane->key, key, s->row->key_len, 0);
        s->single(lane->want, lane->message, num_blocks, &lane->key, lane->iv, lane->next);
        place(lane, lives(i, placement) ? NULL : &s->lane[1], num_blocks * BLOCK,
              random_below(BLOCK), placement);
        memset(lane->at_out, 0x5a, num_blocks * BLOCK);
        memcpy(lane->at_in, lane->message, num_blocks * BLOCK);
        for (size_t r = 0; r <= l->rounds; r++)
            memcpy(l->keys + (r * num + i) * BLOCK, lane->key.enc[r], BLOCK);
        memcpy(l->iv + i * BLOCK, lane->iv, BLOCK);
        l->in[i] = lane->at_in;
        l->out[i] = lane->at_out;
    }
}

static void check_lane(const struct subject *s, size_t i, size_t num_blocks,
                       enum placement placement)
{
    const struct cipher_lanes *l = s->lanes;
    const struct lane *lane = &s->lane[i];
    const size_t len = num_blocks * BLOCK;
    if (l->in[i] != lane->at_in + len || l->out[i] != lane->at_out + len)
        complain("%zu blocks, %s: lane %zu has not moved on by them", num_blocks,
                 placements[placement], i);
    if (!lives(i, placement))
        return;
    if (memcmp(lane->at_out, lane->want, len))
        complain("%zu blocks, %s: wrong bytes in lane %zu", num_blocks, placements[placement], i);
    if (memcmp(l->iv + i * BLOCK, lane->next, BLOCK))
        complain("%zu blocks, %s: wrong IV in lane %zu", num_blocks, placements[placement], i);
    if (placement != IN_PLACE && memcmp(lane->at_in, lane->message, len))
        complain("%zu blocks, %s: the message of lane %zu changed", num_blocks,
                 placements[placement], i);
}

/* keys_on_stack counts the places where the last call left half a round key on the stack below this
 * function. */
static __attribute__((noinline)) unsigned keys_on_stack(const struct subject *s)
{
    enum { DEPTH = 4096 };
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
    const size_t num = (s->lanes->rounds + 1) * s->kernel->lanes * 2;
    unsigned found = 0;
    for (uintptr_t at = here - DEPTH; at < here - 512; at += 8) {
        const uint64_t word = *(const volatile uint64_t *)at;
        for (size_t i = 0; i < num; i++)
            found += memcmp(s->lanes->keys + i * 8, &word, 8) == 0;
    }
    return found;
}

static void check(struct subject *s, size_t num_blocks, enum placement placement)
{
    static struct cipher_lanes before;
    prepare(s, num_blocks, placement);
    before = *s->lanes;
    const uintptr_t args[6] = { (uintptr_t)s->lanes, num_blocks };
    const int changed = checked_call((void (*)(void))s->kernel->cipher, args);
    if (changed)
        complain("%zu blocks: %d registers not kept", num_blocks, changed);
    for (size_t i = 0; i < s->kernel->lanes; i++)
        check_lane(s, i, num_blocks, placement);
    const size_t used = s->kernel->lanes;
    memcpy(before.iv, s->lanes->iv, used * BLOCK);
    memcpy(before.in, s->lanes->in, used * sizeof before.in[0]);
    memcpy(before.out, s->lanes->out, used * sizeof before.out[0]);
    if (memcmp(s->lanes, &before, sizeof before))
        complain("%zu blocks: keys, or lanes behind the last, changed", num_blocks);
}

int check_cipher_lanes_kernel(const struct hr_algorithm *row, size_t index)
{
    static struct subject s;
    static struct guarded memory;
    const int before = complaints_so_far();
    const struct cipher_op *singles = cipher_op(row, HR_OP_ENCRYPT);
    s.row = row;
    s.kernel = &batch_lanes_op(row->alg)->kernels[index];
    s.single = singles->kernels[singles->num_kernels - 1].blocks;
    for (size_t i = 0; !memory.start && i < MAX_BATCH_LANES; i++) {
        s.lane[i].in = guarded_new(ROOM);
        s.lane[i].out = guarded_new(ROOM);
    }
    if (!memory.start)
        memory = guarded_new(sizeof *s.lanes);
    s.lanes = (struct cipher_lanes *)(memory.end - sizeof *s.lanes);
    for (size_t num_blocks = 1; num_blocks <= MOST_BLOCKS; num_blocks++)
        for (enum placement p = 0; p < NUM_PLACEMENTS; p++)
            check(&s, num_blocks, p);
    prepare(&s, MOST_BLOCKS, ENDS_AT_PAGE);
    s.kernel->cipher(s.lanes, MOST_BLOCKS);
    const unsigned left = stack_is_not_ours ? 0 : keys_on_stack(&s);
    if (left)
        complain("%u halves of round keys are left on the stack", left);
    return complaints_so_far() - before;
}
