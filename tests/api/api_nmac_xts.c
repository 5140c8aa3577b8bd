/* SPDX-License-Identifier: Apache-2.0 */
/* MACs with a nonce, and XTS: what their headers forbid. */
#include "api.h"
#include "nmac.h"
#include "xts.h"
#include <headrace/algorithms.h>

enum { BLOCK = 16, LEN = 45 };

static uint8_t bytes[6 * BLOCK], text[LEN];

/* ---- MACs ---- */

static void check_nmac_keys(const struct hr_algorithm *row)
{
    struct hr_nmac_key made;
    memset(&made, CANARY, sizeof made);
    wants(hr_nmac_key_init(&made, HR_AES_128_GCM, bytes, 16), HR_EALG, "a key for an AEAD");
    wants(hr_nmac_key_init(&made, (hr_alg)0xffff, bytes, 16), HR_EALG, "a key for nothing");
    wants(hr_nmac_key_init(NULL, row->alg, bytes, row->key_len), HR_EINVAL, "no key");
    wants(hr_nmac_key_init(&made, row->alg, NULL, row->key_len), HR_EINVAL, "no key bytes");
    for (size_t len = 0; len <= sizeof bytes; len++)
        if (len != row->key_len)
            wants(hr_nmac_key_init(&made, row->alg, bytes, len), HR_EKEYLEN, "key length");
    wants(hr_nmac_key_init_kernel(&made, row->alg, 1000, bytes, row->key_len), HR_ECPU,
          "the 1000th kernel");
    wants(hr_nmac_key_init_kernel(&made, HR_AES_128_GCM, 0, bytes, 16), HR_EALG, "a GCM kernel");
    wants_canary(&made, sizeof made, "a key that is refused");
    if (hr_nmac_key_size(HR_SHA256) || hr_nmac_size(HR_SHA256) ||
        hr_nmac_key_size(row->alg) > sizeof made ||
        hr_nmac_size(row->alg) > sizeof(struct hr_nmac_ctx))
        complain("sizes");
    hr_nmac_key_wipe(NULL);
}

static void check_nmac_calls(const struct hr_algorithm *row, const struct hr_nmac_key *key)
{
    const struct hr_nmac_key blank = { { 0 } };
    const size_t iv_len = row->iv_len, wrong_len = iv_len == 12 ? 0 : iv_len + 1;
    const struct hr_algorithm *other;
    uint8_t out[BLOCK], mac[BLOCK + 1];
    memset(out, CANARY, sizeof out);
    wants(hr_nmac(NULL, text, LEN, key, bytes, iv_len), HR_EINVAL, "no output");
    wants(hr_nmac(out, NULL, LEN, key, bytes, iv_len), HR_EINVAL, "no input");
    wants(hr_nmac(out, text, LEN, NULL, bytes, iv_len), HR_EINVAL, "no key");
    wants(hr_nmac(out, text, LEN, key, NULL, 12), HR_EINVAL, "no nonce");
    wants(hr_nmac(out, text, LEN, &blank, bytes, iv_len), HR_ESTATE, "a blank key");
    wants(hr_nmac(out, text, LEN, key, bytes, wrong_len), HR_EIVLEN, "a nonce's length");
    wants(direct_nmac(row->alg)(out, text, LEN, key, bytes, wrong_len), HR_EIVLEN, "typed");
    wants(hr_nmac(out, text, (size_t)1 << 61, key, bytes, iv_len), HR_ELENGTH, "2^61 bytes");
    wants(direct_nmac(row->alg)(out, text, SIZE_MAX, key, bytes, iv_len), HR_ELENGTH, "2^64");
    for (size_t i = 0; (other = hr_algorithm_at(i)); i++)
        if (other->cls == HR_CLASS_NMAC && other != row)
            wants(direct_nmac(other->alg)(out, text, LEN, key, bytes, other->iv_len), HR_ESTATE,
                  "another row's key");
    wants_canary(out, sizeof out, "a refused MAC");
    wants(hr_nmac(mac, NULL, 0, key, bytes, iv_len), 0, "nothing at NULL");
    wants(hr_nmac_verify(mac, row->out_len, NULL, 0, key, bytes, iv_len), 0, "nothing at NULL");
    wants(hr_nmac_verify(NULL, row->out_len, text, 0, key, bytes, iv_len), HR_EINVAL, "no MAC");
    wants(hr_nmac_verify(mac, 0, text, 0, key, bytes, iv_len), HR_ETAGLEN, "0 bytes");
    wants(hr_nmac_verify(mac, row->out_len + 1u, text, 0, key, bytes, iv_len), HR_ETAGLEN,
          "a byte more");
    wants(hr_nmac_verify(mac, row->out_len, text, 0, key, bytes, wrong_len), HR_EIVLEN, "a nonce");
    wants(hr_nmac_verify(mac, row->out_len, text, 0, &blank, bytes, iv_len), HR_ESTATE,
          "a blank key");
}

