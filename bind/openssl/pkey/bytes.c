/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"
#include <stdlib.h>

int bytes_equal(const void *a, const void *b, size_t len)
{
    const volatile uint8_t *x = a, *y = b;
    uint8_t different = 0;
    for (size_t i = 0; i < len; i++)
        different |= x[i] ^ y[i];
    return !different;
}

/* bytes_param copies the pointer with memcpy, since OSSL_PARAM's data is not const even where it is
 * only read. */
OSSL_PARAM bytes_param(const char *key, const uint8_t *bytes, size_t len)
{
    OSSL_PARAM p = { key, OSSL_PARAM_OCTET_STRING, NULL, len, PARAM_NONE };
    memcpy(&p.data, &bytes, sizeof bytes);
    return p;
}

int bytes_set(OSSL_PARAM *p, const uint8_t *bytes, size_t len)
{
    return p->data_type == OSSL_PARAM_OCTET_STRING && param_set_octets(p, bytes, len);
}

void bytes_free(void *key, size_t size)
{
    if (key)
        wipe_bytes(key, size);
    free(key);
}
