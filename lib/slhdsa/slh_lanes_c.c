/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of one block by the best single kernels of SHA-2, and by four states of Keccak. */
#include "../digest.h"
#include "../digest_rows.h"
#include "../keccak/keccak.h"
#include "slh_lanes.h"

/* ---- SHA-2 ---- */

void slh_short_address(uint8_t *out, const struct slh_address *address)
{
    out[0] = (uint8_t)address->word[SLH_LAYER];
    store_be32(out + 1, address->word[SLH_TREE_HIGH]);
    store_be32(out + 5, address->word[SLH_TREE_LOW]);
    out[9] = (uint8_t)address->word[SLH_TYPE];
    for (int i = 0; i < 3; i++)
        store_be32(out + 10 + 4 * i, address->word[SLH_PAIR + i]);
}

void slh_block(uint8_t *block, const struct slh_lanes *l, size_t lane, size_t block_len)
{
    const size_t len = SLH_SHORT_ADDRESS + l->in_len;
    memset(block, 0, block_len);
    slh_short_address(block, &l->address[lane]);
    memcpy(block + SLH_SHORT_ADDRESS, l->value[lane], l->in_len);
    block[len] = 0x80;
    store_be64(block + block_len - 8, 8 * (uint64_t)(block_len + len));
}

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

void slh_sponge(uint64_t *words, size_t stride, const struct slh_lanes *l, size_t lane)
{
    const size_t n = l->key->params->n, end = (n + l->in_len) / 8 + SLH_ADDRESS_WORDS;
    const uint32_t *address = l->address[lane].word;
    size_t at = 0;
    for (size_t i = 0; i < n; i += 8)
        words[stride * at++] = load_le64(slh_pk_seed(l->key) + i);
    for (int i = 0; i < 8; i += 2)
        words[stride * at++] = bswap64((uint64_t)address[i] << 32 | address[i + 1]);
    for (size_t i = 0; i < l->in_len; i += 8)
        words[stride * at++] = load_le64(l->value[lane] + i);
    while (at < SLH_RATE_WORDS)
        words[stride * at++] = 0;
    words[stride * end] |= KECCAK_SHAKE;
    words[stride * (SLH_RATE_WORDS - 1)] |= UINT64_C(1) << 63;
}

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