static void check_nmac_stream(const struct hr_algorithm *row, const struct hr_nmac_key *key)
{
    const struct hr_nmac_key blank = { { 0 } };
    const size_t iv_len = row->iv_len, wrong_len = iv_len == 12 ? 0 : iv_len + 1;
    struct hr_nmac_ctx ctx = { { 0 } };
    uint8_t out[BLOCK], want[BLOCK];
    wants(hr_nmac_update(&ctx, text, 1), HR_ESTATE, "update before init");
    wants(hr_nmac_final(&ctx, out), HR_ESTATE, "final before init");
    wants(hr_nmac_set_key(&ctx, key), HR_ESTATE, "set_key before init");
    wants(hr_nmac_init(NULL, key, bytes, iv_len), HR_EINVAL, "no context");
    wants(hr_nmac_init(&ctx, NULL, bytes, iv_len), HR_EINVAL, "no key");
    wants(hr_nmac_init(&ctx, key, NULL, 12), HR_EINVAL, "no nonce");
    wants(hr_nmac_init(&ctx, &blank, bytes, iv_len), HR_ESTATE, "a blank key");
    wants(hr_nmac_init(&ctx, key, bytes, wrong_len), HR_EIVLEN, "a nonce's length");
    if (!is_zero(&ctx, sizeof ctx))
        complain("a refused init leaves something");
    wants(hr_nmac_init(&ctx, key, bytes, iv_len), 0, "init");
    wants(hr_nmac_update(NULL, text, 1), HR_EINVAL, "no context");
    wants(hr_nmac_update(&ctx, NULL, 1), HR_EINVAL, "no input");
    wants(hr_nmac_update(&ctx, text, 9), 0, "update");
    wants(hr_nmac_update(&ctx, NULL, 0), 0, "nothing at NULL while bytes wait");
    wants(hr_nmac_update(&ctx, text, ((size_t)1 << 61) - 9), HR_ELENGTH, "2^61 bytes in all");
    wants(hr_nmac_update(&ctx, text, SIZE_MAX), HR_ELENGTH, "2^64 - 1 bytes");
    wants(hr_nmac_update(&ctx, text + 9, LEN - 9), 0, "update");
    wants(hr_nmac_set_key(&ctx, NULL), HR_EINVAL, "no key");
    wants(hr_nmac_set_key(&ctx, &blank), HR_ESTATE, "a blank key");
    wants(hr_nmac_final(NULL, out), HR_EINVAL, "no context");
    wants(hr_nmac_final(&ctx, NULL), HR_EINVAL, "no output");
    wants(hr_nmac_final(&ctx, out), 0, "final");
    wants(hr_nmac(want, text, LEN, key, bytes, iv_len), 0, "whole");
    if (memcmp(out, want, row->out_len))
        complain("a stream with refusals: another MAC");
    wants(hr_nmac_final(&ctx, out), HR_ESTATE, "final again");
}

void check_nmacs(void)
{
    const struct hr_algorithm *row;
    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        struct hr_nmac_key key;
        if (row->cls != HR_CLASS_NMAC)
            continue;
        wants(hr_nmac_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
        const struct hr_nmac_key before = key;
        check_nmac_keys(row);
        check_nmac_calls(row, &key);
        check_nmac_stream(row, &key);
        if (memcmp(&before, &key, hr_nmac_key_size(row->alg)))
            complain("a key has changed in use");
        tap(!complaints_so_far(), "%s refuses what the header forbids", row->name);
    }
}

/* ---- XTS ---- */

