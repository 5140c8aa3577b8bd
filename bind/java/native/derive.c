/* SPDX-License-Identifier: Apache-2.0 */
#include "derive.h"

/* count makes the statistics count one call of a row. */
static void count(enum row_index row, size_t bytes)
{
    struct served served;
    served_init(&served, row);
    served_add(&served, bytes);
    if (served.calls)
        stats_fold(&served);
}

int32_t hrj_pbkdf2(int32_t alg, const uint8_t *password, int32_t password_len, const uint8_t *salt,
                   int32_t salt_len, int64_t iterations, uint8_t *out, int32_t out_len)
{
    const int rv = hr_pbkdf2(out, (size_t)out_len, (hr_alg)alg, password, (size_t)password_len,
                             salt, (size_t)salt_len, (uint64_t)iterations);
    if (!rv)
        count(INDEX_pbkdf2, (size_t)out_len);
    return rv ? rv : out_len;
}

int32_t hrj_hkdf_extract(int32_t alg, const uint8_t *salt, int32_t salt_len, const uint8_t *ikm,
                         int32_t ikm_len, uint8_t *out, int32_t out_len)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)alg);
    if (!row || out_len < row->out_len)
        return HR_EBUFFER;
    const int rv = hr_hkdf_extract(out, (hr_alg)alg, salt, (size_t)salt_len, ikm, (size_t)ikm_len);
    if (!rv)
        count(INDEX_hkdf, (size_t)ikm_len);
    return rv ? rv : row->out_len;
}

int32_t hrj_hkdf_expand(int32_t alg, const uint8_t *prk, int32_t prk_len, const uint8_t *info,
                        int32_t info_len, uint8_t *out, int32_t out_len)
{
    const int rv = hr_hkdf_expand(out, (size_t)out_len, (hr_alg)alg, prk, (size_t)prk_len, info,
                                  (size_t)info_len);
    if (!rv)
        count(INDEX_hkdf, (size_t)out_len);
    return rv ? rv : out_len;
}
