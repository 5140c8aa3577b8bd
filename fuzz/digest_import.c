/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an exported digest state: they are refused, or become a state that exports to the
 * same bytes. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hr_digest_ctx ctx, twin;
    uint8_t state[HR_DIGEST_MAX_EXPORT], out[HR_DIGEST_MAX_OUT], again[HR_DIGEST_MAX_OUT];
    size_t len = 0;
    int error = hr_digest_import(&ctx, data, size);
    if (error) {
        CHECK(error == HR_EFORMAT || error == HR_EALG);
        return 0;
    }
    CHECK(!hr_digest_export(&ctx, state, sizeof state, &len));
    CHECK(len == size && !memcmp(state, data, size));
    CHECK(!hr_digest_import(&twin, state, len));
    error = hr_digest_update(&ctx, data, size);
    CHECK(hr_digest_update(&twin, data, size) == error);
    if (error)
        CHECK(error == HR_ELENGTH);
    CHECK(!hr_digest_final(&ctx, out) && !hr_digest_final(&twin, again));
    CHECK(!memcmp(out, again, hr_algorithm((hr_alg)(data[6] << 8 | data[7]))->out_len));
    return 0;
}