static void check_xts_keys(const struct hr_algorithm *row)
{
    struct hr_xts_key made;
    memset(&made, CANARY, sizeof made);
    wants(hr_xts_key_init(&made, HR_AES_128_ECB, bytes, 16), HR_EALG, "a key for a cipher");
    wants(hr_xts_key_init(NULL, row->alg, bytes, row->key_len), HR_EINVAL, "no key");
    wants(hr_xts_key_init(&made, row->alg, NULL, row->key_len), HR_EINVAL, "no key bytes");
    for (size_t len = 0; len <= sizeof bytes; len++)
        if (len != row->key_len)
            wants(hr_xts_key_init(&made, row->alg, bytes, len), HR_EKEYLEN, "key length");
    wants(hr_xts_key_init_kernel(&made, row->alg, (enum hr_op)2, 0, bytes, row->key_len), HR_EINVAL,
          "operation 2");
    wants_canary(&made, sizeof made, "a key that is refused");
    wants(hr_xts_key_init_kernel(&made, row->alg, HR_OP_DECRYPT, 1000, bytes, row->key_len),
          HR_ECPU, "the 1000th kernel");
    if (!is_zero(&made, hr_xts_key_size(row->alg)))
        complain("a refused kernel leaves a key behind");
    if (hr_xts_key_size(HR_SHA256) || hr_xts_key_size(row->alg) > sizeof made)
        complain("sizes");
    hr_xts_key_wipe(NULL);
}

typedef int xts_fn_generic(uint8_t *out, const uint8_t *in, size_t len,
                           const struct hr_xts_key *key, const uint8_t *iv);
typedef int xts_fn_units(uint8_t *out, const uint8_t *in, size_t unit_len, size_t num_units,
                         const struct hr_xts_key *key, uint64_t first);

static void check_xts_calls(const struct hr_algorithm *row, const struct hr_xts_key *key,
                            enum hr_op op)
{
    const struct hr_xts_key blank = { { 0 } };
    xts_fn_generic *const generic = op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt;
    xts_fn_units *const units = op == HR_OP_ENCRYPT ? hr_xts_encrypt_units : hr_xts_decrypt_units;
    const struct hr_algorithm *other;
    uint8_t out[LEN];
    memset(out, CANARY, sizeof out);
    wants(generic(NULL, text, LEN, key, bytes), HR_EINVAL, "no output");
    wants(generic(out, NULL, LEN, key, bytes), HR_EINVAL, "no input");
    wants(generic(out, text, LEN, NULL, bytes), HR_EINVAL, "no key");
    wants(generic(out, text, LEN, key, NULL), HR_EINVAL, "no tweak");
    wants(generic(out, text, LEN, &blank, bytes), HR_ESTATE, "a blank key");
    wants(generic(out, text, BLOCK - 1, key, bytes), HR_ELENGTH, "15 bytes");
    wants(generic(out, text, 0, key, bytes), HR_ELENGTH, "no bytes");
    wants(generic(out, text, (1 << 24) + 1, key, bytes), HR_ELENGTH, "2^24 + 1 bytes");
    wants(generic(out, text, SIZE_MAX, key, bytes), HR_ELENGTH, "2^64 - 1 bytes");
    wants(units(out, text, BLOCK, 1, NULL, 0), HR_EINVAL, "no key");
    wants(units(out, text, BLOCK, 0, NULL, 0), HR_EINVAL, "no key, and no unit");
    wants(units(out, text, BLOCK, 0, &blank, 0), HR_ESTATE, "a blank key, and no unit");
    wants(units(NULL, text, BLOCK, 1, key, 0), HR_EINVAL, "no output");
    wants(units(out, NULL, BLOCK, 1, key, 0), HR_EINVAL, "no input");
    wants(units(out, text, BLOCK - 1, 1, key, 0), HR_ELENGTH, "units of 15 bytes");
    wants(units(out, text, 0, 1, key, 0), HR_ELENGTH, "units of no bytes");
    wants(units(out, text, (1 << 24) + 1, 1, key, 0), HR_ELENGTH, "units of 2^24 + 1 bytes");
    wants(units(out, text, BLOCK, SIZE_MAX / BLOCK + 1, key, 0), HR_ELENGTH, "2^60 units");
    wants(units(out, text, BLOCK, 1, &blank, 0), HR_ESTATE, "a blank key");
    for (size_t i = 0; (other = hr_algorithm_at(i)); i++)
        if (other->cls == HR_CLASS_XTS && other != row)
            wants(direct_xts(other->alg, op)(out, text, LEN, key, bytes), HR_ESTATE,
                  "another row's key");
    wants_canary(out, sizeof out, "a refused unit");
    wants(units(NULL, NULL, BLOCK, 0, key, 0), 0, "no unit at NULL");
}

