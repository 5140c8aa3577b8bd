/* SPDX-License-Identifier: Apache-2.0 */
/* HKDF, RFC 5869: PRK = HMAC(salt, IKM), and T(i) = HMAC(PRK, T(i-1) || info || i). */
#include "hmac.h"

static const struct hr_algorithm *mac_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_MAC ? row : NULL;
}

/* A missing salt means as many zeros as a digest has bytes (section 2.2).  HMAC pads an empty key
 * to the same block of zeros, so an empty key is used. */
int hr_hkdf_extract(uint8_t *prk, hr_alg alg, const void *salt, size_t salt_len, const void *ikm,
                    size_t ikm_len)
{
    struct hr_hmac_key key;
    if (!mac_row(alg))
        return HR_EALG;
    if (!prk || (!ikm && ikm_len))
        return HR_EINVAL;
    int error = hr_hmac_key_init(&key, alg, salt, salt_len);
    if (!error)
        error = hr_hmac(prk, ikm, ikm_len, &key);
    WIPE(&key);
    return error;
}

/* Replaces T(i-1) in t by T(i).  For i = 1, T(0) is the empty string. */
static int next_digest(uint8_t *t, size_t mac_len, const struct hr_hmac_key *key, const void *info,
                       size_t info_len, uint8_t i)
{
    struct hr_hmac_ctx ctx;
    int error = hr_hmac_init(&ctx, key);
    if (!error)
        error = hr_hmac_update(&ctx, t, i > 1 ? mac_len : 0);
    if (!error)
        error = hr_hmac_update(&ctx, info, info_len);
    if (!error)
        error = hr_hmac_update(&ctx, &i, 1);
    if (!error)
        error = hr_hmac_final(&ctx, t);
    WIPE(&ctx);
    return error;
}

static int expand(uint8_t *out, size_t out_len, size_t mac_len, const struct hr_hmac_key *key,
                  const void *info, size_t info_len)
{
    uint8_t t[HR_DIGEST_MAX_OUT];
    int error = 0;
    for (size_t done = 0, i = 1; !error && done < out_len; done += mac_len, i++) {
        error = next_digest(t, mac_len, key, info, info_len, (uint8_t)i);
        if (!error)
            memcpy(out + done, t, out_len - done < mac_len ? out_len - done : mac_len);
    }
    WIPE(&t);
    return error;
}

int hr_hkdf_expand(uint8_t *out, size_t out_len, hr_alg alg, const void *prk, size_t prk_len,
                   const void *info, size_t info_len)
{
    const struct hr_algorithm *row = mac_row(alg);
    struct hr_hmac_key key;
    if (!row)
        return HR_EALG;
    if ((!out && out_len) || (!info && info_len))
        return HR_EINVAL;
    if (out_len > 255 * (size_t)row->out_len || info_len > HMAC_MAX_IN) /* section 2.3 */
        return HR_ELENGTH;
    if (touch(out, out_len, info, info_len))
        return HR_EOVERLAP;
    int error = hr_hmac_key_init(&key, alg, prk, prk_len);
    if (!error)
        error = expand(out, out_len, row->out_len, &key, info, info_len);
    WIPE(&key);
    return error;
}

int hr_hkdf(uint8_t *out, size_t out_len, hr_alg alg, const void *salt, size_t salt_len,
            const void *ikm, size_t ikm_len, const void *info, size_t info_len)
{
    uint8_t prk[HR_DIGEST_MAX_OUT];
    int error = hr_hkdf_extract(prk, alg, salt, salt_len, ikm, ikm_len);
    if (!error)
        error = hr_hkdf_expand(out, out_len, alg, prk, hr_algorithm(alg)->out_len, info, info_len);
    WIPE(&prk);
    return error;
}
