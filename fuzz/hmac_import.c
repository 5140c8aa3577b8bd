/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an exported HMAC state, with a key of the row that the first byte selects: they are
 * refused, or become a state that exports to the same bytes. */
#include "fuzz.h"

static const struct hr_algorithm *mac_row(unsigned n)
{
    const struct hr_algorithm *row;
    for (size_t i = 0;; i = hr_algorithm_at(i + 1) ? i + 1 : 0)
        if ((row = hr_algorithm_at(i))->cls == HR_CLASS_MAC && n-- == 0)
            return row;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hr_hmac_key key;
    struct hr_hmac_ctx ctx, twin;
    uint8_t state[HR_HMAC_MAX_EXPORT], out[HR_DIGEST_MAX_OUT], again[HR_DIGEST_MAX_OUT];
    size_t len = 0;
    if (size < 1)
        return 0;
    const struct hr_algorithm *row = mac_row(data[0]);
    data++;
    size--;
    CHECK(!hr_hmac_key_init(&key, row->alg, "key", 3));
    int error = hr_hmac_import(&ctx, &key, data, size);
    if (error) {
        CHECK(error == HR_EFORMAT || error == HR_EALG);
        return 0;
    }
    CHECK(!hr_hmac_export(&ctx, state, sizeof state, &len));
    CHECK(len == size && !memcmp(state, data, size));
    CHECK(!hr_hmac_import(&twin, &key, state, len));
    error = hr_hmac_update(&ctx, data, size);
    CHECK(hr_hmac_update(&twin, data, size) == error);
    if (error)
        CHECK(error == HR_ELENGTH);
    CHECK(!hr_hmac_final(&ctx, out) && !hr_hmac_final(&twin, again));
    CHECK(!memcmp(out, again, row->out_len));
    return 0;
}
