/* SPDX-License-Identifier: Apache-2.0 */
/* f8 of many messages, each in a lane.  A message begins with a block with the key K ^ KM, so the
 * lanes with new messages have a call of the kernel of their own.  Then all lanes go on for up to
 * RUN blocks, and their keystream is stored; a lane's RUN blocks are as long as a cache line and
 * are XORed with the text at once.  A lane whose message ends within a run makes keystream that is
 * not used, until the run is over and the lane gets a new message.  The last few messages are
 * finished one by one. */
#include "kasumi_lanes.h"
#include <headrace/kasumi.h>

/* clang-format off */
static const struct kasumi_lanes_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("avx512", CPU(AVX512F), 512, 16, kasumi_lanes_avx512)
    KERNEL_X86("avx2", CPU(AVX2), 256, 16, kasumi_lanes_avx2)
    KERNEL_ARM64("neon", CPU(ARM_NEON), 128, 8, kasumi_lanes_neon)
    KERNEL_C(64, 4, kasumi_lanes_c64)
};
/* clang-format on */

static _Atomic(const struct kasumi_lanes_kernel *) chosen;
const struct kasumi_lanes_impl kasumi_lanes_impl = { kernels, COUNT(kernels), &chosen };

DEFINE_CHOOSE(kasumi_lanes_choose, struct kasumi_lanes_kernel, struct kasumi_lanes_impl)

#define KM (KASUMI_KM_F8 * UINT64_C(0x1000100010001))

enum { RUN = 8 };

struct work {
    struct kasumi_lanes l;
    const struct hr_kasumi_f8_message *message[KASUMI_MAX_LANES]; /* NULL: the lane is free */
    uint64_t a[KASUMI_MAX_LANES], last[KASUMI_MAX_LANES];         /* a: register A; last: last
                                                                   * block of keystream */
    uint64_t at[KASUMI_MAX_LANES];                                /* blocks processed */
    uint64_t keystream[RUN][KASUMI_MAX_LANES];
    unsigned lanes, live;
};

static void set_key(struct work *w, unsigned i, uint64_t modifier)
{
    const uint8_t *const key = w->message[i]->key;
    w->l.keys[0][i] = load_be64(key) ^ modifier;
    w->l.keys[1][i] = load_be64(key + 8) ^ modifier;
}

/* Gives messages to free lanes, and passes over empty ones; returns how many of the `num` messages
 * it has dealt with. */
static size_t fill(struct work *w, const struct hr_kasumi_f8_message *m, size_t num,
                   const struct kasumi_lanes_kernel *kernel)
{
    uint16_t begun[KASUMI_MAX_LANES];
    unsigned num_begun = 0;
    size_t taken = 0;
    for (unsigned i = 0; i < w->lanes && taken < num; i++) {
        uint8_t iv[8];
        if (w->message[i])
            continue;
        while (taken < num && !m[taken].num_bits)
            taken++;
        if (taken == num)
            break;
        w->message[i] = &m[taken++];
        hr_kasumi_f8_iv(iv, w->message[i]->count, w->message[i]->bearer, w->message[i]->direction);
        w->l.x[i] = load_be64(iv);
        set_key(w, i, KM);
        begun[num_begun++] = (uint16_t)i;
    }
    if (!num_begun)
        return taken;
    w->live += num_begun;
    w->l.new_keys = 1;
    kernel->encrypt(&w->l);
    w->l.new_keys = 1;
    for (unsigned k = 0; k < num_begun; k++) {
        const unsigned i = begun[k];
        w->a[i] = w->l.x[i];
        w->last[i] = w->at[i] = 0;
        set_key(w, i, 0);
    }
    return taken;
}

/* Returns the largest number of blocks that a lane still needs, but at most RUN. */
static unsigned blocks_wanted(const struct work *w)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < w->lanes; i++) {
        const uint64_t left = w->message[i] ? (w->message[i]->num_bits - 1) / 64 + 1 - w->at[i] : 0;
        most = left > most ? left : most;
    }
    return most < RUN ? (unsigned)most : RUN;
}

static void make_keystream(struct work *w, unsigned num_blocks,
                           const struct kasumi_lanes_kernel *kernel)
{
    const unsigned lanes = w->lanes;
    for (unsigned s = 0; s < num_blocks; s++) {
        const uint64_t *const before = s ? w->keystream[s - 1] : w->last;
        for (unsigned i = 0; i < lanes; i++)
            w->l.x[i] = w->a[i] ^ (w->at[i] + s) ^ before[i];
        kernel->encrypt(&w->l);
        memcpy(w->keystream[s], w->l.x, lanes * sizeof w->l.x[0]);
    }
    memcpy(w->last, w->l.x, lanes * sizeof w->l.x[0]);
}

