/* SPDX-License-Identifier: Apache-2.0 */
/* SHAKE256 of one block in lanes.  A chain stays in vectors.  A file that includes this one
 * includes keccak_lanes.h before. */
#define STORE_WORD store_le64
#include "values.h"

INLINE TARGET void load_blocks(vec base[SLH_RATE_WORDS], const struct slh_lanes *l)
{
    alignas(64) uint64_t words[SLH_RATE_WORDS][LANES];
    for (size_t i = 0; i < LANES; i++)
        slh_sponge(&words[0][i], LANES, l, i < l->num ? i : 0);
    memcpy(base, words, sizeof words);
    WIPE(&words);
}

INLINE TARGET void chain_lanes(struct slh_lanes *l)
{
    enum { MAX_WORDS = SLH_MAX_N / 8 };
    const size_t num = l->key->params->n / 8u, at = num + SLH_ADDRESS_WORDS;
    vec base[SLH_RATE_WORDS], a[KECCAK_WORDS], kept[MAX_WORDS], digits = digits_of(l);
    load_blocks(base, l);
    memcpy(kept, base + at, num * sizeof *kept);
    for (unsigned step = 0; step < l->steps; step++) {
        if (step) {
            memcpy(base + at, a, num * sizeof *a);
            base[at - 1] += spread(UINT64_C(1) << 56);
        }
        memset(a, 0, sizeof a);
        memcpy(a, base, sizeof base);
        keccak_rounds(a);
        if (l->keeps)
            keep(kept, a, num, digits, step + 1);
    }
    store_values(l->value, a, num, l->num);
    if (l->keeps)
        store_values(l->kept, kept, num, l->num);
    WIPE(&base);
    WIPE(&a);
    WIPE(&kept);
}
