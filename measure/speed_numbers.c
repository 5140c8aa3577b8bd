/* SPDX-License-Identifier: Apache-2.0 */
#include "speed_numbers.h"
#include "../cli/tool.h"
#include <assert.h>
#include <headrace/algorithms.h>
#include <string.h>

enum { DIGEST = SPEED_DIGEST, MOST = 1024 };

const struct hr_rsa_options speed_rsa_options = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };

/* Writes a parameter's number, which has the machine's byte order, with all bytes of `out`. */
static int read_number(uint8_t out[MOST], const OSSL_PARAM *list, const char *name)
{
    while (list && list->key && strcmp(list->key, name))
        list++;
    if (!list || !list->key || list->data_size > MOST)
        return HR_EINVAL;
    const uint8_t *in = list->data;
    const size_t len = list->data_size;
    memset(out, 0, MOST);
    for (size_t i = 0; i < len; i++)
        out[MOST - 1 - i] = in[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? len - 1 - i : i];
    return 0;
}

/* Reads numbers of these names into `bytes`, and lets `out` have them. */
static int read_numbers(struct hr_number out[], uint8_t bytes[][MOST], const OSSL_PARAM *pair,
                        const char *const names[], size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (read_number(bytes[i], pair, names[i]))
            return HR_EINVAL;
        size_t zeros = 0;
        while (zeros < MOST && !bytes[i][zeros])
            zeros++;
        out[i] = (struct hr_number){ bytes[i] + zeros, MOST - zeros };
    }
    return 0;
}

int speed_rsa_numbers(struct speed_rsa *out, const OSSL_PARAM *pair)
{
    static const char *const names[] = { "n",
                                         "e",
                                         "d",
                                         "rsa-factor1",
                                         "rsa-factor2",
                                         "rsa-exponent1",
                                         "rsa-exponent2",
                                         "rsa-coefficient1" };
    static_assert(sizeof out->parts == COUNT(names) * sizeof(struct hr_number), "numbers alone");
    static_assert(sizeof out->bytes == COUNT(names) * MOST, "as many bytes");
    return read_numbers(&out->parts.n, out->bytes, pair, names, COUNT(names));
}

int speed_rsa_key(struct hr_rsa_key *key, const OSSL_PARAM *pair)
{
    struct speed_rsa numbers;
    return speed_rsa_numbers(&numbers, pair) ? HR_EINVAL : hr_rsa_key_init(key, &numbers.parts);
}

int speed_dsa_key(struct hr_dsa_key *key, const OSSL_PARAM *pair)
{
    static const char *const names[] = { "p", "q", "g", "pub", "priv" };
    uint8_t bytes[COUNT(names)][MOST];
    struct hr_dsa_parts parts;
    static_assert(sizeof parts == COUNT(names) * sizeof(struct hr_number), "numbers alone");
    return read_numbers(&parts.p, bytes, pair, names, COUNT(names)) ? HR_EINVAL
                                                                    : hr_dsa_key_init(key, &parts);
}

int speed_dh_key(struct hr_dh_key *key, const OSSL_PARAM *pair)
{
    static const char *const names[] = { "p", "q", "g", "priv" };
    uint8_t bytes[COUNT(names)][MOST];
    struct hr_number n[COUNT(names)];
    if (read_numbers(n, bytes, pair, names, COUNT(names)))
        return HR_EINVAL;
    const struct hr_dh_params params = { .p = n[0], .q = n[1], .g = n[2] };
    return hr_dh_key_init(key, &params, &n[3]);
}

int speed_rsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *message,
                   const struct hr_rsa_key *key)
{
    return hr_rsa_sign(sig, sig_len, message, DIGEST, key, &speed_rsa_options);
}

int speed_rsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *message,
                     const struct hr_rsa_key *key)
{
    return hr_rsa_verify(sig, sig_len, message, DIGEST, key, &speed_rsa_options);
}

int speed_dsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *message,
                   const struct hr_dsa_key *key)
{
    return hr_dsa_sign(sig, sig_len, message, DIGEST, key, NULL);
}

int speed_dsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *message,
                     const struct hr_dsa_key *key)
{
    return hr_dsa_verify(sig, sig_len, message, DIGEST, key);
}
