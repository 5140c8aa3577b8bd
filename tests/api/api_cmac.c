/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of CMAC refuse. */
#include "../test.h"
#include "api.h"
#include <headrace/algorithms.h>

enum { LEN = 100 };

static uint8_t bytes[64], text[LEN];

static void check_keys(const struct hr_algorithm *row)
{
    struct hr_cmac_key made;
    wants(hr_cmac_key_init(&made, HR_AES_128_CBC, bytes, 16), HR_EALG, "a key for a cipher");
    wants(hr_cmac_key_init(&made, (hr_alg)0xffff, bytes, 16), HR_EALG, "a key for nothing");
    wants(hr_cmac_key_init(NULL, row->alg, bytes, row->key_len), HR_EINVAL, "no key");
    wants(hr_cmac_key_init(&made, row->alg, NULL, row->key_len), HR_EINVAL, "no key bytes");
    for (size_t len = 0; len <= sizeof bytes; len++)
        if (len != row->key_len)
            wants(hr_cmac_key_init(&made, row->alg, bytes, len), HR_EKEYLEN, "key length");
    wants(hr_cmac_key_init_vartime(&made, HR_AES_128_CBC, bytes, 16), HR_EALG, "a cipher");
    wants(hr_cmac_key_init_vartime(&made, row->alg, bytes, 1), HR_EKEYLEN, "key length");
    wants(hr_cmac_key_init_vartime(&made, row->alg, bytes, row->key_len), 0, "in any time");
    wants(hr_cmac_key_init_kernel(&made, row->alg, 1000, bytes, row->key_len), HR_ECPU,
          "no such kernel");
    wants(hr_cmac_key_init_kernel(&made, HR_AES_128_CBC, 0, bytes, 16), HR_EALG, "a CBC kernel");
    wants(hr_cmac_key_init_kernel(NULL, row->alg, 0, bytes, row->key_len), HR_EINVAL, "no key");
    if (hr_cmac_key_size(HR_SHA256) || hr_cmac_size(HR_SHA256) ||
        hr_cmac_key_size(row->alg) > sizeof made ||
        hr_cmac_size(row->alg) > sizeof(struct hr_cmac_ctx))
        complain("%s: sizes", row->name);
    hr_cmac_key_wipe(NULL);
}

static void check_calls(const struct hr_algorithm *row, const struct hr_cmac_key *key)
{
    const struct hr_cmac_key blank = { { 0 } };
    const struct hr_algorithm *other;
    uint8_t out[HR_CMAC_MAX_OUT], mac[HR_CMAC_MAX_OUT];
    wants(hr_cmac(NULL, text, LEN, key), HR_EINVAL, "no output");
    wants(hr_cmac(out, NULL, LEN, key), HR_EINVAL, "no input");
    wants(hr_cmac(out, text, LEN, NULL), HR_EINVAL, "no key");
    wants(hr_cmac(out, text, LEN, &blank), HR_ESTATE, "a blank key");
    wants(hr_cmac(out, text, (size_t)1 << 61, key), HR_ELENGTH, "2^61 bytes");
    wants(direct_cmac(row->alg)(out, text, SIZE_MAX, key), HR_ELENGTH, "2^64 bytes");
    for (size_t i = 0; (other = hr_algorithm_at(i)); i++)
        if (other->cls == HR_CLASS_CMAC && other != row)
            wants(direct_cmac(other->alg)(out, text, LEN, key), HR_ESTATE, "a key of another row");
    wants(hr_cmac(mac, NULL, 0, key), 0, "nothing at NULL");
    wants(hr_cmac_verify(mac, row->out_len, NULL, 0, key), 0, "nothing at NULL");
    wants(hr_cmac_verify(NULL, row->out_len, text, 0, key), HR_EINVAL, "no MAC");
    wants(hr_cmac_verify(mac, row->out_len, text, 0, NULL), HR_EINVAL, "no key");
    wants(hr_cmac_verify(mac, 0, text, 0, key), HR_ETAGLEN, "0 bytes");
    wants(hr_cmac_verify(mac, row->out_len + 1u, text, 0, key), HR_ETAGLEN,
          "a MAC that is too long");
    wants(hr_cmac_verify(mac, row->out_len, text, 0, &blank), HR_ESTATE, "a blank key");
}

static void check_stream(const struct hr_algorithm *row, const struct hr_cmac_key *key)
{
    const struct hr_cmac_key blank = { { 0 } };
    uint8_t out[HR_CMAC_MAX_OUT], want[HR_CMAC_MAX_OUT];
    struct hr_cmac_ctx ctx = { { 0 } };
    wants(hr_cmac_update(&ctx, text, 1), HR_ESTATE, "update before init");
    wants(hr_cmac_final(&ctx, out), HR_ESTATE, "final before init");
    wants(hr_cmac_set_key(&ctx, key), HR_ESTATE, "set_key before init");
    wants(hr_cmac_init(NULL, key), HR_EINVAL, "no context");
    wants(hr_cmac_init(&ctx, NULL), HR_EINVAL, "no key");
    wants(hr_cmac_init(&ctx, &blank), HR_ESTATE, "a blank key");

    wants(hr_cmac_init(&ctx, key), 0, "init");
    wants(hr_cmac_update(NULL, text, 1), HR_EINVAL, "no context");
    wants(hr_cmac_update(&ctx, NULL, 1), HR_EINVAL, "no input");
    wants(hr_cmac_update(&ctx, text, 9), 0, "update");
    wants(hr_cmac_update(&ctx, NULL, 0), 0, "nothing at NULL while bytes wait");
    wants(hr_cmac_update(&ctx, text, ((size_t)1 << 61) - 9), HR_ELENGTH, "2^61 bytes in all");
    wants(hr_cmac_update(&ctx, text, SIZE_MAX), HR_ELENGTH, "2^64 - 1 bytes");
    wants(hr_cmac_update(&ctx, text + 9, LEN - 9), 0, "update");
    wants(hr_cmac_set_key(&ctx, NULL), HR_EINVAL, "no key");
    wants(hr_cmac_set_key(&ctx, &blank), HR_ESTATE, "a blank key");
    wants(hr_cmac_final(NULL, out), HR_EINVAL, "no context");
    wants(hr_cmac_final(&ctx, NULL), HR_EINVAL, "no output");
    wants(hr_cmac_final(&ctx, out), 0, "final");
    wants(hr_cmac(want, text, LEN, key), 0, "whole");
    if (memcmp(out, want, row->out_len))
        complain("%s: refused calls change the MAC", row->name);
    wants(hr_cmac_final(&ctx, out), HR_ESTATE, "final again");
}

void check_cmacs(void)
{
    const struct hr_algorithm *row;
    random_bytes(bytes, sizeof bytes);
    random_bytes(text, sizeof text);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        struct hr_cmac_key key;
        if (row->cls != HR_CLASS_CMAC)
            continue;
        wants(hr_cmac_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
        const struct hr_cmac_key before = key;
        check_keys(row);
        check_calls(row, &key);
        check_stream(row, &key);
        if (memcmp(&before, &key, hr_cmac_key_size(row->alg)))
            complain("%s: a call changes the key", row->name);
        tap(!complaints_so_far(), "%s refuses what the header forbids", row->name);
    }
}
