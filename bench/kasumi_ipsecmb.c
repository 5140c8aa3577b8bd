/* SPDX-License-Identifier: Apache-2.0 */
/* The contenders of intel-ipsec-mb: one message a call, and many messages with one key (it has no
 * call for many keys). */
#include "kasumi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LINUX 1 /* the library's header aligns its structures only if this is defined */
#include <intel-ipsec-mb.h>

static IMB_MGR *manager;
static kasumi_key_sched_t schedules[MANY];

static uint64_t iv_of(const struct hr_kasumi_f8_message *m)
{
    uint64_t iv;
    hr_kasumi_f8_iv((uint8_t *)&iv, m->count, m->bearer, m->direction);
    return iv;
}

static void one_by_one(struct messages *m, void *keys)
{
    const kasumi_key_sched_t *const k = keys;
    for (int i = 0; i < MANY; i++)
        IMB_KASUMI_F8_1_BUFFER(manager, &k[i], iv_of(&m->list[i]), m->in[i], m->out[i], LEN);
}

static void many(struct messages *m, void *keys)
{
    uint64_t ivs[MANY];
    const void *in[MANY];
    void *out[MANY];
    uint32_t lens[MANY];
    for (int i = 0; i < MANY; i++) {
        ivs[i] = iv_of(&m->list[i]);
        in[i] = m->in[i];
        out[i] = m->out[i];
        lens[i] = LEN;
    }
    IMB_KASUMI_F8_N_BUFFER(manager, keys, ivs, in, out, lens, MANY);
}

unsigned peer_contenders(struct contender *c, const struct messages *m)
{
    uint8_t want[LEN];
    manager = alloc_mb_mgr(0);
    if (!manager)
        return 0;
    init_mb_mgr_auto(manager, NULL);
    for (int i = 0; i < MANY; i++)
        IMB_KASUMI_INIT_F8_KEY_SCHED(manager, m->keys[i], &schedules[i]);
    IMB_KASUMI_F8_1_BUFFER(manager, &schedules[0], iv_of(&m->list[0]), m->in[0], want, LEN);
    const struct hr_kasumi_f8_message *const f = &m->list[0];
    if (hr_kasumi_f8_bits(m->list[0].out, f->in, 8 * LEN, f->key, f->count, f->bearer,
                          f->direction) ||
        memcmp(want, f->out, LEN)) {
        fprintf(stderr, "intel-ipsec-mb and Headrace differ\n");
        exit(1);
    }
    c[0] = (struct contender){ "intel-ipsec-mb, one buffer", one_by_one, schedules, 1 };
    c[1] = (struct contender){ "intel-ipsec-mb, 512 buffers, one key", many, schedules, 1 };
    return 2;
}
