/* SPDX-License-Identifier: Apache-2.0 */
/* f9 of many messages, each in a lane.  After each block every lane takes the next step of its
 * message, usually to add the next block of its string to the chain.  The last step, with the key K
 * ^ KM, is a block like any other, so a lane can get a new message at any time.  The last few
 * messages are finished one by one. */
#include "kasumi_lanes.h"
#include <headrace/kasumi.h>

#define KM (KASUMI_KM_F9 * UINT64_C(0x1000100010001))

struct work {
    struct kasumi_lanes l;
    const struct hr_kasumi_f9_message *message[KASUMI_MAX_LANES]; /* NULL: the lane is free */
    uint64_t b[KASUMI_MAX_LANES];                                 /* register B */
    uint64_t at[KASUMI_MAX_LANES]; /* blocks processed after the one of COUNT and FRESH */
};

static inline void set_key(struct work *w, unsigned i, const uint8_t *key, uint64_t modifier)
{
    w->l.keys[0][i] = load_be64(key) ^ modifier;
    w->l.keys[1][i] = load_be64(key + 8) ^ modifier;
    w->l.new_keys = 1;
}

/* Returns block number `at` of f9's string, counted from 0 after COUNT and FRESH, if the message
 * does not fill it: as far as they lie in it, the message's last bits, DIRECTION and a one, then
 * zeros. */
static uint64_t string_end(const struct hr_kasumi_f9_message *m, uint64_t at)
{
    const uint64_t left = m->num_bits > 64 * at ? m->num_bits - 64 * at : 0;
    const unsigned bits = (unsigned)left;
    const uint64_t tail = 2u * m->direction + 1;
    uint8_t last[8] = { 0 };
    if (m->num_bits + 1 == 64 * at) /* DIRECTION was the last bit of the block before */
        return UINT64_C(1) << 63;
    if (!bits)
        return tail << 62;
    memcpy(last, m->in + 8 * at, (bits + 7) / 8);
    const uint64_t text = load_be64(last) >> (64 - bits) << (64 - bits);
    return text | (bits == 63 ? tail >> 1 : tail << (62 - bits));
}

static inline void begin(struct work *w, unsigned i, const struct hr_kasumi_f9_message *m)
{
    w->message[i] = m;
    w->at[i] = 0;
    w->l.x[i] = (uint64_t)m->count << 32 | m->fresh;
    w->b[i] = 0;
    set_key(w, i, m->key, 0);
}

static inline int step(struct work *w, unsigned i)
{
    const struct hr_kasumi_f9_message *const m = w->message[i];
    const uint64_t a = w->l.x[i], at = w->at[i]++, done = 64 * at;
    const uint64_t num_bits = m->num_bits + 2; /* the length of the string after COUNT and FRESH */
    if (LIKELY(done + 64 <= m->num_bits)) {
        w->b[i] ^= a;
        w->l.x[i] = a ^ load_be64(m->in + 8 * at);
    } else if (done < num_bits) {
        w->b[i] ^= a;
        w->l.x[i] = a ^ string_end(m, at);
    } else if (done < num_bits + 64) {
        w->l.x[i] = w->b[i] ^ a;
        set_key(w, i, m->key, KM);
    } else {
        store_be32(m->mac, (uint32_t)(a >> 32));
        return 1;
    }
    return 0;
}

static void finish_alone(struct work *w, unsigned i)
{
    cipher_blocks_fn *const encrypt = kasumi_ecb_few();
    struct kasumi_key key;
    uint8_t bytes[16], block[8];
    w->l.new_keys = 1;
    do {
        if (w->l.new_keys) {
            store_be64(bytes, w->l.keys[0][i]);
            store_be64(bytes + 8, w->l.keys[1][i]);
            kasumi_expand(&key, bytes);
            w->l.new_keys = 0;
        }
        store_be64(block, w->l.x[i]);
        encrypt(block, block, 1, &key, NULL, NULL);
        w->l.x[i] = load_be64(block);
    } while (!step(w, i));
    WIPE(&key);
    WIPE(&bytes);
    WIPE(&block);
}

static void in_lanes(const struct hr_kasumi_f9_message *m, size_t num,
                     const struct kasumi_lanes_kernel *kernel)
{
    struct work w;
    unsigned live = 0;
    memset(&w, 0, sizeof w);
    for (;;) {
        for (unsigned i = 0; num && live < kernel->lanes; i++)
            if (!w.message[i]) {
                begin(&w, i, m++);
                num--;
                live++;
            }
        if (live < kernel->least)
            break;
        kernel->encrypt(&w.l);
        for (unsigned i = 0; i < kernel->lanes; i++)
            if (w.message[i] && UNLIKELY(step(&w, i))) {
                w.message[i] = NULL;
                live--;
            }
    }
    for (unsigned i = 0; i < kernel->lanes; i++)
        if (w.message[i])
            finish_alone(&w, i);
    WIPE(&w);
}

int hr_kasumi_f9_many(const struct hr_kasumi_f9_message *m, size_t num)
{
    if (num && !m)
        return HR_EINVAL;
    for (size_t i = 0; i < num; i++)
        if (!m[i].key || !m[i].mac || (m[i].num_bits && !m[i].in) || m[i].direction > 1)
            return HR_EINVAL;
    if (num)
        in_lanes(m, num, kasumi_lanes_choose(&kasumi_lanes_impl));
    return 0;
}