/* check_xts_advance checks what is refused, that steps add up to one, and that they end where the
 * longest unit does. */
static void check_xts_advance(const struct hr_algorithm *row, const struct hr_xts_key *key)
{
    enum { MOST = 1 << 20 };
    struct hr_xts_key blank = { { 0 } }, steps = *key, once = *key;
    wants(hr_xts_key_advance(NULL, bytes, 1), HR_EINVAL, "no key");
    wants(hr_xts_key_advance(&steps, NULL, 1), HR_EINVAL, "no tweak");
    wants(hr_xts_key_advance(&blank, bytes, 1), HR_ESTATE, "a blank key");
    wants(hr_xts_key_advance(&steps, bytes, MOST + 1), HR_ELENGTH, "2^20 + 1 blocks");
    wants(hr_xts_key_advance(&steps, bytes, SIZE_MAX), HR_ELENGTH, "2^64 - 1 blocks");
    wants(hr_xts_key_advance(&steps, bytes, 0), 0, "no block");
    if (!is_zero(&blank, sizeof blank) || memcmp(&steps, key, sizeof steps))
        complain("%s: a refused step, or none, changes the key", row->name);
    for (size_t left = MOST, n; left; left -= n) {
        n = 1 + random_below(left < 9000 ? (unsigned)left : 9000);
        wants(hr_xts_key_advance(&steps, bytes, n), 0, "a step");
    }
    wants(hr_xts_key_advance(&once, bytes, MOST), 0, "2^20 blocks");
    if (memcmp(&steps, &once, sizeof once) || !memcmp(&once, key, sizeof once))
        complain("%s: steps do not add up", row->name);
}

/* check_equal_halves checks that every call that encrypts refuses a key with equal halves and
 * writes nothing. */
static void check_equal_halves(const struct hr_algorithm *row)
{
    uint8_t out[3 * BLOCK], equal[4 * BLOCK];
    struct hr_xts_key key;
    const size_t half = row->key_len / 2;
    memset(out, CANARY, sizeof out);
    memcpy(equal, bytes, half);
    memcpy(equal + half, bytes, half);
    wants(hr_xts_key_init(&key, row->alg, equal, row->key_len), 0, "a key of equal halves");
    wants(hr_xts_encrypt(out, text, LEN, &key, bytes), HR_EKEY, "encrypt");
    wants(direct_xts(row->alg, HR_OP_ENCRYPT)(out, text, LEN, &key, bytes), HR_EKEY, "typed");
    wants(hr_xts_encrypt_units(out, text, BLOCK, 2, &key, 0), HR_EKEY, "units");
    wants_canary(out, sizeof out, "a refused unit");
    wants(hr_xts_decrypt(out, text, LEN, &key, bytes), 0, "decrypt");
    for (size_t bit = 0; bit < 8 * half; bit++) {
        equal[half + bit / 8] ^= (uint8_t)(1 << bit % 8);
        wants(hr_xts_key_init(&key, row->alg, equal, row->key_len), 0, "one bit differs");
        wants(hr_xts_encrypt(out, text, LEN, &key, bytes), 0, "encrypt");
        equal[half + bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

void check_xts(void)
{
    const struct hr_algorithm *row;
    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        struct hr_xts_key key;
        if (row->cls != HR_CLASS_XTS)
            continue;
        wants(hr_xts_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
        check_xts_keys(row);
        for (enum hr_op op = 0; op <= HR_OP_DECRYPT; op++)
            check_xts_calls(row, &key, op);
        check_xts_advance(row, &key);
        check_equal_halves(row);
        tap(!complaints_so_far(), "%s refuses what the header forbids", row->name);
    }
}
