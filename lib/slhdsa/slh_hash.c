/* SPDX-License-Identifier: Apache-2.0 */
/* The tweakable hash functions of SLH-DSA, FIPS 205 sections 11.1 and 11.2.  Most have one block,
 * after the one of PK.seed of SHA-2, which slh_prepare compresses; only T has more. */
#include "../digest.h"
#include "../digest_rows.h"
#include "../keccak/keccak.h"
#include "slh_lanes.h"

void slh_prepare(struct slh_key *key)
{
    static const struct digest_impl *const impls[] = { &sha256_impl, &sha512_impl };
    void *const states[] = { key->seed256, key->seed512 };
    CT_PUBLIC(slh_pk_seed(key), 2u * key->params->n);
    for (size_t i = 0; i < COUNT(impls) && !key->params->shake; i++) {
        uint8_t block[CHAIN_MAX_BLOCK] = { 0 };
        memcpy(block, slh_pk_seed(key), key->params->n);
        memcpy(states[i], impls[i]->init, impls[i]->state_len);
        digest_kernel(impls[i])->blocks(states[i], block, 1);
    }
}

/* ---- one block ---- */

void slh_hash(uint8_t *out, const struct slh_key *key, const struct slh_address *first, int vary,
              const uint8_t *in, size_t stride, size_t in_len, size_t num)
{
    const size_t n = key->params->n;
    struct slh_address address = *first;
    struct slh_lanes l;
    slh_begin(&l, key, in_len);
    while (num) {
        const struct slh_kernel *kernel = slh_kernel_for(&l, num);
        for (size_t i = 0; i < l.num; i++, address.word[vary]++) {
            l.address[i] = address;
            memcpy(l.value[i], in + i * stride, in_len);
        }
        kernel->run(&l);
        for (size_t i = 0; i < l.num; i++)
            memcpy(out + i * n, l.value[i], n);
        out += l.num * n;
        in += l.num * stride;
        num -= l.num;
    }
    WIPE(&l.value);
}

/* ---- T ---- */

/* Pads a message after a first block, and returns the number of its blocks. */
static size_t pad(uint8_t *buffer, size_t len, size_t block_len)
{
    const size_t num = (len + 1 + block_len / 8 + block_len - 1) / block_len;
    memset(buffer + len, 0, num * block_len - len);
    buffer[len] = 0x80;
    store_be64(buffer + num * block_len - 8, 8 * (uint64_t)(block_len + len));
    return num;
}

static void sha2_long(uint8_t *out, const struct slh_key *key, const struct slh_address *address,
                      const uint8_t *in, size_t in_len)
{
    enum { LONGEST = SLH_SHORT_ADDRESS + SLH_MAX_CHAINS * SLH_MAX_N + 2 * CHAIN_MAX_BLOCK };
    const size_t n = key->params->n, len = SLH_SHORT_ADDRESS + in_len;
    const struct digest_impl *impl = n > 16 ? &sha512_impl : &sha256_impl;
    uint8_t buffer[LONGEST];
    union digest_state state;
    slh_short_address(buffer, address);
    memcpy(buffer + SLH_SHORT_ADDRESS, in, in_len);
    memcpy(&state, n > 16 ? (const void *)key->seed512 : key->seed256, impl->state_len);
    digest_kernel(impl)->blocks(&state, buffer, pad(buffer, len, impl->block_len));
    store_state(out, &state, n, impl->word_len, 0);
    wipe_bytes(buffer, len);
    WIPE(&state);
}

static void shake_long(uint8_t *out, const struct slh_key *key, const struct slh_address *address,
                       const uint8_t *in, size_t in_len)
{
    uint8_t bytes[4 * COUNT(address->word)];
    struct keccak k;
    for (size_t i = 0; i < COUNT(address->word); i++)
        store_be32(bytes + 4 * i, address->word[i]);
    keccak_start(&k, KECCAK_RATE_256, KECCAK_SHAKE);
    keccak_absorb(&k, slh_pk_seed(key), key->params->n);
    keccak_absorb(&k, bytes, sizeof bytes);
    keccak_absorb(&k, in, in_len);
    keccak_squeeze(&k, out, key->params->n);
    WIPE(&k);
}

void slh_hash_long(uint8_t *out, const struct slh_key *key, const struct slh_address *address,
                   const uint8_t *in, size_t in_len)
{
    (key->params->shake ? shake_long : sha2_long)(out, key, address, in, in_len);
}
