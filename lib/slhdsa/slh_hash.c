/* SPDX-License-Identifier: Apache-2.0 */
/* The tweakable hash functions of SLH-DSA, FIPS 205 sections 11.1 and 11.2.  Most have an input of
 * one block, so compression functions are called with whole blocks; SHAKE hashes four at once. */
#include "../digest.h"
#include "../digest_rows.h"
#include "../keccak/keccak.h"
#include "slhdsa.h"

enum {
    ADDRESS_LEN = 32,
    SHORT_ADDRESS_LEN = 22,
    LONGEST = SLH_MAX_CHAINS * SLH_MAX_N,
    BUFFER = LONGEST + 2 * CHAIN_MAX_BLOCK + 32,
};

static void first_block(void *state, const struct digest_impl *impl, const uint8_t *seed, size_t n)
{
    uint8_t block[CHAIN_MAX_BLOCK] = { 0 };
    memcpy(block, seed, n);
    memcpy(state, impl->init, impl->state_len);
    digest_kernel(impl)->blocks(state, block, 1);
}

void slh_prepare(struct slh_key *key)
{
    if (key->params->shake)
        return;
    first_block(key->seed256, &sha256_impl, slh_pk_seed(key), key->params->n);
    first_block(key->seed512, &sha512_impl, slh_pk_seed(key), key->params->n);
}

/* ---- SHA-2 ---- */

/* ADRSc: the last byte of the layer, eight of the tree, the last of the type, and the rest. */
static void store_short(uint8_t *out, const struct slh_address *address)
{
    out[0] = (uint8_t)address->word[SLH_LAYER];
    store_be32(out + 1, address->word[SLH_TREE_HIGH]);
    store_be32(out + 5, address->word[SLH_TREE_LOW]);
    out[9] = (uint8_t)address->word[SLH_TYPE];
    for (int i = 0; i < 3; i++)
        store_be32(out + 10 + 4 * i, address->word[SLH_PAIR + i]);
}

/* Pads a message after a first block, and returns the number of its blocks. */
static size_t pad(uint8_t *buffer, size_t len, size_t block_len)
{
    const size_t num = (len + 1 + block_len / 8 + block_len - 1) / block_len;
    memset(buffer + len, 0, num * block_len - len);
    buffer[len] = 0x80;
    store_be64(buffer + num * block_len - 8, 8 * (uint64_t)(block_len + len));
    return num;
}

static void sha2(uint8_t *out, const struct slh_key *key, struct slh_address address, int vary,
                 const uint8_t *in, size_t stride, size_t in_len, size_t num)
{
    const size_t n = key->params->n, len = SHORT_ADDRESS_LEN + in_len;
    const int wide = n > 16 && in_len > n;
    const struct digest_impl *impl = wide ? &sha512_impl : &sha256_impl;
    const void *seed = wide ? (const void *)key->seed512 : key->seed256;
    digest_blocks_fn *blocks = digest_kernel(impl)->blocks;
    uint8_t buffer[BUFFER];
    union digest_state state;
    const size_t num_blocks = pad(buffer, len, impl->block_len);
    for (size_t i = 0; i < num; i++, address.word[vary]++) {
        store_short(buffer, &address);
        memcpy(buffer + SHORT_ADDRESS_LEN, in + i * stride, in_len);
        memcpy(&state, seed, impl->state_len);
        blocks(&state, buffer, num_blocks);
        store_state(out + i * n, &state, n, impl->word_len, 0);
    }
    wipe_bytes(buffer, len);
    WIPE(&state);
}

/* ---- SHAKE256 ---- */

static void store_address(uint8_t *out, const struct slh_address *address)
{
    for (int i = 0; i < 8; i++)
        store_be32(out + 4 * i, address->word[i]);
}

/* Begins a hash whose input fits into one block. */
static void fill(uint64_t state[KECCAK_WORDS], const struct slh_key *key,
                 const struct slh_address *address, const uint8_t *in, size_t in_len)
{
    const size_t n = key->params->n;
    uint8_t bytes[ADDRESS_LEN];
    store_address(bytes, address);
    memset(state, 0, KECCAK_WORDS * sizeof *state);
    keccak_add(state, 0, slh_pk_seed(key), n);
    keccak_add(state, n, bytes, sizeof bytes);
    keccak_add(state, n + sizeof bytes, in, in_len);
    keccak_end(state, n + sizeof bytes + in_len, KECCAK_RATE_256, KECCAK_SHAKE);
}

static void shake_long(uint8_t *out, const struct slh_key *key, const struct slh_address *address,
                       const uint8_t *in, size_t in_len)
{
    uint8_t bytes[ADDRESS_LEN];
    struct keccak k;
    store_address(bytes, address);
    keccak_start(&k, KECCAK_RATE_256, KECCAK_SHAKE);
    keccak_absorb(&k, slh_pk_seed(key), key->params->n);
    keccak_absorb(&k, bytes, sizeof bytes);
    keccak_absorb(&k, in, in_len);
    keccak_squeeze(&k, out, key->params->n);
    WIPE(&k);
}

static void shake(uint8_t *out, const struct slh_key *key, struct slh_address address, int vary,
                  const uint8_t *in, size_t stride, size_t in_len, size_t num)
{
    const size_t n = key->params->n;
    alignas(64) uint64_t states[4][KECCAK_WORDS] = { { 0 } };
    for (size_t i = 0; i < num; i += 4) {
        const size_t here = num - i < 4 ? num - i : 4;
        for (size_t j = 0; j < here; j++, address.word[vary]++)
            fill(states[j], key, &address, in + (i + j) * stride, in_len);
        if (here > 1)
            keccak_f1600_x4(states);
        else
            keccak_f1600(states[0]);
        for (size_t j = 0; j < here; j++)
            keccak_get(out + (i + j) * n, states[j], 0, n);
    }
    WIPE(&states);
}

void slh_hash(uint8_t *out, const struct slh_key *key, const struct slh_address *address, int vary,
              const uint8_t *in, size_t stride, size_t in_len, size_t num)
{
    if (!key->params->shake)
        sha2(out, key, *address, vary, in, stride, in_len, num);
    else if (in_len > 2u * key->params->n)
        shake_long(out, key, address, in, in_len); /* T, of which there is one */
    else
        shake(out, key, *address, vary, in, stride, in_len, num);
}
