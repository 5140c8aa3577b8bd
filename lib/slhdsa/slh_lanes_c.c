/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of one block by the best single kernels of SHA-2, and by four states of Keccak. */
#include "../digest.h"
#include "../digest_rows.h"
#include "../keccak/keccak.h"
#include "slh_lanes.h"

/* ---- SHA-2 ---- */

static void chain(struct slh_lanes *l, size_t lane, const struct digest_impl *impl,
                  const void *seed)
{
    const size_t n = l->key->params->n;
    digest_blocks_fn *blocks = digest_kernel(impl)->blocks;
    uint8_t block[CHAIN_MAX_BLOCK], *value = block + SLH_SHORT_ADDRESS;
    union digest_state state;
    slh_block(block, l, lane, impl->block_len);
    for (unsigned step = 0; step < l->steps; step++) {
        if (l->keeps && l->digit[lane] == step)
            memcpy(l->kept[lane], value, n);
        memcpy(&state, seed, impl->state_len);
        blocks(&state, block, 1);
        store_state(value, &state, n, impl->word_len, 0);
        value[-1]++;
    }
    memcpy(l->value[lane], value, n);
    if (l->keeps && l->digit[lane] == l->steps)
        memcpy(l->kept[lane], value, n);
    WIPE(&block);
    WIPE(&state);
}

void slh_sha256_c(struct slh_lanes *l)
{
    for (size_t lane = 0; lane < l->num; lane++)
        chain(l, lane, &sha256_impl, l->key->seed256);
}

void slh_sha512_c(struct slh_lanes *l)
{
    for (size_t lane = 0; lane < l->num; lane++)
        chain(l, lane, &sha512_impl, l->key->seed512);
}

/* ---- SHAKE256 ---- */

/* Replaces the state of a lane by the one that its next step begins with. */
static void next_step(uint64_t state[KECCAK_WORDS], const uint64_t base[SLH_RATE_WORDS],
                      size_t value_at, size_t words, unsigned step)
{
    uint64_t next[KECCAK_WORDS] = { 0 };
    memcpy(next, base, SLH_RATE_WORDS * sizeof *base);
    next[value_at - 1] += (uint64_t)step << 56;
    memcpy(next + value_at, state, words * sizeof *state);
    memcpy(state, next, sizeof next);
    WIPE(&next);
}

static void keep(struct slh_lanes *l, size_t lane, const uint64_t *value, unsigned step)
{
    if (l->keeps && l->digit[lane] == step)
        for (size_t i = 0; i < l->key->params->n; i += 8)
            store_le64(l->kept[lane] + i, value[i / 8]);
}

void slh_shake_c(struct slh_lanes *l)
{
    const size_t words = l->key->params->n / 8u, at = words + SLH_ADDRESS_WORDS;
    alignas(64) uint64_t states[4][KECCAK_WORDS] = { { 0 } };
    uint64_t base[4][SLH_RATE_WORDS];
    for (size_t lane = 0; lane < l->num; lane++) {
        slh_sponge(base[lane], 1, l, lane);
        memcpy(states[lane], base[lane], sizeof base[lane]);
        keep(l, lane, base[lane] + at, 0);
    }
    for (unsigned step = 0; step < l->steps; step++) {
        for (size_t lane = 0; step && lane < l->num; lane++)
            next_step(states[lane], base[lane], at, words, step);
        if (l->num > 1)
            keccak_f1600_x4(states);
        else
            keccak_f1600(states[0]);
        for (size_t lane = 0; lane < l->num; lane++)
            keep(l, lane, states[lane], step + 1);
    }
    for (size_t lane = 0; lane < l->num; lane++)
        keccak_get(l->value[lane], states[lane], 0, 8 * words);
    WIPE(&states);
    WIPE(&base);
}
