/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of key wrap refuse. */
#include "../test.h"
#include "api.h"
#include <headrace/algorithms.h>

enum { LEN = 40 };

static uint8_t bytes[64], text[LEN];

static void check_keys(const struct hr_algorithm *row)
{
    struct hr_wrap_key made;
    wants(hr_wrap_key_init(&made, HR_AES_128_ECB, bytes, 16), HR_EALG, "a key for a cipher");
    wants(hr_wrap_key_init(&made, (hr_alg)0xffff, bytes, 16), HR_EALG, "a key for nothing");
    wants(hr_wrap_key_init(NULL, row->alg, bytes, row->key_len), HR_EINVAL, "no key");
    wants(hr_wrap_key_init(&made, row->alg, NULL, row->key_len), HR_EINVAL, "no key bytes");
    for (size_t len = 0; len <= sizeof bytes; len++)
        if (len != row->key_len)
            wants(hr_wrap_key_init(&made, row->alg, bytes, len), HR_EKEYLEN, "key length");
    wants(hr_wrap_key_init_kernel(&made, row->alg, (enum hr_op)2, 0, bytes, row->key_len),
          HR_EINVAL, "operation 2");
    wants(hr_wrap_key_init_kernel(NULL, row->alg, HR_OP_WRAP, 0, bytes, row->key_len), HR_EINVAL,
          "no key");
    wants(hr_wrap_key_init_kernel(&made, row->alg, HR_OP_UNWRAP, 1000, bytes, row->key_len),
          HR_ECPU, "the 1000th kernel");
    if (!is_zero(&made, hr_wrap_key_size(row->alg)))
        complain("a refused kernel leaves a key behind");
    if (hr_wrap_key_size(HR_SHA256) || hr_wrap_key_size(row->alg) > sizeof made ||
        hr_wrapped_len(HR_SHA256, 16))
        complain("%s: sizes", row->name);
    hr_wrap_key_wipe(NULL);
}

typedef int call_fn(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len,
                    const struct hr_wrap_key *key, const uint8_t *iv);

static void check_calls(call_fn *call, const struct hr_wrap_key *key)
{
    const struct hr_wrap_key blank = { { 0 } };
    uint8_t out[LEN + 8];
    size_t out_len = 1;
    memset(out, CANARY, sizeof out);
    wants(call(NULL, &out_len, text, LEN, key, NULL), HR_EINVAL, "no output");
    wants(call(out, NULL, text, LEN, key, NULL), HR_EINVAL, "no output length");
    wants(call(out, &out_len, NULL, LEN, key, NULL), HR_EINVAL, "no input");
    wants(call(out, &out_len, text, LEN, NULL, NULL), HR_EINVAL, "no key");
    wants(call(out, &out_len, text, LEN, &blank, NULL), HR_ESTATE, "a blank key");
    wants(call(out, &out_len, text, 0, key, NULL), HR_ELENGTH, "nothing");
    wants(call(out, &out_len, text, SIZE_MAX, key, NULL), HR_ELENGTH, "2^64 - 1 bytes");
    wants_canary(out, sizeof out, "a refused call");
    if (out_len != 1)
        complain("a refused call sets the length");
}

/* check_iv checks that a wrapped key unwraps in place, and that the IV may lie in the output. */
static void check_iv(const struct hr_algorithm *row, const struct hr_wrap_key *key)
{
    uint8_t both[LEN + 8], copy[LEN + 8];
    size_t len, copy_len;
    memcpy(both, text, LEN);
    memcpy(copy, bytes, 8);
    wants(hr_wrap(both, &len, both, LEN, key, bytes), 0, "in place");
    wants(hr_wrap(copy, &copy_len, text, LEN, key, copy), 0, "an IV in the output");
    if (len != LEN + 8 || copy_len != len || memcmp(both, copy, len))
        complain("%s: an IV in the output", row->name);
    memcpy(copy, bytes, 8);
    wants(hr_unwrap(copy, &copy_len, both, len, key, copy), 0, "an IV in the output");
    wants(hr_unwrap(both, &len, both, len, key, bytes), 0, "in place");
    if (len != LEN || copy_len != len || memcmp(both, text, len) || memcmp(copy, text, len))
        complain("%s: unwrapping in place, or with an IV in the output", row->name);
}

void check_wraps(void)
{
    const struct hr_algorithm *row;
    random_bytes(bytes, sizeof bytes);
    random_bytes(text, sizeof text);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        struct hr_wrap_key key;
        if (row->cls != HR_CLASS_WRAP)
            continue;
        wants(hr_wrap_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
        check_keys(row);
        check_calls(hr_wrap, &key);
        check_calls(hr_unwrap, &key);
        check_iv(row, &key);
        tap(!complaints_so_far(), "%s refuses what the header forbids", row->name);
    }
}
