/* SPDX-License-Identifier: Apache-2.0 */
#include "speed_rsa.h"
#include <headrace/algorithms.h>
#include <string.h>

enum {
    DIGEST = 32,
    MOST = 512,
    NUM_PARTS = sizeof(struct hr_rsa_parts) / sizeof(struct hr_rsa_number)
};

static const struct hr_rsa_options options = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };

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

int speed_rsa_key(struct hr_rsa_key *key, const OSSL_PARAM *pair)
{
    static const char *const names[NUM_PARTS] = { "n",
                                                  "e",
                                                  "d",
                                                  "rsa-factor1",
                                                  "rsa-factor2",
                                                  "rsa-exponent1",
                                                  "rsa-exponent2",
                                                  "rsa-coefficient1" };
    uint8_t bytes[NUM_PARTS][MOST];
    for (size_t i = 0; i < NUM_PARTS; i++)
        if (read_number(bytes[i], pair, names[i]))
            return HR_EINVAL;
    const struct hr_rsa_parts parts = {
        { bytes[0], MOST }, { bytes[1], MOST }, { bytes[2], MOST }, { bytes[3], MOST },
        { bytes[4], MOST }, { bytes[5], MOST }, { bytes[6], MOST }, { bytes[7], MOST },
    };
    return hr_rsa_key_init(key, &parts);
}

int speed_rsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *message,
                   const struct hr_rsa_key *key)
{
    return hr_rsa_sign(sig, sig_len, message, DIGEST, key, &options);
}

int speed_rsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *message,
                     const struct hr_rsa_key *key)
{
    return hr_rsa_verify(sig, sig_len, message, DIGEST, key, &options);
}