/* XORs a lane's text with keystream.  Returns whether its message is complete. */
static inline int add_keystream(struct work *w, unsigned i, unsigned num_blocks)
{
    const struct hr_kasumi_f8_message *const m = w->message[i];
    const uint64_t at = w->at[i], left = m->num_bits - 64 * at;
    const uint8_t *const in = m->in + 8 * at;
    uint8_t *const out = m->out + 8 * at;
    w->at[i] = at + num_blocks;
    if (LIKELY(left >= 64 * RUN && num_blocks == RUN)) {
#pragma GCC unroll 8
        for (unsigned s = 0; s < RUN; s++)
            store_be64(out + 8 * s, load_be64(in + 8 * s) ^ w->keystream[s][i]);
        return left == 64 * RUN;
    }
    unsigned s = 0;
    for (; s < num_blocks && left - 64 * s >= 64; s++)
        store_be64(out + 8 * s, load_be64(in + 8 * s) ^ w->keystream[s][i]);
    const uint64_t rest = left - 64 * s;
    if (!rest || s == num_blocks)
        return !rest;
    uint8_t last[8] = { 0 };
    memcpy(last, in + 8 * s, (rest + 7) / 8);
    store_be64(last, (load_be64(last) ^ w->keystream[s][i]) >> (64 - rest) << (64 - rest));
    memcpy(out + 8 * s, last, (rest + 7) / 8);
    WIPE(&last);
    return 1;
}

/* Finishes a lane's message without lanes, from where it is. */
static void finish_alone(const struct work *w, unsigned i)
{
    const struct hr_kasumi_f8_message *const m = w->message[i];
    const uint64_t at = w->at[i];
    struct kasumi_key key;
    uint8_t state[KASUMI_F8_IV];
    kasumi_expand(&key, m->key);
    store_be64(state + KASUMI_F8_A, w->a[i]);
    store_be64(state + KASUMI_F8_KSB, w->last[i]);
    store_be64(state + KASUMI_F8_COUNT, at);
    kasumi_f8_bits(m->out + 8 * at, m->in + 8 * at, m->num_bits - 64 * at, &key, state);
    WIPE(&key);
    WIPE(&state);
}

static void in_lanes(const struct hr_kasumi_f8_message *m, size_t num,
                     const struct kasumi_lanes_kernel *kernel)
{
    struct work w;
    memset(&w, 0, offsetof(struct work, keystream));
    w.lanes = kernel->lanes;
    w.live = 0;
    for (size_t taken; num || w.live >= kernel->least; m += taken, num -= taken) {
        taken = fill(&w, m, num, kernel);
        const unsigned num_blocks = blocks_wanted(&w);
        make_keystream(&w, num_blocks, kernel);
        for (unsigned i = 0; i < w.lanes; i++)
            if (w.message[i] && add_keystream(&w, i, num_blocks)) {
                w.message[i] = NULL;
                w.live--;
            }
    }
    for (unsigned i = 0; i < w.lanes; i++)
        if (w.message[i])
            finish_alone(&w, i);
    WIPE(&w);
}

int hr_kasumi_f8_many(const struct hr_kasumi_f8_message *m, size_t num)
{
    const struct kasumi_lanes_kernel *const kernel = kasumi_lanes_choose(&kasumi_lanes_impl);
    if (num && !m)
        return HR_EINVAL;
    for (size_t i = 0; i < num; i++)
        if (!m[i].key || (m[i].num_bits && (!m[i].in || !m[i].out)) || m[i].bearer > 31 ||
            m[i].direction > 1)
            return HR_EINVAL;
    for (size_t i = 0; i < num; i++)
        if (overlap(m[i].out, m[i].in, (size_t)(m[i].num_bits / 8 + (m[i].num_bits % 8 > 0))))
            return HR_EOVERLAP;
    if (num >= kernel->least) {
        in_lanes(m, num, kernel);
        return 0;
    }
    for (size_t i = 0; i < num; i++) {
        const int error = hr_kasumi_f8_bits(m[i].out, m[i].in, m[i].num_bits, m[i].key, m[i].count,
                                            m[i].bearer, m[i].direction);
        if (error)
            return error;
    }
    return 0;
}
