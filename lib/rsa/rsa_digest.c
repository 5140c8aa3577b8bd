/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, masks and random bytes of RSA's paddings. */
#include "../pk/random.h"
#include "rsa.h"
#include <headrace/algorithms.h>

const struct hr_algorithm *rsa_digest(hr_alg alg, hr_alg fallback)
{
    const struct hr_algorithm *row = hr_algorithm(alg ? alg : fallback);
    const int usable = row && row->cls == HR_CLASS_DIGEST && !(row->flags & HR_CHECKSUM_ONLY);
    return usable ? row : NULL;
}

int rsa_mgf1(uint8_t *out, size_t out_len, const uint8_t *seed, size_t seed_len, hr_alg digest)
{
    struct hr_digest_ctx ctx;
    uint8_t mask[HR_DIGEST_MAX_OUT], counter[4];
    const size_t len = hr_algorithm(digest)->out_len;
    int error = 0;
    for (uint32_t i = 0; !error && out_len; i++) {
        const size_t part = out_len < len ? out_len : len;
        store_be32(counter, i);
        error = hr_digest_init(&ctx, digest);
        if (!error)
            error = hr_digest_update(&ctx, seed, seed_len);
        if (!error)
            error = hr_digest_update(&ctx, counter, sizeof counter);
        if (!error)
            error = hr_digest_final(&ctx, mask);
        for (size_t j = 0; !error && j < part; j++)
            out[j] ^= mask[j];
        out += part;
        out_len -= part;
    }
    WIPE(&ctx);
    WIPE(&mask);
    return error;
}

int rsa_random(uint8_t *out, size_t len, const uint8_t *random)
{
    if (!random)
        return len ? system_random(out, len) : 0;
    memcpy(out, random, len);
    return 0;
}
